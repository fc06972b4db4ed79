"""Slices: what is measured in each, how p-values are adjusted, and laws that must hold."""

import numpy as np
import pandas
import polars
import pytest

import calibrant as cb
from calibrant.calibration.analyses.adjusting import holm
from calibrant.calibration.analyses.describing import mean_excess
from calibrant.errors import InputError, ParameterError, UnsupportedError


def made(seed=0, n=1200, groups=80, bad="web"):
    """A table whose predictions are too high in one genre."""
    rng = np.random.default_rng(seed)
    q = rng.random(n)
    genre = rng.choice(["news", "web", "fiction"], n, p=[0.5, 0.3, 0.2])
    p = np.where(genre == bad, q**2.5, q)
    return polars.DataFrame(
        {
            "y": (rng.random(n) < p).astype(int),
            "q": q,
            "doc": rng.integers(0, groups, n),
            "genre": genre,
            "length": rng.integers(1, 90, n),
        }
    )


@pytest.fixture(scope="module")
def frame():
    return made()


@pytest.fixture(scope="module")
def found(frame):
    return cb.slices(frame, ["genre", "length:3"])


def by_name(slices):
    return {each.name: each for each in slices}


def test_the_bad_slice_is_found_and_comes_first(found):
    assert found[0].name == "genre = web"
    assert found.miscalibrated[0].name == "genre = web"
    assert "genre = web" in {each.name for each in found.different}
    assert found.sentence.startswith("“genre = web”")
    assert len(found) == found.looked_at == 6
    assert found[0].excess.low > 0.1


def test_a_slice_is_the_score_and_the_test_of_its_rows(frame, found):
    for each in found:
        rows = frame[each.rows]
        assert each.score.value == cb.score(rows).value
        assert (each.score.low, each.score.high) == (cb.score(rows).low, cb.score(rows).high)
        finer = "Joint(replicates=1999)" if each.verdict.least > 1 / 2001 else each.verdict.test
        assert each.p_value == cb.test(rows, finer).p_value
        described = cb.describe(rows).excess
        assert (each.excess.value, each.excess.low) == (described.value, described.low)
        assert each.pairs == cb.read(rows)


def test_rows_are_those_of_the_source(frame, found):
    for each in found:
        kept = np.ones(frame.height, bool)
        for column, label in each.where.items():
            if column == "genre":
                kept &= (frame["genre"] == label).to_numpy()
            else:
                low, high = map(int, label.split(" to "))
                kept &= ((frame["length"] >= low) & (frame["length"] <= high)).to_numpy()
        assert each.rows.tolist() == np.flatnonzero(kept).tolist()
        assert each.pairs.rows_between(0, 1).tolist() == each.rows.tolist()


def test_holm_is_that_of_statsmodels():
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(1)
    for _ in range(20):
        p = rng.random(9) ** 3
        expected = multipletests(p, method="holm")[1]
        assert np.allclose(list(holm(dict(enumerate(p))).values()), expected)


def test_adjusted_p_values_are_holm(found):
    for raw, adjusted in (("p_value", "adjusted"), ("p_rest", "adjusted_rest")):
        p = {each.name: getattr(each, raw) for each in found}
        assert holm(p) == {each.name: getattr(each, adjusted) for each in found}


def test_any_form_of_the_table(frame, found, tmp_path):
    frame.write_csv(tmp_path / "p.csv")
    frame.write_parquet(tmp_path / "p.parquet")
    columns = {"genre": frame["genre"].to_list(), "length:3": frame["length"].to_numpy()}
    for given in (frame.to_pandas(), tmp_path / "p.csv", str(tmp_path / "p.parquet")):
        same(cb.slices(given, ["genre", "length:3"]), found)
    same(cb.slices(cb.read(frame), columns), found)
    columns["genre"] = pandas.Series(columns["genre"], index=range(5, 5 + frame.height))
    same(cb.slices(cb.read(frame), columns), found)


def same(a, b, digits=1e-12):
    a, b = by_name(a), by_name(b)
    assert a.keys() == b.keys()
    for name, one in a.items():
        other = b[name].to_dict()
        for key, value in one.to_dict().items():
            if isinstance(value, float):
                assert other[key] == pytest.approx(value, rel=1e-9, abs=digits), (name, key)


def test_the_order_of_rows_does_not_matter(frame, found):
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    same(found, cb.slices(shuffled, ["genre", "length:3"]))


