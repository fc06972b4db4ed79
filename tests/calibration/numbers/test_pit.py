"""`PIT` as a whole: options, the order of rows, labels of groups, pictures."""

import numpy as np
import pytest
from made_numbers import counted, in_documents, normal

import calibrant as cb
from calibrant.errors import ParameterError, UnknownName, UnsupportedError
from calibrant.numbers import PIT, Ranks


def test_bad_options_are_refused():
    for call in (
        lambda: Ranks([0], 0),
        lambda: normal(20).histogram(1),
        lambda: normal(20).curve(level=95),
        lambda: normal(20).score(replicates=3),
        lambda: normal(20).curve(seed=-1),
    ):
        with pytest.raises(ParameterError):
            call()
    with pytest.raises(UnknownName, match="Did you mean Uniform"):
        normal(20).test("uniforn")
    with pytest.raises(UnsupportedError, match="only 9 observations"):
        normal(9).test()
    few = normal(40, group=np.arange(40) % 4)
    for call in (few.test, few.curve, few.histogram):
        with pytest.raises(UnsupportedError, match="only 4 groups"):
            call()
    with pytest.raises(UnsupportedError, match=r"these are worth 4\.0: use the test Uniform"):
        few.test("CookGelmanRubin")
    with pytest.raises(UnsupportedError, match="replicates=None"):
        normal(40, group=np.zeros(40, int)).score()


def everything(pit):
    return [
        *pit.histogram().columns().values(),
        *pit.curve().columns().values(),
        *pit.coverage().columns().values(),
        *(np.array([e.value, e.low, e.high]) for e in [pit.score(replicates=100)]),
        *(np.array([pit.test(t).p_value]) for t in ("Uniform", "CookGelmanRubin")),
    ]


@pytest.mark.parametrize("kind", ["points", "intervals", "groups"])
def test_the_order_of_rows_does_not_matter(kind):
    pit = {
        "points": lambda: normal(300),
        "intervals": counted,
        "groups": lambda: in_documents(300, 60, 1),
    }[kind]()
    order = np.random.default_rng(3).permutation(len(pit))
    codes = pit.positions.codes
    moved = PIT.from_cdf(
        pit.high[order], pit.low[order], group=None if codes is None else codes[order]
    )
    still = PIT.from_cdf(pit.high, pit.low, group=codes)
    for one, other in zip(everything(still), everything(moved), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    if codes is not None:  # nor do labels
        named = PIT.from_cdf(pit.high, pit.low, group=99 - codes)
        for one, other in zip(everything(still), everything(named), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_labels_of_groups_do_not_matter():
    pit = in_documents(300, 15, 1)
    other = PIT.from_cdf(
        pit.high, group=np.random.default_rng(1).permutation(15)[pit.positions.codes]
    )
    assert pit.test().p_value == other.test().p_value


def test_results_become_tables():
    pit = normal(100)
    for found in (pit.histogram(), pit.curve(), pit.coverage()):
        header, rows = found.table()
        assert found.to_frame().columns == header
        assert len(rows) == found.to_frame().height
        assert found.render("csv").splitlines()[0] == ",".join(header)
        assert "<table>" in found._repr_html_()
        assert "n=100" in repr(found)
        assert "calibrant=" in found.signature


def test_pictures():
    pit = normal(100)
    curve, bins, coverage = pit.curve(), pit.histogram(), pit.coverage()
    ax = cb.plot(curve)
    drawn = max(ax.get_lines(), key=lambda line: len(line.get_xdata()))
    np.testing.assert_array_equal(drawn.get_ydata()[1:-1], curve.share)
    assert cb.plot(curve.difference()).get_ylabel() == "share below − quantile"
    assert cb.plot(bins, ax=ax) is ax
    assert cb.plot(coverage).get_xlabel() == "nominal coverage"
    with pytest.raises(ParameterError, match="log is for sweeps, not for histograms"):
        cb.plot(bins, log=True)


def test_a_pit_is_made_by_name():
    with pytest.raises(cb.errors.InputError, match="from_cdf"):
        PIT([0.1, 0.2])
    with pytest.raises(cb.errors.InputError, match=r"pit.score\(\)"):
        cb.score(normal(50))
