"""Sums of the values of equal labels."""

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def add_by_label(label, values, sums):
    """Add each value to the sum of its label, in the order of the rows."""
    for j in range(label.size):
        sums[label[j]] += values[j]
