import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_logs import option_row

import calibrant as cb
from calibrant.errors import FileError
from calibrant.structures.evals.reading.json_files import Place
from calibrant.structures.evals.reading.lm_eval_lines import Choice, Other, sample_of

LOGLIK = st.floats(-50, 0) | st.just(float("-inf")) | st.just(float("nan"))
TARGETS = st.sampled_from(["0", "2", "9", "-1", "[0, 1]", "[0, 9]", "three", "[", "five ", "no", 1])
ROWS = st.lists(st.tuples(st.lists(LOGLIK, min_size=1, max_size=4), TARGETS), min_size=1)


def in_another_shape(row):
    """The same line with requests as lists, as other versions of the harness write them."""
    listed = [[each["arg_0"], each["arg_1"]] for each in row["arguments"].values()]
    return row | {"arguments": listed}


@given(ROWS)
def test_the_usual_line_is_read_as_any_other(tmp_path_factory, rows):
    made = [option_row(k, loglik, gold, acc=1.0) for k, (loglik, gold) in enumerate(rows)]
    folder = tmp_path_factory.mktemp("logs")
    frames = []
    for name, lines in (("a", made), ("b", map(in_another_shape, made))):
        path = folder / name / "samples_toy_2026-01-02T03-04-05.jsonl"
        path.parent.mkdir()
        path.write_bytes(b"".join(encoded(row) + b"\n" for row in lines))
        frames.append(cb.read_evals(path).frame)
    assert frames[0].equals(frames[1])


def encoded(row):
    return json.dumps(row).encode()


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({}, Choice),
        ({"resps": []}, Other),
        ({"resps": [["yes"]], "filtered_resps": ["yes"]}, Other),
        ({"filtered_resps": [[-1.5, False], [-2, False]]}, Other),
        ({"arguments": None}, Other),
        ({"doc_id": "x", "row": 7, "name": "y"}, Choice),
    ],
)
def test_which_lines_are_usual(change, kind):
    row = option_row(0, [-1.0, -0.5], "1", acc=1.0) | change
    assert type(sample_of(encoded(row), Place("log", 1))) is kind


LINE = encoded(option_row(0, [-1.0, -0.5], "1", acc=1.0, note={"unneeded": ["text", 1.5, True]}))


@given(st.integers(0, len(LINE) - 1), st.integers(0, 255))
def test_damage_is_seen_in_fields_that_are_not_needed(where, byte):
    """The fast decoder passes over them, but a damaged line must not be read."""
    line = LINE[:where] + bytes([byte]) + LINE[where + 1 :]
    try:
        json.loads(line.decode())
    except ValueError:
        with pytest.raises(FileError, match="log, line 1: not JSON"):
            sample_of(line, Place("log", 1))