def test_names_of_groups_do_not_matter(frame, found):
    names = np.random.default_rng(5).permutation(1000)[:80]
    renamed = frame.with_columns(doc=polars.Series(names[frame["doc"].to_numpy()]))
    same(found, cb.slices(renamed, ["genre", "length:3"]))


@pytest.mark.parametrize("group", [None, False])
def test_yes_and_no_can_be_exchanged(frame, group):
    turned = frame.with_columns(y=1 - polars.col("y"), q=1 - polars.col("q"))
    one, other = (cb.slices(each, "genre", group=group) for each in (frame, turned))
    for name, each in by_name(one).items():
        mirror = by_name(other)[name]
        assert mirror.excess.value == pytest.approx(-each.excess.value)
        assert mirror.score.value == pytest.approx(each.score.value)
        assert mirror.p_value == pytest.approx(each.p_value)
        assert mirror.p_rest == pytest.approx(each.p_rest, abs=0.002)
        assert mirror.detectable == pytest.approx(each.detectable)


@pytest.mark.parametrize("group", [None, False])
def test_a_weight_of_two_is_a_row_twice(frame, group):
    weight = np.random.default_rng(2).integers(1, 3, frame.height)
    if group is False:  # rows count once each in the comparison of slices without groups
        weight[:] = 1
    twice = frame[np.repeat(np.arange(frame.height), weight)]
    weighted = frame.with_columns(weight=polars.Series(weight))
    by = ["genre", "length:3"]
    same(cb.slices(weighted, by, group=group), cb.slices(twice, by, group=group), 1e-9)


def test_crosses(frame):
    crossed = cb.slices(frame, "genre*length:3", interval=None)
    assert len(crossed) == 3 + 3 + 9
    assert {each.name for each in crossed} == {
        each.name for each in cb.slices(frame, ["genre", "length:3"], crosses=True, interval=None)
    }
    both = next(each for each in crossed if each.name.startswith("genre = web, length = 1 to "))
    assert both.where["genre"] == "web"
    assert set(both.rows) <= set(crossed["genre = web"].rows)


def test_a_cross_that_repeats_a_slice_is_left_out(frame):
    nested = frame.with_columns(kind=polars.col("genre").replace({"web": "x", "news": "y"}))
    assert len(cb.slices(nested, "genre*kind", interval=None)) == 6


def test_missing_values_are_a_slice(frame):
    holes = frame.with_columns(
        genre=polars.when(polars.col("doc") < 20).then(None).otherwise(polars.col("genre"))
    )
    for each in (holes, holes.with_columns(polars.col("genre").fill_null("  "))):
        assert "genre = (missing)" in by_name(cb.slices(each, "genre", interval=None))


def test_small_slices_are_listed_with_the_reason(frame):
    rare = frame.with_columns(genre=polars.Series(["rare"] * 8 + frame["genre"].to_list()[8:]))
    small = cb.slices(rare, "genre")[-1]
    assert (small.name, small.tested, small.adjusted) == ("genre = rare", False, None)
    assert small.reason.endswith("10 are needed")
    assert small.score is None
    assert small.excess.low is None
    small = cb.slices(rare, "genre", group=False)[-1]
    assert small.reason == "8 pairs, but 30 are needed"
    assert "not tested" in cb.slices(rare, "genre").table()[0]


def test_a_slice_with_almost_everything_is_not_compared_with_the_rest(frame):
    most = frame.with_columns(part=polars.Series(["b"] * 5 + ["a"] * (frame.height - 5)))
    large = cb.slices(most, "part")["part = a"]
    assert large.tested
    assert large.p_rest is None
    assert large.reason.startswith("the rest has only ")


