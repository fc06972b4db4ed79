"""Distributions of sums of independent counts."""

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def count_yes(q, out):
    """Fill the chance of each number of yes among independent answers (Poisson-binomial).

    Products of probabilities are only added, so small chances keep their precision.
    """
    out[:] = 0.0
    out[0] = 1.0
    for n in range(q.size):
        yes = q[n]
        no = 1.0 - yes
        for c in range(n + 1, 0, -1):
            out[c] = out[c] * no + out[c - 1] * yes
        out[0] *= no
