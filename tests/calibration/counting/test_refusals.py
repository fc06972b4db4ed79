"""What counts refuse, and in which words."""

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.errors import InputError, ParameterError


def frame(n=1200, seed=0):
    """Documents of twelve rows with kinds and dates; a part of the labels is known."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.8, 0.8, n)
    y = (rng.random(n) < 0.8 * q).astype(float)
    known = rng.random(n) < 0.15
    return polars.DataFrame(
        {
            "doc": np.arange(n) // 12,
            "kind": rng.choice(["a", "b", "c"], n),
            "date": [f"{2018 + k // 300}-{1 + k % 12:02d}-05" for k in range(n)],
            "q": q,
            "y": polars.Series(np.where(known, y, np.nan)).fill_nan(None),
        }
    )


def test_missing_dates_are_no_period_of_a_trend():
    table = frame()
    gaps = table.with_columns(
        date=polars.when(polars.col("doc") % 6 > 0).then("date"),
    )
    how = {"by": "date:year", "labels": "random rows", "group": "doc"}
    found = cb.count(gaps, **how).trend()
    assert found.name == "trend per year, without (missing)"
    without = cb.count(gaps.filter(polars.col("date").is_not_null()), **how).trend()
    assert found.value == pytest.approx(without.value, rel=0.2)


def test_weights_that_do_not_add_up_to_the_rows_are_refused():
    table = frame()
    known = table["y"].is_not_null()
    scaled = table.with_columns(label_weight=polars.when(known).then(1.0))
    with pytest.raises(InputError, match="number of rows, 1200, but these add up to"):
        cb.count(scaled, group="doc")
    right = table.with_columns(label_weight=polars.when(known).then(1200 / known.sum()))
    assert cb.count(right, group="doc").total.low is not None


def test_labels_are_drawn_in_one_way():
    table = frame()
    weighted = table.with_columns(label_weight=polars.when(polars.col("y").is_not_null()).then(7.0))
    with pytest.raises(ParameterError, match="has a column 'label_weight': leave one out"):
        cb.count(weighted, group="doc", labels="random")
    pairs = cb.Pairs(np.ones(20), np.full(20, 0.5))
    with pytest.raises(ParameterError, match="label_weight is given: leave one out"):
        cb.count(pairs, labels="random", label_weight=np.ones(20))


def test_options_that_have_no_effect():
    with pytest.raises(ParameterError, match="within is for labels from elsewhere"):
        cb.count(frame(), group="doc", labels="random", within="kind")
    with pytest.raises(ParameterError, match="key is for labels in a table of their own"):
        cb.count(frame(), group="doc", labels="random", key="doc")


def test_a_map_needs_labels_of_several_groups():
    table = frame()
    one = frame(seed=1).with_columns(doc=polars.lit(0), y=(polars.col("q") > 0.4).cast(float))
    with pytest.raises(InputError, match="belong to one group"):
        cb.count(table.drop("y"), group="doc", elsewhere=one)


def test_the_category_without_labels_is_named():
    there = frame(seed=1).with_columns(
        y=polars.when(polars.col("kind") != "c").then((polars.col("q") > 0.4).cast(float))
    )
    with pytest.raises(InputError, match="kind = 'c': There are no labels"):
        cb.count(frame().drop("y"), group="doc", elsewhere=there, within="kind")


def test_differences_of_nothing():
    found = cb.count(frame(), group="doc", labels="random rows", by="kind")
    with pytest.raises(InputError, match="two categories, but both are 'a'"):
        found.difference("a", "a")
    one = frame().with_columns(
        y=polars.when((polars.col("kind") != "c") | (polars.int_range(polars.len()) < 0)).then("y")
    )
    first = int(np.flatnonzero((one["kind"] == "c").to_numpy())[0])
    y = one["y"].to_list()
    y[first] = 1.0
    single = cb.count(
        one.with_columns(y=polars.Series(y)), group="doc", labels="random rows", by="kind"
    )
    with pytest.raises(InputError, match="'c' has a single label"):
        single.difference("a", "c")