def test_draws():
    """A row of the source is several pairs; slices select rows."""
    rng = np.random.default_rng(4)
    n = 300
    p, kind = rng.random(n), np.array(["a", "b"] * (n // 2))
    table = polars.DataFrame(
        {
            "y": (rng.random(n) < np.where(kind == "b", p**3, p)).astype(int),
            "yes": rng.binomial(8, p),
            "draws": np.full(n, 8),
            "kind": kind,
        }
    )
    found = cb.slices(table, "kind", yes="yes", draws="draws")
    assert found[0].name == "kind = b"
    assert found[0].rows.tolist() == list(range(1, n, 2))
    assert found[0].n == n / 2 == found[0].groups
    assert set(found[0].pairs.origin) == set(found[0].rows)
    again = cb.slices(cb.read(table, yes="yes", draws="draws"), {"kind": kind})
    assert again.to_dicts() == found.to_dicts()


def test_groups_shared_with_the_rest_are_respected():
    """Every group lies in both slices, and its errors cancel in their difference."""
    rng = np.random.default_rng(6)
    groups, size = 60, 40
    effect = np.repeat(rng.normal(0, 1.5, groups), size)
    x = rng.normal(0, 1, groups * size)
    y = rng.random(x.size) < 1 / (1 + np.exp(-(x + effect)))
    half = np.arange(x.size) % 2
    pairs = cb.Pairs(y, 1 / (1 + np.exp(-x)), group=np.repeat(np.arange(groups), size))
    pairs_rest = cb.slices(pairs, {"half": half}, interval=None)[0].p_rest
    bad = cb.Pairs(y, 1 / (1 + np.exp(-(x + 0.8 * half))), group=pairs.group)
    assert pairs_rest > 0.05
    assert cb.slices(bad, {"half": half}, interval=None)[0].p_rest < 0.001


def test_the_rest_is_compared_at_similar_predictions():
    """A model that is wrong everywhere alike has no slice that differs, whatever its q."""
    rng = np.random.default_rng(8)
    q = rng.random(6000)
    y = rng.random(q.size) < q**2
    high = (rng.random(q.size) < q).astype(int)  # predictions are higher in one slice
    found = cb.slices(cb.Pairs(y, q), {"high": high}, interval=None)
    assert len(found.miscalibrated) == 2
    assert not found.different


def test_the_effective_number_is_shown(found, frame):
    for each in found:
        assert each.effective == each.pairs.effective_groups
        assert each.excess.value == mean_excess(each.pairs, 0.95).value
        assert 0 < each.detectable < 1


def test_the_table(found):
    header, rows = found.table()
    assert header[:2] == ["slice", "n"]
    assert len(rows) == 6
    assert found.to_frame().shape[0] == 6
    assert "<table>" in found._repr_html_()
    assert found.signature.startswith("slices|n=1200|groups=80|")
    assert "Holm=6 at 0.05" in found.signature
    assert repr(found) == str(found)
    with pytest.raises(KeyError):
        found["genre = poetry"]


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("genr", "no column 'genr'. Did you mean genre?"),
        ("length:0", "a number of parts from 2 to 100"),
        ("length:1", "a number of parts from 2 to 100"),
        ("length:x", "a number of parts from 2 to 100"),
        ("length:-2", "a number of parts from 2 to 100"),
        ("genre:5", "holds text, such as '"),
        ("genre*length*doc", "crosses 3 columns"),
        ("genre*genre", "crosses a column with itself"),
        ("y", "holds the observations"),
        ("doc", "holds the groups"),
        ("same", "has the same value in all rows, x"),
        ("id", "has 1200 different values, more than 200"),
        ([], "Name at least one column"),
        (None, "Name a column to slice by"),
        ([3], "must name columns, but it holds 3"),
        (3, "must name columns, but it is 3"),
        ({"genre": [1]}, "must name columns of the table"),
    ],
)
def test_bad_columns(frame, by, message):
    ids = [f"row {k}" for k in range(frame.height)]
    wide = frame.with_columns(same=polars.lit("x"), id=polars.Series(ids))
    with pytest.raises((InputError, ParameterError)) as error:
        cb.slices(wide, by)
    assert message in str(error.value)


def test_bad_sources(frame):
    pairs = cb.read(frame)
    with pytest.raises(ParameterError, match="Pairs have no other columns"):
        cb.slices(pairs, "genre")
    with pytest.raises(InputError, match="a value for each of the 1200 rows, but it has 2"):
        cb.slices(pairs, {"genre": ["a", "b"]})
    with pytest.raises(InputError, match="genre must be an array"):
        cb.slices(pairs, {"genre": 3})
    with pytest.raises(ParameterError, match="leave y= out"):
        cb.slices(pairs, {"genre": frame["genre"]}, y="y")
    with pytest.raises(UnsupportedError, match="cannot be sliced"):
        cb.slices(pairs.compress(8), {"genre": frame["genre"]})
    with pytest.raises(InputError, match="Pairs, a data frame or a path was expected"):
        cb.slices(3, "genre")
