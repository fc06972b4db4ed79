import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.plots import Sweep, save_figure
from calibrant.plots.calibration import curve_lines


@pytest.fixture(scope="module")
def curves():
    maps = {"fine": cb.synthetic.identity, "wrong": cb.synthetic.inward(0.1)}
    return {
        name: cb.curve(cb.synthetic.sample(3000, t, seed=1), cb.AdaptiveBins(size=200))
        for name, t in maps.items()
    }


def lines(ax):
    return {line.get_label(): line for line in ax.get_lines()}


def test_points_are_drawn_where_they_are(curves):
    ax = cb.plot(curves)
    for name, curve in curves.items():
        np.testing.assert_array_equal(lines(ax)[name].get_xdata(), curve.q)
        np.testing.assert_array_equal(lines(ax)[name].get_ydata(), curve.p)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["fine", "wrong"]
    assert ax.get_aspect() == 1


def test_error_bars_are_the_band(curves):
    curve = curves["fine"]
    segments = np.array(cb.plot(curve).collections[0].get_segments())
    np.testing.assert_allclose(segments[:, 0, 1], curve.low, atol=1e-12)
    np.testing.assert_allclose(segments[:, 1, 1], curve.high, atol=1e-12)


def test_axes_that_are_passed_are_used(curves):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert cb.plot(curves["fine"], ax=right) is right
    assert not left.has_data()
    assert right.has_data()
    assert right.get_legend() is None


def longest_line(ax):
    return max(ax.get_lines(), key=lambda line: len(line.get_xdata()))


def test_pairs_get_a_smooth_curve_dots_and_their_score():
    pairs = cb.synthetic.sample(2000, seed=1)
    ax = cb.plot(pairs)
    np.testing.assert_array_equal(
        longest_line(ax).get_ydata(), cb.curve(pairs, "LocalLikelihood").p
    )
    (dots,) = [line for line in ax.get_lines() if line.get_marker() == "o" and line.get_lw() == 0]
    np.testing.assert_array_equal(dots.get_xdata(), cb.curve(pairs, cb.AdaptiveBins(count=20)).q)
    assert len(cb.curve(pairs)) > 20
    (told,) = [text.get_text() for text in ax.texts]
    assert told == f"CalibScore {cb.score(pairs).text('value')}\n{cb.score(pairs).interval}"


def test_pairs_without_a_smooth_curve_show_their_bins():
    pairs = cb.Pairs([1] * 60, np.linspace(0.1, 0.9, 60))
    assert len(longest_line(cb.plot(pairs)).get_xdata()) == len(cb.curve(pairs))


def test_pairs_beside_a_curve_are_a_curve(curves):
    pairs = cb.synthetic.sample(2000, seed=1)
    ax = cb.plot({"pairs": pairs, "curve": curves["fine"]})
    assert [len(line.get_xdata()) for line in curve_lines(ax)] == [
        len(cb.curve(pairs)),
        len(curves["fine"]),
    ]


def test_slices_are_panels():
    pairs = cb.synthetic.sample(900, seed=1)
    genre = np.tile(["news", "web", "mail"], 300)
    axes = cb.plot(pairs, by={"genre": genre})
    assert [ax.get_title() for ax in axes] == ["genre = mail", "genre = news", "genre = web"]
    web = cb.Pairs(pairs.y[genre == "web"], pairs.q[genre == "web"])
    np.testing.assert_allclose(
        longest_line(axes[2]).get_ydata(), cb.curve(web, "LocalLikelihood").p, rtol=1e-12
    )
    with pytest.raises(ParameterError, match="leave ax out"):
        cb.plot(pairs, by={"genre": genre}, ax=axes[0])


def test_panels(curves):
    axes = cb.plot({**curves, "a": curves["fine"], "b": curves["wrong"]}, panels=True)
    assert [ax.get_title() for ax in axes] == ["fine", "wrong", "a", "b"]
    assert axes[0].figure is axes[3].figure
    with pytest.raises(ParameterError, match="leave ax out"):
        cb.plot(curves, panels=True, ax=axes[0])


def test_sweeps():
    x = np.array([1.0, 2, 4])
    sweeps = {"a": Sweep(x, x / 10, x / 20, x / 5, truth=0.1), "b": Sweep(x, x, joined=False)}
    ax = cb.plot(sweeps, xlabel="bin size", log=True)
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "bin size"
    np.testing.assert_array_equal(lines(ax)["a"].get_ydata(), x / 10)
    assert lines(ax)["b"].get_linewidth() == 0
    assert cb.plot(Sweep(x, x)).get_legend() is None
    with pytest.raises(
        ParameterError, match="panels is for curves, pairs and class scores, not for sweeps"
    ):
        cb.plot(sweeps, panels=True)


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_files(tmp_path, curves, ending, start):
    path = save_figure(cb.plot(curves), tmp_path / "new" / f"figure.{ending}")
    assert path.read_bytes().startswith(start)
    assert [each.name for each in path.parent.iterdir()] == [f"figure.{ending}"]
    first = path.read_bytes()
    if ending == "png":
        save_figure(cb.plot(curves), path)
        assert path.read_bytes() == first  # the same picture, the same bytes


def test_unknown_formats(tmp_path, curves):
    with pytest.raises(UnknownName, match=r"output file '.pgn'. Did you mean .png\?"):
        save_figure(cb.plot(curves), tmp_path / "figure.pgn")


def test_an_interrupted_save_leaves_nothing(tmp_path, curves, monkeypatch):
    path = tmp_path / "figure.png"
    path.write_text("old")

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Figure, "savefig", stop)
    with pytest.raises(KeyboardInterrupt):
        save_figure(cb.plot(curves), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_matplotlib_is_left_as_it_was(curves):
    before = dict(matplotlib.rcParams)
    cb.plot(curves)
    assert dict(matplotlib.rcParams) == before


def test_nothing_to_plot():
    from calibrant.plots import plot_panels, plot_sweep

    for draw in (plot_panels, lambda none: plot_sweep(none, "x")):
        with pytest.raises(InputError, match="at least one"):
            draw({})


def test_smooth_curves_have_no_markers():
    pairs = cb.synthetic.sample(1000, a=1, b=1, seed=1)
    curve = cb.curve(pairs, cb.LocalLikelihood(bandwidth=0.5))
    (line,) = [each for each in cb.plot(curve).get_lines() if len(each.get_xdata()) > 2]
    assert line.get_marker() == ""
    np.testing.assert_array_equal(line.get_xdata(), curve.q)


def test_the_parts_of_a_loss_are_drawn_to_scale():
    found = cb.decompose(cb.synthetic.sample(1000, cb.synthetic.inward(0.1), seed=1))
    ax = cb.plot(found)
    ends = sorted(bar.get_x() + bar.get_width() for bar in ax.patches if bar.get_width() > 0)
    np.testing.assert_allclose(ends[-2:], found.loss.value, atol=1e-12)
    assert "Brier" in ax.get_xlabel()
    with pytest.raises(ParameterError, match="not for decompositions: leave it out"):
        cb.plot(found, panels=True)


def test_the_cross_validation_curve():
    found = cb.Kernel().cross_validate(cb.synthetic.sample(1000, a=1, b=1, seed=1))
    ax = cb.plot(found)
    np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), found.loss)
    assert f"{found.best:.3g}" in ax.get_xlabel()
