import numpy as np
import pytest
from made_pairs import set_d

import calibrant as cb
from calibrant.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def d():
    matrix, gold = set_d()
    return cb.Labels(matrix), gold


def linear(n, shift, seed):
    """Four classes whose gaps are shift · (q − π), and the true root mean square of them."""
    rng = np.random.default_rng(seed)
    alpha, pi = np.array([0.6, 0.8, 1.0, 1.2]), np.array([0.1, 0.2, 0.3, 0.4])
    q = rng.dirichlet(alpha, n)
    true = (1 - shift) * q + shift * pi
    gold = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, 3)
    mean = alpha / alpha.sum()
    square = mean * (1 - mean) / (alpha.sum() + 1) + (mean - pi) ** 2
    return cb.Labels(q), gold, shift * np.sqrt(square.mean())


def test_reference_values_of_the_top_label(d):
    """pycalib, uncertainty-calibration and netcal agree; torchmetrics computes in float32."""
    pairs = cb.ask(*d, cb.TopLabel())
    ten = cb.UniformBins(count=10)
    assert cb.ECE(ten, debiased=False)(pairs) == pytest.approx(0.0437827048, abs=1e-10)
    assert cb.ECE(count=10, debiased=False)(pairs) == pytest.approx(0.0469234035, abs=1e-10)
    assert cb.MCE(ten)(pairs) == pytest.approx(0.2928776518, abs=1e-10)
    assert cb.CalibScore(ten, debiased=False)(pairs) == pytest.approx(0.0518263206, abs=1e-7)


def test_reference_values_of_classes(d):
    """pycalib's class-wise ECE; uncertainty-calibration's marginal error; scikit-learn's Brier."""
    ece = cb.ECE(cb.UniformBins(count=10), debiased=False)
    found = cb.score_classes(*d, ece, interval=None)
    assert found.summary.value == pytest.approx(0.0479952103, abs=1e-10)
    found = cb.score_classes(*d, cb.CalibScore(count=15), interval=None)
    assert found.summary.value == pytest.approx(0.0453974763, abs=1e-10)
    brier = cb.score_classes(*d, cb.Brier(), interval=None)
    assert 4 * brier.summary.value == pytest.approx(0.5893279573, abs=1e-10)


def test_against_uncertainty_calibration(d):
    calibration = pytest.importorskip("calibration")
    posterior, gold = d
    theirs = calibration.get_calibration_error(posterior.probabilities, gold, mode="marginal")
    ours = cb.score_classes(posterior, gold, cb.CalibScore(count=15), interval=None).summary
    assert ours.value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("score", [cb.CalibScore(), cb.ECE(count=10), cb.MCE(), cb.Brier()])
@pytest.mark.parametrize("sentences", [False, True])
def test_each_class_is_scored_as_on_its_own(d, score, sentences):
    posterior, gold = d
    group = np.arange(600) // 10 if sentences else None
    found = cb.score_classes(posterior, gold, score, group=group)
    values = [estimate.value for estimate in found.scores.values()]
    assert values == sorted(values, reverse=True)
    for label, estimate in found.scores.items():
        alone = cb.ask(posterior, gold, cb.LabelIs(label), group=group)
        assert estimate == cb.score(alone, score)
    for each in (found.summary, *found.scores.values()):
        assert each.low <= each.value <= each.high
    assert found.summary.groups == (60 if sentences else 0)


def test_the_summary_is_the_mean_over_classes(d):
    parts = cb.score_classes(*d, cb.CalibMSE())
    mean = np.mean([each.value for each in parts.scores.values()])
    assert parts.summary.score == "CalibMSE, mean of 4 classes"
    assert parts.summary.value == pytest.approx(mean, abs=1e-12)
    root = cb.score_classes(*d)
    assert root.together == "root mean square"
    assert root.summary.value == pytest.approx(np.sqrt(mean), abs=1e-12)
    assert root.summary.low == pytest.approx(np.sqrt(parts.summary.low), abs=1e-12)
    largest = cb.score_classes(*d, cb.MCE())
    assert largest.summary.value == max(each.value for each in largest.scores.values())
    pooled = cb.score(cb.ask(*d, cb.EveryLabel()), cb.Brier())
    mine = cb.score_classes(*d, cb.Brier()).summary
    assert (mine.value, mine.low, mine.high) == pytest.approx(
        (pooled.value, pooled.low, pooled.high), abs=1e-12
    )


def test_neither_rows_nor_labels_of_groups_matter(d):
    posterior, gold = d
    group = np.arange(600) // 10
    order = np.random.default_rng(2).permutation(600)
    other = cb.Labels(posterior.probabilities[order])
    names = np.array([f"s{7 * each % 61}" for each in group])
    for one, two in (
        (
            cb.score_classes(posterior, gold, group=group),
            cb.score_classes(other, gold[order], group=names[order]),
        ),
        (cb.score_classes(posterior, gold), cb.score_classes(other, gold[order])),
    ):
        assert list(one.scores) == list(two.scores)
        for mine, theirs in zip(
            (one.summary, *one.scores.values()), (two.summary, *two.scores.values()), strict=True
        ):
            assert (mine.value, mine.low, mine.high) == pytest.approx(
                (theirs.value, theirs.low, theirs.high), abs=1e-12
            )


def test_sentences_that_repeat_widen_the_interval(d):
    posterior, gold = d
    thrice = cb.Labels(np.repeat(posterior.probabilities, 3, axis=0))
    labels = np.repeat(gold, 3)
    fooled = cb.score_classes(thrice, labels).summary
    honest = cb.score_classes(thrice, labels, group=np.repeat(np.arange(600), 3)).summary
    assert honest.value < fooled.value
    assert honest.low < fooled.low


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_the_interval_of_the_summary_covers(shift):
    """20 simulations; fewer than 15 that cover have a probability of 0.0003 at 95 %."""
    hits = 0
    for seed in range(20):
        posterior, gold, truth = linear(500, shift, seed)
        summary = cb.score_classes(posterior, gold, interval=cb.Bootstrap(200)).summary
        hits += summary.low <= truth <= summary.high
    assert hits >= 15


