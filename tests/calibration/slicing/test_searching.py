"""The search for the worst slices."""

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.calibration.slicing.searching import halves
from calibrant.errors import InputError, ParameterError, UnsupportedError


def made(n=3000, groups=120, bad=True, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.random(n)
    columns = {name: rng.choice(list("abcd"), n) for name in ("one", "two", "three")}
    inside = (columns["one"] == "a") & (columns["two"] == "b")
    p = np.where(inside & bad, q**4, q)
    return polars.DataFrame(
        {"y": (rng.random(n) < p).astype(int), "q": q, "doc": rng.integers(0, groups, n)}
        | columns
        | {"id": [f"row {k}" for k in range(n)]}
    )


@pytest.fixture(scope="module")
def frame():
    return made()


@pytest.fixture(scope="module")
def found(frame):
    return cb.slices(frame, worst=True)


def test_a_bad_cross_is_found(found):
    assert found[0].where == {"one": "a", "two": "b"}
    assert found[0] in found.miscalibrated
    assert len(found) == found.looked_at == 5
    assert found.searched == 12 + 3 * 16
    assert list(found.left_out) == ["id"]
    assert "the worst 5 of 60 slices" in found.sentence
    assert "worst of 60|seed=0" in found.signature


def test_a_slice_whose_rows_lie_in_one_half_is_left_out(frame):
    rare = frame.with_columns(rare=polars.when(polars.col("doc") == 0).then(1).otherwise(0))
    found = cb.slices(rare, worst=True)
    assert found.searched < 14 + 3 * 16 + 3 * 8
    assert found[0].where == {"one": "a", "two": "b"}


def test_numbers_are_those_of_the_other_half(frame, found):
    worst = found[0]
    rows = frame[worst.rows]
    assert ((rows["one"] == "a") & (rows["two"] == "b")).all()
    assert worst.score.value == cb.score(rows).value
    assert worst.p_value == cb.test(rows).p_value
    whole = ((frame["one"] == "a") & (frame["two"] == "b")).sum()
    assert 0.3 * whole < worst.rows.size < 0.7 * whole
    confirming = set(np.concatenate([frame[each.rows]["doc"].to_numpy() for each in found]))
    assert len(confirming) <= 60


def test_halves_share_no_group(frame):
    pairs = cb.read(frame).with_rows()
    first, second = halves(pairs, [], 0)
    assert sorted([*first, *second]) == list(range(len(pairs)))
    assert not set(pairs.group[first]) & set(pairs.group[second])
    assert np.unique(pairs.group[first]).size == 60


def test_neither_order_nor_names_matter(frame, found):
    names = np.random.default_rng(1).permutation(5000)[:120]
    moved = frame.with_columns(doc=polars.Series(names[frame["doc"].to_numpy()]))
    moved = moved.sample(fraction=1, shuffle=True, seed=3)
    again = cb.slices(moved, worst=True)
    assert [each.name for each in again] == [each.name for each in found]
    for one, other in zip(again, found, strict=True):
        assert one.n == other.n
        assert one.p_value == pytest.approx(other.p_value)


def test_without_groups(frame):
    found = cb.slices(frame, ["one", "two"], worst=True, group=False, interval=None)
    assert found[0].where == {"one": "a", "two": "b"}
    by = {"one": frame["one"], "two": frame["two"]}
    pairs = cb.read(frame, group=False)
    again = cb.slices(pairs, by, worst=True, interval=None)
    assert [each.name for each in again] == [each.name for each in found]


def test_calibrated_models_are_rarely_accused():
    alarms = [
        bool(cb.slices(made(800, 60, bad=False, seed=k), worst=True, interval=None).miscalibrated)
        for k in range(60)
    ]
    assert np.mean(alarms) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_refused(frame):
    few = frame.with_columns(doc=polars.col("doc") % 12)
    with pytest.raises(UnsupportedError, match="at least 20 groups"):
        cb.slices(few, worst=True)
    with pytest.raises(UnsupportedError, match="No slice is large enough"):
        cb.slices(frame.with_columns(doc=polars.col("doc") % 24)[:60], "one", worst=True)
    with pytest.raises(InputError, match="no columns to search"):
        cb.slices(frame.select("y", "q", "doc"), worst=True)
    with pytest.raises(InputError, match="different values"):
        cb.slices(frame, "id", worst=True)
    with pytest.raises(ParameterError, match="worst must be True or False"):
        cb.slices(frame, "one", worst="yes")
