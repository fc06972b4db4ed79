"""Counts of a posterior against the truth: coverage of intervals, and errors of best guesses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.counting import Wanted, count_tallies
from calibrant.calibration.counting.counts import Counts
from calibrant.calibration.counting.sums import beliefs_by_category, limits_of_sums
from calibrant.pairs.tallies import Tallies
from calibrant.studies.pipelines.plan import PipelinesPlan

Float = NDArray[np.float64]
SLACK = 1e-9  # rounding of shares times numbers of questions


@dataclass(frozen=True, eq=False)
class Case:
    """Tallies of something, with gold, and the columns to count by."""

    trained: str  # what the model was trained on
    what: str
    tallies: Tallies
    units: Sequence[str]  # names of columns of the tallies


class CountRow(NamedTuple):
    """What a model and its best guesses say about one number, and the truth."""

    trained: str
    what: str
    by: str
    name: str
    gold: float
    naive: float
    expected: float
    low: float
    high: float

    @property
    def covered(self) -> bool:
        """Whether the interval has the truth in it."""
        return self.low - SLACK <= self.gold <= self.high + SLACK


class CoverageRow(NamedTuple):
    """How often intervals have the truth in them, and how far off estimates are."""

    trained: str
    what: str
    by: str
    numbers: int  # how many numbers
    gold: float  # the sum of the true numbers
    covered: float  # share of the posterior's intervals with the truth in them
    width: float  # mean
    naive_bias: float  # relative error of the sum
    bias: float
    naive_error: float  # mean absolute error
    error: float


def count_rows(case: Case, by: str, level: float) -> list[CountRow]:
    """The posterior's own intervals of the numbers of one column, without labels."""
    tallies = case.tallies
    names, code = np.unique(np.asarray(tallies.by[by]), return_inverse=True)
    beliefs = beliefs_by_category(tallies, code, names.size).with_total()
    low, high = limits_of_sums(tallies, code, beliefs, level)
    gold = np.bincount(code, tallies.gold)
    columns = gold, beliefs.best, beliefs.expected, low, high
    return [
        CountRow(case.trained, case.what, by, str(name), *(float(each[k]) for each in columns))
        for k, name in enumerate(names)
        if name != ""
    ]


def coverage_row(rows: Sequence[CountRow]) -> CoverageRow:
    """Summarise the rows of one case and column."""
    gold, naive, expected = (
        np.array([getattr(row, name) for row in rows]) for name in ("gold", "naive", "expected")
    )
    total = max(gold.sum(), 1.0)
    return CoverageRow(
        rows[0].trained,
        rows[0].what,
        rows[0].by,
        len(rows),
        float(gold.sum()),
        float(np.mean([row.covered for row in rows])),
        float(np.mean([row.high - row.low for row in rows])),
        float((naive - gold).sum() / total),
        float((expected - gold).sum() / total),
        float(np.abs(naive - gold).mean()),
        float(np.abs(expected - gold).mean()),
    )


class RectifiedRow(NamedTuple):
    """Counts rectified by labels of some documents, over many drawings of them."""

    trained: str
    what: str
    labelled: int
    documents: int
    gold: float
    covered: float
    width: float
    error: float  # root mean square
    bias: float
    posterior_error: float  # of the posterior without labels
    naive_error: float


def rectified_row(plan: PipelinesPlan, case: Case, share: float) -> RectifiedRow:
    """Label so many documents at random, again and again, and count all of them together."""
    tallies = case.tallies
    assert tallies.codes is not None
    many = int(tallies.codes.max()) + 1
    labelled = max(2, round(share * many))
    gold = float(tallies.gold.sum())
    found = [each.total for each in _drawn(plan, tallies, many, labelled)]
    count = np.array([np.nan if each.count is None else each.count for each in found])
    low = np.array([np.nan if each.count_low is None else each.count_low for each in found])
    high = np.array([np.nan if each.count_high is None else each.count_high for each in found])
    return RectifiedRow(
        case.trained,
        case.what,
        labelled,
        many,
        gold,
        float(np.mean((low - SLACK <= gold) & (gold <= high + SLACK))),
        float(np.mean(high - low)),
        float(np.sqrt(np.mean((count - gold) ** 2))),
        float(np.mean(count - gold)),
        abs(float(tallies.expected.sum()) - gold),
        abs(float(tallies.best.sum()) - gold),
    )


def _drawn(plan: PipelinesPlan, tallies: Tallies, many: int, labelled: int) -> Iterator[Counts]:
    generator = np.random.default_rng(1)
    wanted = Wanted(labels="random groups", estimator="rectified", level=plan.level)
    for _ in range(plan.draws):
        chosen = generator.permutation(many)[:labelled]
        known = np.isin(np.asarray(tallies.codes), chosen)
        yield count_tallies(tallies.with_gold(np.where(known, tallies.gold, np.nan)), wanted)


def columns_of(names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Columns as arrays of text."""
    return {name: np.asarray(values, dtype=str) for name, values in names.items()}
