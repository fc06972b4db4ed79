"""The table of counts: categories, warnings, differences, trends and bad input."""

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.errors import CalibrantError
from calibrant.pairs.tallies import Tallies


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    rows = cb.synthetic.sample_groups(100, size=12, seed=2)
    group = np.repeat(np.arange(100), 12)
    known = rng.random(1200) < 0.3
    return polars.DataFrame(
        {
            "id": np.arange(1200),
            "q": rows.q,
            "y": [int(y) if k else None for y, k in zip(rows.y, known, strict=True)],
            "doc": group,
            "date": [f"20{10 + each // 25}-{1 + each % 12:02d}-03" for each in group.tolist()],
            "genre": [("news", "web", "mail")[each % 3] for each in group.tolist()],
            "truth": rows.y,
        }
    )


def test_categories_add_up(frame):
    found = cb.count(frame, by="genre", labels="random")
    assert [each.name for each in found] == ["mail", "news", "web", "total"]
    for name in ("asked", "naive", "expected", "labels"):
        assert sum(getattr(e, name) for e in found.categories) == pytest.approx(
            getattr(found.total, name)
        )
    assert sum(each.count for each in found.categories) == pytest.approx(found.total.count)


@pytest.mark.parametrize(
    ("by", "first", "many"),
    [
        ("year", "2010", 4),
        ("quarter", "2010-Q1", 16),
        ("month", "2010-01", 48),
        ("day", "2010-", 48),
    ],
)
def test_periods(frame, by, first, many):
    found = cb.count(frame, by=f"date:{by}", y=False)
    assert len(found.categories) == many
    assert found.categories[0].name.startswith(first)
    assert len(found.times) == many


def test_dates_of_other_kinds(frame):
    texts = frame["date"]
    for dates in (texts.str.to_date(), texts.str.to_datetime(), texts + "T12:30:00"):
        found = cb.count(frame.with_columns(dates.alias("date")), by="date:year", y=False)
        assert [each.name for each in found.categories] == ["2010", "2011", "2012", "2013"]


def test_a_column_named_like_a_period_is_no_period(frame):
    found = cb.count(frame.rename({"genre": "month"}), by="month", y=False)
    assert [each.name for each in found.categories] == ["mail", "news", "web"]
    assert found.times == ()


def test_differences_know_that_rows_share_their_labels(frame):
    found = cb.count(frame, by="genre", elsewhere=cb.synthetic.calibrated(300, seed=3))
    one = found.difference("news", "web")
    apart = np.hypot(*(found[name].high - found[name].low for name in ("news", "web")))
    assert one.value == pytest.approx(found["news"].share - found["web"].share)
    assert one.high - one.low < 0.8 * apart  # a map that is wrong is wrong about both
    turned = found.difference("web", "news")
    assert (turned.low, turned.high) == pytest.approx((-one.high, -one.low))


def test_a_trend_is_the_weighted_regression_line(frame):
    found = cb.count(frame, by="date:year", labels="random rows")
    years = np.arange(4)
    weight = np.array([each.asked for each in found.categories])
    share = [each.share for each in found.categories]
    slope = np.polyfit(years, share, 1, w=np.sqrt(weight))[0]
    trend = found.trend()
    assert trend.value == pytest.approx(slope)
    assert trend.low < trend.value < trend.high


def test_labels_that_look_chosen_are_told(frame):
    sure = (frame["q"] - 0.5).abs() > 0.35
    chosen = frame.with_columns(polars.when(sure).then("truth").alias("y"))
    found = cb.count(chosen, labels="random")
    assert any("look chosen" in each for each in found.warnings)
    assert not any("look chosen" in each for each in cb.count(frame, labels="random").warnings)


def test_labels_tell_whether_the_model_is_trusted(frame):
    bad = frame.with_columns((polars.col("q") ** 3).alias("q"))
    found = cb.count(bad, estimator="posterior")
    assert found.total.calibration == "rejected"
    assert any("contradict" in each for each in found.warnings)
    few = frame.with_columns(polars.when(polars.col("id") < 12).then("y").alias("y"))
    assert cb.count(few, estimator="posterior").total.calibration == "cannot tell"
    assert any("no labels" in each for each in cb.count(frame, y=False).warnings)


