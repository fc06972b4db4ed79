from math import ceil

import pytest

from calibrant.plots.grid import near_square, new_grid


@pytest.mark.parametrize(
    ("count", "columns"),
    [(1, 1), (2, 2), (3, 3), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4), (9, 3), (10, 4), (12, 4)],
)
def test_columns(count, columns):
    assert near_square(count) == columns


def test_every_grid_is_near_square_and_holds_all():
    for count in range(4, 200):
        columns = near_square(count)
        rows = ceil(count / columns)
        assert rows * columns >= count
        assert (rows - 1) * columns < count
        assert rows <= columns <= 2 * rows


def test_new_grid():
    panels = new_grid(5, 3, 2.0)
    assert len(panels) == 5
    (figure,) = {panel.figure for panel in panels}
    assert figure.axes == panels
    assert tuple(figure.get_size_inches()) == pytest.approx((6.0, 4.3))
