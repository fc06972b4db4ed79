import numpy as np
import pytest

from calibrant.kernels.calibration.reflection import NODES, Smoothing, on_grid, smooth


def test_mass_is_shared_between_the_nearest_nodes():
    nodes = on_grid(
        np.array([0.0, 0.25, 0.625, 1.0]), np.array([1.0, 2.0, 4.0, 8.0]), 4, whole=False
    )
    np.testing.assert_allclose(nodes, [1, 2, 2, 2, 8])
    twice = on_grid(np.array([0.0, 1.0]), np.ones(2), 4, whole=True)
    np.testing.assert_allclose(twice, [2, 0, 0, 0, 2])


@pytest.mark.parametrize("sigma", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("q", [0.0, 0.03, 0.5, 1.0])
def test_smoothing_is_a_reflected_gaussian(sigma, q):
    """The sum over mirror images; the grid is exact for nodes, which these q are."""
    nodes = on_grid(np.array([q]), np.ones(1), NODES, whole=True)
    at = np.linspace(0, 1, NODES + 1)
    seen = smooth(nodes, sigma, NODES + 1, whole=True)
    images = np.concatenate([2 * np.arange(-3, 4) + q, 2 * np.arange(-3, 4) - q])
    density = np.exp(-(((at[:, None] - images) / sigma) ** 2) / 2).sum(axis=1)
    density /= sigma * np.sqrt(2 * np.pi) * NODES
    density[[0, -1]] /= 2
    np.testing.assert_allclose(seen, density, atol=1e-6)
    assert seen.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("whole", [True, False])
def test_kernels_sum_up_to_errors(whole):
    rng = np.random.default_rng(0)
    q, share = np.sort(rng.random(30)), np.full(30, 1 / 30)
    gap = rng.normal(0, 0.1, 30)
    smoothing = Smoothing(q, gap, share, whole=whole)
    width = smoothing.width()
    found = np.abs((gap * share) @ smoothing.kernel(width)).sum()
    assert found == pytest.approx(smoothing.error(width), rel=1e-6)


def test_the_width_equals_the_error():
    q = np.linspace(0.05, 0.95, 19)
    gap, share = np.where(q < 0.5, -0.1, 0.1), np.full(19, 1 / 19)
    smoothing = Smoothing(q, gap, share, whole=True)
    width = smoothing.width()
    step = 2.0**-10  # ten halvings
    assert smoothing.error(width) <= width <= smoothing.error(width - step) + step
    assert smoothing.of(2 * gap).width() > width
