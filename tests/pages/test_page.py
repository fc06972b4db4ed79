import base64
import hashlib
import json
import re

import numpy as np
import polars
import pytest
from made_pages import HOSTILE, hostile_predictions, made_predictions

import calibrant as cb


def data_of(page):
    """The data block of a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page.html, re.S)[1])


@pytest.fixture(scope="module")
def page():
    return cb.report(made_predictions(), title="Made")


def test_numbers_are_those_of_the_verbs(page):
    pairs = cb.read(made_predictions())
    (model,) = page.findings.models
    assert [str(each) for each in model.scores] == [
        str(cb.score(pairs, name)) for name in ("CalibScore", "Brier", "LogLoss")
    ]
    assert str(model.tests[0]) == str(cb.test(pairs))
    assert str(model.description) == str(cb.describe(pairs))
    assert str(model.decomposition) == str(cb.decompose(pairs))
    for each in model.scores:
        assert each.interval in page.html


@pytest.mark.parametrize("unit", [1, 2.0**-40])
def test_weights_are_those_of_the_pairs(page, unit):
    frame = made_predictions()
    weighted = frame.with_columns(weight=(np.arange(frame.height) % 4 + 1) * unit)
    (model,) = data_of(cb.report(weighted))["models"]
    pairs = cb.read(weighted)
    assert sum(model["count"]) == frame.height
    assert sum(model["weight"]) == pytest.approx(pairs.n)
    assert sum(model["positive"]) == pytest.approx(pairs.mean(pairs.y) * pairs.n)
    assert sum(model["total"]) == pytest.approx(pairs.mean(pairs.q) * pairs.n)
    assert "weight" not in data_of(page)["models"][0]


def test_the_same_bytes_for_the_same_input(page):
    assert cb.report(made_predictions(), title="Made").html == page.html


def test_the_policy_allows_this_script_and_style_alone(page):
    for name in ("script", "style"):
        body = re.search(rf"<{name}>(.*?)</{name}>", page.html, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in page.html.replace("&#x27;", "'")
    assert not re.search(r"\son\w+=|\sstyle=|https?://(?!www\.w3\.org/2000/svg)", page.html)


def test_every_row_that_is_shown_is_a_row(page):
    frame, data = made_predictions(), data_of(page)
    (model,), (table,) = data["models"], data["tables"]
    assert table["columns"] == ["text", "genre"]
    entries = [each for cell in model["surprising"] + model["random"] for each in cell]
    for number, y, q, _ in entries:
        place, group, values = table["rows"][number]
        row = frame.row(int(place.removeprefix("row ")), named=True)
        assert (row["y"], row["q"], row["doc"]) == (y, q, group)
        assert "".join(part for part, _ in values[0]) == row["text"]
        assert values[0][1] == [row["text"][4:7], 1]
    assert sum(model["count"]) == frame.height
    assert sum(model["positive"]) == frame["y"].sum()


@pytest.mark.parametrize("limit", [80_000, 100_000, 200_000])
def test_limits(limit):
    page = cb.report(made_predictions(3000), limit=limit)
    assert len(page.html.encode()) <= limit
    kept = data_of(page)["models"][0]["kept"]
    assert f"the {kept} most surprising rows" in page.html


def test_a_page_without_room_for_examples():
    with pytest.warns(cb.CalibrantWarning, match=r"takes \d+ bytes without any examples, more"):
        page = cb.report(made_predictions(3000), limit=30_000)
    assert len(page.html.encode()) > 30_000
    assert "The page takes at most" not in page.html
    assert "There are no examples: not even one" in page.html
    assert not data_of(page)["models"][0]["examples"]


def test_hostile_texts_are_data():
    page = cb.report(hostile_predictions(), title=HOSTILE[0], show=["text", "genre"])
    assert page.html.count("<script") == 2
    assert page.html.lower().count("</script") == 2
    assert "<img" not in page.html
    assert not re.search("[\x00\u2028\u2029\u202a-\u202e\u2066-\u2069]", page.html)
    values = data_of(page)["tables"][0]["rows"]
    texts = {"".join(part for part, _ in row[2][0]) for row in values}
    assert HOSTILE[0] in texts
    assert "nul \\x00 and bell \\x07" in texts


def test_a_text_of_ten_megabytes():
    frame = made_predictions().with_columns(
        text=polars.Series(["x" * 10_000_000, *made_predictions()["text"][1:]])
    )
    assert len(cb.report(frame).html.encode()) < 1_000_000


def test_without_text():
    page = cb.report(made_predictions(), text=False)
    assert data_of(page)["tables"][0]["columns"] == []
    assert "ant bee" not in page.html


def test_several_models_share_their_rows():
    frame = made_predictions()
    models = {"a": frame, "b": frame.with_columns(q=frame["q"] ** 2)}
    page = cb.report(models)
    assert page.findings.comparison is not None
    assert page.findings.comparison.sentence in page.html
    assert str(page.findings.comparison) == str(
        cb.compare({name: cb.read(each) for name, each in models.items()})
    )


def test_models_on_other_questions_are_not_compared():
    frame = made_predictions()
    page = cb.report({"a": frame, "b": frame.head(100)})
    assert "The models are not compared. a has 600 rows and b has 100" in page.html


def test_pairs_without_columns():
    page = cb.report(cb.Pairs(*made_predictions().select("y", "q")))
    assert data_of(page)["tables"][0]["rows"][0][1] is None


def test_compressed_pairs_have_no_examples():
    page = cb.report(cb.read(made_predictions()).compress(8))
    assert "the pairs are a summary, which holds no single rows" in page.html


def test_draws():
    frame = polars.DataFrame({"y": [0, 1] * 60, "yes": [2, 7] * 60, "draws": [10] * 120})
    page = cb.report(frame)
    assert sum(data_of(page)["models"][0]["count"]) == 120


@pytest.mark.parametrize(
    ("y", "q"),
    [
        ([1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]),
        ([0, 1, 0, 1] * 5, [0, 1, 0, 1] * 5),
        ([0], [0.5]),
        ([0, 1] * 50, np.linspace(0.1, 0.9, 100)),
    ],
)
def test_odd_pairs(y, q):
    """Whatever cannot be computed is left out, with the reason on the page."""
    page = cb.report(cb.Pairs(y, q))
    for reason in page.findings.models[0].missing:
        assert reason.split(":")[0].replace("'", "&#x27;")[:30] in page.html.replace("&lt;", "<")


def test_one_group_has_no_intervals():
    frame = made_predictions().with_columns(doc=polars.lit("one"))
    page = cb.report(frame)
    assert page.findings.models[0].scores[0].low is None


def test_slices_are_those_of_the_verb():
    frame = made_predictions(1200)
    page = cb.report(frame, by="genre")
    wanted = cb.slices(frame, "genre")
    (model,) = page.findings.models
    assert str(model.slices) == str(wanted)
    assert wanted.sentence.split(".")[0] in page.html
    drawn = data_of(page)["models"][0]["slices"]
    assert [bool(path) for path in drawn] == [each.tested for each in wanted]


def test_what_recalibration_would_gain_is_that_of_the_verb(page):
    frame = made_predictions(2000)
    found = cb.report(frame, recalibrate=True)
    (model,) = found.findings.models
    wanted = cb.recalibrate(frame)
    assert str(model.recalibration) == str(wanted)
    assert f"Recalibration by {wanted.method}" in found.html
    assert wanted.sentence in found.html
    assert "Recalibration" not in page.html


def test_pairs_cannot_be_sliced():
    with pytest.raises(cb.errors.InputError, match="no columns to slice by: leave by out"):
        cb.report(cb.Pairs([0, 1], [0.2, 0.7]), by="genre")


def test_notebooks_show_the_page_in_a_sandbox(page):
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!DOCTYPE html&gt;')
    assert shown.count("<") == 2  # of the frame itself
    assert repr(page).startswith("<Report on pairs: ")


def test_saved_whole(page, tmp_path):
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html


def test_calling_twice():
    """The verb is not hidden by the package that makes pages."""
    frame = made_predictions(200)
    cb.report(frame)
    assert callable(cb.report)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ([1, 2], {}, "Pairs, a data frame, a path or attempts"),
        (made_predictions(50), {"show": ["txt"]}, "Did you mean text?"),
        (made_predictions(50), {"limit": 0}, "limit must be"),
        (made_predictions(50), {"level": 95}, "level must"),
        (made_predictions(50), {"scores": []}, "at least one score"),
        ({}, {}, "at least one model"),
    ],
)
def test_bad_input(source, options, message):
    with pytest.raises(cb.CalibrantError, match=re.escape(message)):
        cb.report(source, **options)