def test_a_category_without_labels_is_left_open(frame):
    some = frame.with_columns(polars.when(polars.col("genre") != "web").then("y").alias("y"))
    found = cb.count(some, by="genre", labels="random rows")
    assert found["web"].share is None
    assert any("web cannot be estimated" in each for each in found.warnings)
    with pytest.raises(CalibrantError, match="too few labels"):
        found.difference("news", "web")


def test_labels_in_a_table_of_their_own(frame):
    gold = (
        frame.filter(polars.col("y").is_not_null())
        .select("id", "y")
        .sample(fraction=1, shuffle=True, seed=1)
    )
    found = cb.count(frame.drop("y"), gold=gold, key="id", labels="random", group="doc")
    assert found.to_frame().equals(cb.count(frame, labels="random", group="doc").to_frame())
    with pytest.raises(CalibrantError, match="id=9999 is labelled, but"):
        cb.count(frame, gold=polars.DataFrame({"id": [9999, 1], "y": [0, 1]}), key="id")
    with pytest.raises(CalibrantError, match="more than once"):
        cb.count(frame, gold=polars.DataFrame({"id": [1, 1], "y": [0, 1]}), key="id")
    with pytest.raises(CalibrantError, match="do not tell all its rows apart"):
        cb.count(frame, gold=gold.rename({"id": "doc"}), key="doc")


def test_a_posterior_with_a_query():
    labels = cb.Labels([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], classes=["no", "yes"])
    found = cb.count(labels, "LabelIs('yes')", columns={"year": [1, 1, 2]}, by="year")
    assert [each.expected for each in found] == pytest.approx([0.7, 0.8, 1.5])
    assert found.total.naive == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Were they drawn at random"),
        ({"labels": "chosen"}, "must be one of"),
        ({"estimator": "best"}, "must be one of"),
        ({"by": "date:decade", "y": False}, "after the colon"),
        ({"by": "genre:month", "y": False}, "must hold dates"),
        ({"by": "gender", "y": False}, "no column 'gender'"),
        ({"labels": "random", "estimator": "posterior"}, "for the estimator rectified"),
        ({"target": "world", "y": False}, "collection or population"),
        ({"query": "TopLabel", "y": False}, "about a posterior"),
        ({"label_weight": "q"}, "at least 1"),
        ({"labels": "random", "y": False}, "no row has a label"),
    ],
)
def test_bad_input_is_told(frame, options, words):
    with pytest.raises(CalibrantError, match=words):
        cb.count(frame, **options)


def test_one_group_of_labels_is_refused(frame):
    one = frame.with_columns(polars.when(polars.col("doc") == 7).then("truth").alias("y"))
    with pytest.raises(CalibrantError, match="one group"):
        cb.count(one, labels="random groups")


def test_the_number_of_units_of_a_population_is_not_counted(frame):
    found = cb.count(frame, labels="random", target="population", by="genre")
    assert found.total.count is None
    collection = cb.count(frame, labels="random", by="genre")
    assert found.total.high - found.total.low > collection.total.high - collection.total.low


def test_structures_have_limits_too():
    pmf = [[0.2, 0.5, 0.3], [0.6, 0.4], [0.1, 0.1, 0.8]] * 30
    found = cb.count(Tallies(pmf=pmf, asked=[2, 1, 2] * 30)).total
    assert found.count == pytest.approx(30 * (1.1 + 0.4 + 1.7))
    assert found.count_low < found.count < found.count_high


def test_summaries_have_no_rows_to_count(frame, tmp_path):
    from calibrant.tables.summaries import write_summary

    path = tmp_path / "summary.parquet"
    write_summary(cb.Pairs(frame["truth"], frame["q"]).compress(8), path, "a frame")
    with pytest.raises(CalibrantError, match="is a summary"):
        cb.count(path)