def test_classes_that_never_occur():
    rng = np.random.default_rng(1)
    q = rng.dirichlet([1, 1, 1], 300)
    gold = (q.cumsum(axis=1) < rng.random((300, 1))).sum(axis=1)
    wide = cb.Labels(np.column_stack([q, np.zeros(300), np.zeros(300)]))
    gold[:3] = 4  # of the last two classes one is never seen, and neither is predicted
    for score in (cb.CalibScore(), cb.ECE(), cb.MCE(), cb.Brier(), cb.ECE(cb.UniformBins())):
        found = cb.score_classes(wide, gold, score)
        assert (found[3].value, found.frequency(3), found.predicted(3)) == (0, 0, 0)
        assert found.frequency(4) == pytest.approx(0.01)
    assert cb.score_classes(wide, gold, "CalibScore", interval=None)[4].plugin == (
        pytest.approx(0.01)
    )


def test_bins_in_pieces(d, monkeypatch):
    """Many classes have more bins than replicates of all of them fit in memory."""
    group = np.arange(600) // 10
    whole = cb.score_classes(*d, group=group).summary
    ece = cb.score_classes(*d, cb.ECE()).summary
    monkeypatch.setattr("calibrant.calibration.analyses.classes.WIDE", 7)
    monkeypatch.setattr("calibrant.calibration.intervals.blocks.AT_ONCE", 7)
    parts = cb.score_classes(*d, group=group).summary
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=1e-9)
    assert cb.score_classes(*d, cb.ECE()).summary.low is None
    assert ece.low is not None


def test_scores_without_an_interval_of_the_summary(d):
    quantile = cb.E90(cb.AdaptiveBins())
    for score in (cb.ECCE(), cb.CalibScore(cb.Isotonic()), cb.CalibScore(above=0.3), quantile):
        found = cb.score_classes(*d, score, interval=cb.Bootstrap(100))
        assert found.summary.low is None
        assert all(each.low is not None for each in found.scores.values())


def test_classes_without_predictions_in_the_range():
    rng = np.random.default_rng(1)
    q = np.column_stack([rng.random((200, 1)) * 0.9, np.full(200, 0.1)])
    q = np.column_stack([q, 1 - q.sum(axis=1)])
    gold = (q.cumsum(axis=1) < rng.random((200, 1))).sum(axis=1)
    found = cb.score_classes(cb.Labels(q), gold, cb.CalibScore(above=0.1), interval=None)
    assert found.left_out == (1,)
    assert str(found).endswith("left out: 1")
    assert "interval" not in str(found)
    with pytest.raises(InputError, match=r"No pair has q > 0\.999"):
        cb.score_classes(cb.Labels(q), gold, cb.CalibScore(above=0.999))


def test_tables(d):
    found = cb.score_classes(*d)
    frame = found.to_frame()
    assert frame["class"].to_list() == list(found.scores)
    assert set(found.scores) == {0, 1, 2, 3}
    values = [each.value for each in found.scores.values()]
    assert values == sorted(values, reverse=True)  # the worst first
    assert {"value", "low", "high", "frequency", "mean_q"} <= set(frame.columns)
    assert frame["frequency"].sum() == pytest.approx(1)
    last = found.render("md").splitlines()[-1]
    assert last.startswith(f"| root mean square | {found.summary.value:.3f} |")
    assert "root mean square of 4 classes|n=600|Bootstrap" in found._repr_html_()
    assert repr(found) == str(found)
    assert len(found) == 4


def test_figures(d):
    found = cb.score_classes(*d, interval=None)
    axes = cb.plot(found, count=3)
    _, gold = d
    worst = list(found.scores.items())[:3]
    assert [ax.get_title() for ax in axes] == [
        f"{label} ({np.mean(gold == label):.0%})\n{estimate}".replace("%", " %")
        for label, estimate in worst
    ]
    line = max(axes[0].get_lines(), key=lambda line: len(line.get_xdata()))
    np.testing.assert_array_equal(line.get_xdata(), cb.curve(found.pairs[worst[0][0]]).q)
    with pytest.raises(ParameterError, match="leave ax out"):
        cb.plot(found, ax=axes[0])
    with pytest.raises(ParameterError, match="count is for class scores"):
        cb.plot(found.pairs[3], count=2)
    with pytest.raises(ParameterError, match="count must be a whole number"):
        cb.plot(found, count=0)


def test_names_with_dollars_are_drawn(d):
    posterior, gold = d
    named = cb.Labels(posterior.probabilities, ["$a_b$", "PRP$", r"$\x$", "d"])
    labels = np.array(named.names)[gold]
    axes = cb.plot(cb.score_classes(named, labels, interval=None))
    axes[0].figure.canvas.draw()
    assert any(r"$\x$" in ax.get_title() for ax in axes)


def test_bad_options(d):
    with pytest.raises(InputError, match="A posterior was expected, not list"):
        cb.score_classes([[0.5, 0.5]], [0])
    with pytest.raises(ParameterError, match="A score was expected"):
        cb.score_classes(*d, cb.AdaptiveBins())
    with pytest.raises(ParameterError, match="An interval was expected"):
        cb.score_classes(*d, interval=0.9)
    with pytest.raises(InputError, match="group must have one label"):
        cb.score_classes(*d, group=[1])
