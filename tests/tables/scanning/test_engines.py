"""Tables of engines: the same summary as that of a file with the same rows."""

import itertools
import shutil
import warnings

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.errors import FileError, InputError, UnsupportedError

pytestmark = [
    pytest.mark.engines,
    pytest.mark.filterwarnings("ignore"),  # of engines, about versions of each other
]
NAMES = ["duckdb", "dask", "ibis", "sqlframe", "spark"]
EDGES = [0.0, -0.0, 1.0, 0.5, 0.25, 1 / 3, 2.0**-128, 2.0**-64, 2.0**-8, 5e-324, 1e-310]
EDGES = [*EDGES, *np.nextafter(EDGES, 0.7), *(1 - np.array(EDGES))]


def library(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it imports
        return pytest.importorskip(name, reason=f"{name} is not installed")


def duckdb_table(path):
    return library("duckdb").connect().sql(f"SELECT * FROM read_parquet('{path}')")


def dask_table(path):
    library("dask")
    return library("dask.dataframe").read_parquet(path).repartition(npartitions=3)


def ibis_table(path):
    return library("ibis").duckdb.connect().read_parquet(path)


def sqlframe_table(path):
    return library("sqlframe.duckdb").DuckDBSession().read.parquet(str(path))


@pytest.fixture(scope="module")
def session():
    """A session of Spark on two threads."""
    sql = library("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed, which Spark needs")
    build = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    build = build.config("spark.sql.shuffle.partitions", 2).config("spark.log.level", "OFF")
    made = build.config("spark.ui.showConsoleProgress", False).getOrCreate()
    yield made
    made.stop()


TABLES = {
    "duckdb": duckdb_table,
    "dask": dask_table,
    "ibis": ibis_table,
    "sqlframe": sqlframe_table,
}


@pytest.fixture(params=NAMES)
def open_table(request):
    """A function that opens a Parquet file in an engine."""
    if request.param in TABLES:
        return TABLES[request.param]
    session = request.getfixturevalue("session")
    return lambda path: session.read.parquet(str(path))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file with predictions of all sizes, and groups of several kinds."""
    rng = np.random.default_rng(1)
    tiny = 2.0 ** -rng.integers(1, 135, 500).astype(float) * rng.random(500)
    q = np.concatenate([EDGES, tiny, 1 - tiny, rng.beta(0.3, 0.3, 6000)])
    frame = polars.DataFrame(
        {
            "y": (rng.random(q.size) < q).astype(np.int8),
            "q": q,
            "right": rng.random(q.size) < q,
            "single": q.astype(np.float32),
            "weight": rng.integers(1, 9, q.size),
            "few": rng.integers(-50, 50, q.size),
            "many": rng.integers(-(2**62), 2**62, q.size),
            "text": [f"dôc {k}" for k in rng.integers(0, 30, q.size)],
            "texts": [f"dôc {k}" for k in rng.integers(0, 9000, q.size)],
        }
    )
    place = tmp_path_factory.mktemp("engines") / "pairs.parquet"
    frame.write_parquet(place)
    return place


CASES = [
    {"group": False},
    {"group": False, "rows": 300},
    {"group": False, "q": "single", "y": "right"},
    {"group": False, "weight": "weight"},
    {"group": "few"},
    {"group": "few", "folds": 16},
    {"group": "many"},
    {"group": "text", "weight": "weight"},
    {"group": "texts"},
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_same_as_the_file(case, open_table, path):
    given = {"y": "y", "q": "q", "weight": False} | case
    expected, found = cb.scan(path, **given), cb.scan(open_table(path), **given)
    for name in ("y", "q", "weight", "group"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.folds == expected.folds
    for one, other in zip(found.row_moments(), expected.row_moments(), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


NAN = float("nan")
BAD = {
    "q": (
        [0.5, 1.3, 0.2, NAN],
        r"q must be a number in \[0, 1\].*\(2 of 4 rows are bad\)",
    ),
    "y": ([0, 1, -1, 1], r"y must be 0 or 1, but one is -1 \(the only bad one of 4 rows\)"),
    "weight": (
        [1.0, 2.5, NAN, 1e300],
        r"weight must be a whole number.*\(3 of 4 rows are bad",
    ),
}


def made(tmp_path, **columns):
    """A file of four pairs, some columns of which are given."""
    good = {"y": [0, 1, 1, 0], "q": [0.1, 0.9, 0.8, 0.2]}
    place = tmp_path / "made.parquet"
    polars.DataFrame(good | columns).write_parquet(place)
    return place


NEAR = {"q": [0.0, 0.25, 1.0], "y": [0.0, 1.0], "weight": [1.0, 2.0]}


@pytest.mark.parametrize("role", NEAR)
def test_nan_that_statistics_of_a_file_leave_out(role, open_table, tmp_path):
    """The least and greatest value of the column obey the rule, whatever they are."""
    for low, high in itertools.combinations_with_replacement(NEAR[role], 2):
        table = open_table(made(tmp_path, **{role: [low, high, NAN, low]}))
        with pytest.raises(FileError, match=rf"{role} must .* not a number \(the only bad"):
            cb.scan(table)


@pytest.mark.parametrize("role", ["q", "y", "weight"])
def test_bad_rows(role, open_table, tmp_path):
    values, message = BAD[role]
    table = open_table(made(tmp_path, **{role: values}))
    with pytest.raises(FileError, match=f"The table, column {role}: {message}"):
        cb.scan(table)


def test_missing_numbers(open_table, tmp_path):
    table = open_table(made(tmp_path, q=[0.5, None, None, 0.5], y=[1, 1, None, 0]))
    with pytest.raises(FileError, match=r"q must .* one is missing or not .* \(2 of 4 rows are"):
        cb.scan(table)


def test_advice(open_table, tmp_path):
    with pytest.raises(FileError, match="If these are percentages, divide them"):
        cb.scan(open_table(made(tmp_path, q=[10.0, 90.0, 35.0, 60.0])))


@pytest.mark.parametrize("folds", [None, 16])
def test_missing_groups(folds, open_table, tmp_path):
    table = open_table(made(tmp_path, doc=["a", "", "b", None]))
    with pytest.raises(FileError, match=r"column doc: group .* it is missing in 2 of 4 rows"):
        cb.scan(table, folds=folds)


def test_missing_numbers_of_groups(open_table, tmp_path):
    table = open_table(made(tmp_path, doc=[1, None, 2, 3]))
    with pytest.raises(FileError, match=r"column doc: group must|column doc: group .* integers"):
        cb.scan(table)


def test_empty(open_table, tmp_path):
    place = tmp_path / "empty.parquet"
    polars.DataFrame(
        {"y": [], "q": []}, schema={"y": polars.Int8, "q": polars.Float64}
    ).write_parquet(place)
    with pytest.raises(InputError, match="at least one pair, but the table is empty"):
        cb.scan(open_table(place))


def test_columns_of_other_types(open_table, tmp_path):
    table = open_table(made(tmp_path, q=["0.5"] * 4))
    with pytest.raises(FileError, match=r"q must be .* holds String values. Convert it"):
        cb.scan(table, q="q")
    table = open_table(made(tmp_path, doc=[0.5, 1.5, 2.5, 3.5]))
    with pytest.raises(FileError, match=r"group must hold integers .* holds Float64 values"):
        cb.scan(table)


def test_unknown_column(open_table, tmp_path):
    with pytest.raises(
        InputError, match=r"The table has no column 'p' for q. Its columns are: y, q"
    ):
        cb.scan(open_table(made(tmp_path)), q="p")


def test_columns_are_guessed_by_contents(open_table, tmp_path):
    place = tmp_path / "made.parquet"
    columns = {"gold": ["a"] * 3, "correct": [1, 0, 1], "prediction": [1, 0, 1]}
    polars.DataFrame(columns | {"confidence": [0.9, 0.2, 0.7]}).write_parquet(place)
    assert cb.scan(open_table(place)).q.tolist() == [0.2, 0.7, 0.9]


def test_draws(open_table, tmp_path):
    place = tmp_path / "draws.parquet"
    polars.DataFrame({"y": [1, 0], "yes": [3, 1], "draws": [5, 4]}).write_parquet(place)
    with pytest.raises(UnsupportedError, match="Shares of draws cannot be summed"):
        cb.scan(open_table(place))


def truncated(path, folder):
    """A folder of two parts, the second of which is cut short."""
    whole = path.read_bytes()
    (folder / "part-0.parquet").write_bytes(whole)
    (folder / "part-1.parquet").write_bytes(whole[: len(whole) // 2])
    return folder


def test_truncated_part_in_duckdb(path, tmp_path):
    duckdb = library("duckdb")
    parts = truncated(path, tmp_path)
    files = [str(parts / f"part-{part}.parquet") for part in (0, 1)]
    table = duckdb.connect().read_parquet(files)
    with pytest.raises(FileError, match=r"Duckdb could not sum .*part-1\.parquet"):
        cb.scan(table, y="y", q="q", weight=False, group=False)


def test_truncated_part_in_spark(path, tmp_path, session):
    table = session.read.schema("y tinyint, q double").parquet(str(truncated(path, tmp_path)))
    with pytest.raises(FileError, match=r"Pyspark could not sum .*part-1\.parquet"):
        cb.scan(table)
