import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.norms import Absolute, Squared
from calibrant.calibration.intervals import worlds as module
from calibrant.calibration.intervals.inversion import lower_limit, upper_limit
from calibrant.calibration.intervals.worlds import Draws, Forecasters, GroupWorlds, PairWorlds
from calibrant.pairs import synthetic

DRAWS = Draws(4000, 1)
GROUPED = synthetic.sample_groups(60, synthetic.inward(0.1), seed=1)


def gaps_of(n, p, q):
    n, p, q = (np.array(each, float) for each in (n, p, q))
    return BinGaps(Bins(n, n * p, n * q, q), None)


def test_independent_replicates_have_the_moments_of_binomial_counts():
    """The debiased score of a forecaster with gaps c times as large has the mean c² · plain.

    What falls short of it is the noise that is left in (one part in 10,000) and the error of
    the mean of 4000 replicates.
    """
    gaps = gaps_of([50, 200, 100], [0.2, 0.5, 0.9], [0.3, 0.45, 0.8])
    worlds = PairWorlds(Squared(), gaps, DRAWS)
    for c in (0.0, 1.0, 1.5):
        scores = worlds(c)(c)
        error = 4 * scores.std() / np.sqrt(DRAWS.replicates) + 1e-4 * gaps.variance @ gaps.share
        assert scores.mean() == pytest.approx(c**2 * gaps.plain(Squared()), abs=error)


def test_seeds_decide():
    gaps = gaps_of([50, 200], [0.2, 0.5], [0.3, 0.45])
    one, same, other = (PairWorlds(Absolute(), gaps, Draws(50, seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one(0.5)(0.5), same(0.5)(0.5))
    assert (one(0.5)(0.5) != other(0.5)(0.5)).any()


@pytest.mark.parametrize("norm", [Squared(), Absolute()])
def test_pieces_of_the_bins_add_up(norm, monkeypatch):
    gaps = cb.AdaptiveBins(size=30).gaps(GROUPED)
    make = lambda: GroupWorlds(norm, gaps, gaps.clusters, 0.01, Draws(40, 1))  # noqa: E731
    whole = make()
    monkeypatch.setattr(module, "WIDE", 5)
    parts = make()
    assert len(parts.pieces) == (-(-gaps.gap.size // 5) if norm.additive else 1)
    noise = [parts.resampled(piece).noise for piece in parts.pieces]
    np.testing.assert_allclose(np.concatenate(noise, axis=1), whole.whole.noise)
    np.testing.assert_allclose(parts(0.7)(0.7), whole(0.7)(0.7), rtol=1e-9)


def test_groups_are_drawn_once_for_all_worlds(monkeypatch):
    from calibrant.kernels.calibration import groups

    calls = []
    kernel = groups.resample
    monkeypatch.setattr(groups, "resample", lambda **given: (calls.append(1), kernel(**given))[1])
    gaps = cb.AdaptiveBins(size=30).gaps(GROUPED)
    forecasters = Forecasters(Squared(), gaps, 0.01, Draws(100, 1))
    assert forecasters.limit(lower_limit, 0.95) <= forecasters.limit(upper_limit, 0.95)
    assert len(calls) == 1


def test_bins_without_noise_get_that_of_as_many_pairs_as_groups():
    pairs = cb.Pairs([0] * 30, [0.3] * 30, group=np.repeat(np.arange(10), 3))
    gaps = cb.AdaptiveBins().gaps(pairs)
    worlds = GroupWorlds(Squared(), gaps, gaps.clusters, 0.09, DRAWS)
    assert worlds.silent.tolist() == [10]
    assert worlds(0.0)(0.0).std() > 0


def test_gaps_of_nothing_have_limits_of_nothing():
    gaps = gaps_of([50], [0.3], [0.3])
    assert Forecasters(Squared(), gaps, 0.0, DRAWS).limit(upper_limit, 0.95) == 0
