"""Counts of a posterior against the truth: coverage of intervals, and errors of best guesses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.beside_truth import SLACK, BesideTruth, beside_truth
from calibrant.calibration.counting.counting import Wanted, count_tallies
from calibrant.calibration.counting.counts import Counts
from calibrant.pairs.tallies import Tallies
from calibrant.studies.pipelines.plan import PipelinesPlan

Float = NDArray[np.float64]


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
    found: BesideTruth


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
    naive_error: float  # root mean square
    error: float


def count_rows(case: Case, by: str, level: float) -> list[CountRow]:
    """The posterior's own intervals of the numbers of one column, without labels."""
    *found, _ = beside_truth(case.tallies, case.tallies.by[by], level)
    return [CountRow(case.trained, case.what, by, each) for each in found if each.name]


def coverage_row(rows: Sequence[CountRow]) -> CoverageRow:
    """Summarise the rows of one case and column."""
    gold, naive, expected = (
        np.array([getattr(row.found, name) for row in rows])
        for name in ("true", "naive", "expected")
    )
    total = max(gold.sum(), 1.0)
    return CoverageRow(
        rows[0].trained,
        rows[0].what,
        rows[0].by,
        len(rows),
        float(gold.sum()),
        float(np.mean([row.found.covered for row in rows])),
        float(np.mean([row.found.high - row.found.low for row in rows])),
        float((naive - gold).sum() / total),
        float((expected - gold).sum() / total),
        float(np.sqrt(np.mean((naive - gold) ** 2))),
        float(np.sqrt(np.mean((expected - gold) ** 2))),
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
