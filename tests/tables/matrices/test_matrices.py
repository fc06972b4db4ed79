"""Probabilities of classes from tables and .npz files."""

import io

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.errors import FileError, InputError
from calibrant.tables.matrices import ClassColumns, classes_from_file

MATRIX = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.25, 0.5, 0.25], [0.2, 0.2, 0.6]])
NAMES = ["noun", "verb", "other"]
GOLD = ["noun", "other", "verb", "other"]
ALL = ClassColumns(["prob_*"])


def frame(matrix=MATRIX, gold=GOLD, **more):
    columns = {f"prob_{name}": column for name, column in zip(NAMES, matrix.T, strict=True)}
    return polars.DataFrame({**columns, "label": gold, **more})


def write(path, table):
    writers = {
        ".csv": table.write_csv,
        ".parquet": table.write_parquet,
        ".jsonl": table.write_ndjson,
    }
    writers[path.suffix](path)
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_columns_of_tables(tmp_path, ending):
    path = write(tmp_path / f"a.{ending}", frame(doc=[1, 1, 2, 2]))
    notes = []
    found = classes_from_file(path, ALL, note=notes.append)
    np.testing.assert_array_equal(found.probabilities, MATRIX)
    assert found.classes == tuple(NAMES)
    assert found.gold.tolist() == GOLD
    assert [str(each) for each in found.group] == ["1", "1", "2", "2"]
    assert notes == [f"{path}: 3 classes (noun, verb, other), gold=label, group=doc"]
    assert classes_from_file(path, ALL._replace(group=False)).group is None


def test_classes_are_what_the_star_stands_for(tmp_path):
    path = write(tmp_path / "a.csv", frame())
    for columns in (["prob_*"], ["prob_*", "prob_nou*"]):
        assert list(classes_from_file(path, ClassColumns(columns)).classes) == NAMES
    plain = frame().rename({f"prob_{name}": name for name in NAMES})
    path = write(tmp_path / "b.csv", plain)
    found = classes_from_file(path, ClassColumns(["other", "[nv]*"]))  # no single *: whole names
    assert found.classes == ("other", "noun", "verb")
    np.testing.assert_array_equal(found.probabilities, MATRIX[:, [2, 0, 1]])


def test_numbers_may_name_classes(tmp_path):
    for ending in ("csv", "parquet"):
        table = polars.DataFrame({"p0": [0.5, 0.2], "p1": [0.5, 0.8], "gold": [0, 1]})
        found = classes_from_file(write(tmp_path / f"a.{ending}", table), ClassColumns(["p*"]))
        assert found.classes == ("0", "1")
        assert cb.Labels(found.probabilities, found.classes).codes(found.gold).tolist() == [0, 1]


def test_rounded_rows_are_divided_by_their_sums(tmp_path):
    matrix = np.round(np.random.default_rng(1).dirichlet([1, 1, 1], 4), 3)
    matrix[0] = [0.333, 0.333, 0.333]
    notes = []
    found = classes_from_file(write(tmp_path / "a.csv", frame(matrix)), ALL, note=notes.append)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1, atol=1e-15)
    np.testing.assert_allclose(found.probabilities, matrix, atol=1e-3)
    assert "rows sum to 1 ± 0.001, so they are divided by their sums" in notes[0]


def changed(row, column, value):
    """The table as text, with one cell replaced."""
    rows = [line.split(",") for line in frame().write_csv().splitlines()]
    rows[row][column] = value
    return "\n".join(map(",".join, rows)) + "\n"


WRONG = {
    "missing": (changed(2, 1, ""), "line 3, column prob_verb: probability must be a number in"),
    "text": (changed(2, 1, "many"), "line 3, column prob_verb: .* but it is 'many'"),
    "NaN": (changed(3, 0, "NaN"), "line 4, column prob_noun: .* but it is 'NaN'"),
    "logit": (changed(1, 0, "-2.5"), "line 2, column prob_noun: .*'-2.5'.*apply softmax"),
    "sum": (
        changed(4, 2, "0.9"),
        r"line 5: the probabilities of all classes must sum to 1, .*1\.3\.",
    ),
    "no gold": (changed(2, 3, ""), "line 3, column label: gold must be a label, but it is missing"),
    "unknown gold": (
        changed(2, 3, "nuon"),
        "line 3, column label: gold must be one of the classes noun, verb, other, but it is "
        "'nuon'. The nearest is 'noun'.",
    ),
    "no rows": ("prob_a,prob_b,label\n", "column names but no rows"),
    "one class": ("prob_a,label\n1,a\n", "at least two classes, but only 'prob_a' fits"),
    "no such columns": ("x,y\n1,0\n", r"no column 'prob_\*'. Its columns are: x, y"),
    "no true class": ("prob_a,prob_b,what\n1,0,a\n", "true class. Name it with gold=COLUMN"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_tables(tmp_path, case):
    text, message = WRONG[case]
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        classes_from_file(tmp_path / "a.csv", ALL)
    assert str(tmp_path / "a.csv") in str(caught.value)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (ClassColumns(), "name the columns of probabilities, such as columns=prob_"),
        (ALL._replace(gold="gold"), "no column 'gold'"),
        (ALL._replace(group="doc"), "no column 'doc'"),
        (ALL._replace(gold="prob_verb"), "cannot be both a class and the true class"),
        (ClassColumns(["prob_noun", "prob_verb"]), "must sum to 1"),
    ],
)
def test_bad_choices(tmp_path, wanted, message):
    path = write(tmp_path / "a.csv", frame())
    with pytest.raises(InputError, match=message):
        classes_from_file(path, wanted)


def save(path, **arrays):
    np.savez(path, **arrays)
    return path


def test_arrays(tmp_path):
    path = save(
        tmp_path / "a.npz", probabilities=MATRIX, labels=NAMES, gold=GOLD, group=[1, 1, 2, 2]
    )
    found = classes_from_file(path, ClassColumns())
    np.testing.assert_array_equal(found.probabilities, MATRIX)
    assert found.classes == tuple(NAMES)
    assert found.gold.tolist() == GOLD
    assert found.group.tolist() == [1, 1, 2, 2]
    assert classes_from_file(path, ClassColumns(group=False)).group is None
    short = save(tmp_path / "b.npz", q=MATRIX.astype(np.float32), y=[0, 2, 1, 2.0])
    found = classes_from_file(short, ClassColumns())
    assert found.classes == (0, 1, 2)
    assert found.gold.tolist() == [0, 2, 1, 2]
    other = save(tmp_path / "c.npz", q=MATRIX, truth=[0, 2, 1, 2], doc=[1, 2, 3, 4])
    found = classes_from_file(other, ClassColumns(gold="truth", group="doc"))
    assert found.group.tolist() == [1, 2, 3, 4]


ARRAYS = {
    "no matrix": ({"p": MATRIX, "y": [0]}, "no array 'probabilities' or 'q'. Its arrays are: p, y"),
    "no gold": ({"q": MATRIX}, "no array 'gold' or 'y'"),
    "vector": ({"q": MATRIX[0], "y": [0]}, r"must be a matrix of numbers .* shape \(3,\)"),
    "one column": ({"q": np.ones((2, 1)), "y": [0, 0]}, "at least two classes"),
    "text": ({"q": MATRIX.astype(str), "y": [0]}, "must be a matrix of numbers"),
    "lengths": ({"q": MATRIX, "y": [0, 1]}, "one label for each of 4 rows"),
    "labels": ({"q": MATRIX, "y": [0] * 4, "labels": ["a"]}, "3 columns, but 1 labels"),
    "twice": ({"q": MATRIX, "y": [0] * 4, "labels": ["a", "a", "b"]}, "labels must differ"),
    "unknown": ({"q": MATRIX, "y": [0, 1, 3, 3]}, r"row 3: gold must be .* is 3 \(2 of 4 rows"),
    "fractions": ({"q": MATRIX, "y": [0, 0.5, 1, 1]}, "whole numbers or strings"),
    "logits": ({"q": np.log(MATRIX), "y": [0] * 4}, r"row 1, column 0: .*is -0\.35.*apply softmax"),
    "NaN": ({"q": np.where(MATRIX == 0.5, np.nan, MATRIX), "y": [0] * 4}, "row 3, column 1: .*nan"),
    "sums": ({"q": MATRIX * 0.9, "y": [0] * 4}, "row 1: the probabilities of all classes must sum"),
    "group": ({"q": MATRIX, "y": [0] * 4, "group": [1]}, "group must have one label"),
    "objects": ({"q": MATRIX, "y": np.array([None] * 4)}, "numbers or strings"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_bad_arrays(tmp_path, case):
    arrays, message = ARRAYS[case]
    path = save(tmp_path / "a.npz", **arrays)
    with pytest.raises(FileError, match=message) as caught:
        classes_from_file(path, ClassColumns())
    assert str(path) in str(caught.value)


def test_files_that_are_not_arrays(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(FileError, match=r"damaged|cannot be read"):
        classes_from_file(path, ClassColumns())
    buffer = io.BytesIO()
    np.save(buffer, MATRIX)
    path.write_bytes(buffer.getvalue())
    with pytest.raises(FileError, match=r"one array: save it with numpy\.savez"):
        classes_from_file(path, ClassColumns())
    with pytest.raises(InputError, match="holds arrays, not columns"):
        classes_from_file(path, ALL)
