"""Count: choose an estimator, compute shares, and say what they assume."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.categories import TOTAL, categories, cut_like, times_of
from calibrant.calibration.counting.counts import Count, Counts
from calibrant.calibration.counting.elsewhere import (
    Learnt,
    learn,
    mapped,
    recalibrated_shares,
    shifted_shares,
)
from calibrant.calibration.counting.posterior import posterior_shares
from calibrant.calibration.counting.rectified import rectified_shares
from calibrant.calibration.counting.sampling import Drawn, how_drawn, suspicion, unlabelled_draws
from calibrant.calibration.counting.shares import Shares
from calibrant.calibration.counting.sums import Beliefs, beliefs_by_category
from calibrant.calibration.counting.trust import REJECTED, UNKNOWN, Trust, trust
from calibrant.calibration.curves import Curve
from calibrant.calibration.slicing.cuts import Cut
from calibrant.errors import InputError, ParameterError, option
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.results.tabular import count_text
from calibrant.results.wording import counted, joined
from calibrant.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

Float = NDArray[np.float64]
ESTIMATORS = ("posterior", "rectified", "recalibrated", "shifted")
TARGETS = ("collection", "population")
SHOWN = 3  # names in a warning
ASSUMPTIONS = {
    "posterior": "Right only if the model is calibrated on these documents.",
    "band": "Right only if the calibration curve of the model on these documents lies in the band.",
    "rectified": "Right for any model, if labels were drawn as stated.",
    "recalibrated": "Right only if yes is as frequent at each prediction here as where the labels "
    "are from.",
    "shifted": "Right only if predictions given yes, and given no, are distributed here as where "
    "the labels are from.",
}


@dataclass(frozen=True)
class Wanted:
    """What to count by, and how."""

    by: str | None = None
    labels: str | None = None
    estimator: str | None = None
    target: str = "collection"
    within: str | None = None
    level: float = 0.95
    seed: int = 0


def count_tallies(
    tallies: Tallies,
    wanted: Wanted,
    design: Float | None = None,
    elsewhere: "Tallies | Pairs | Curve | None" = None,
) -> Counts:
    """Count, with `design` weights of the labels, or with what is known from elsewhere."""
    if wanted.within is not None and elsewhere is None:
        raise ParameterError(f"{option('within')} is for labels from {option('elsewhere')}.")
    estimator = _estimator(tallies, wanted, design, elsewhere)
    cut = categories(tallies, wanted.by)
    code, count = np.asarray(cut.codes, np.int64), len(cut.labels)
    beliefs = beliefs_by_category(tallies, code, count).with_total()
    expected, drawn = tallies.expected, None
    if estimator == "posterior":
        curve = elsewhere if isinstance(elsewhere, Curve) else None
        shares = posterior_shares(tallies, code, beliefs, wanted.level, curve)
    elif estimator == "rectified":
        drawn = how_drawn(tallies, wanted.labels, design)
        population = wanted.target == "population"
        shares = rectified_shares(tallies, code, count, drawn, wanted.level, population)
    else:
        learnt, part = _learnt(tallies, wanted, elsewhere)
        if estimator == "recalibrated":
            shares = recalibrated_shares(tallies, code, count, learnt, part, wanted.level)
            expected = mapped(tallies, learnt, part)
        else:
            shares = shifted_shares(tallies, code, count, learnt[0], wanted.level)
    seen = trust(tallies, expected, code, count, shares, wanted.level)
    certain = estimator == "rectified" and wanted.target == "collection"
    found = _bounds(tallies, code, count, shares) if certain else shares
    rows = _rows(cut, beliefs, found, seen, wanted.target)
    return Counts(
        rows if wanted.by is not None else rows[-1:],
        wanted.by or "",
        estimator,
        ASSUMPTIONS["band" if isinstance(elsewhere, Curve) else estimator],
        wanted.target,
        wanted.level,
        shares.covariance if wanted.by is not None else shares.covariance[-1:, -1:],
        _signature(tallies, wanted, estimator, shares, drawn),
        (
            *_warnings(tallies, cut, estimator, seen, shares, drawn, elsewhere),
            *unlabelled_draws(tallies, design),
        ),
        times_of(cut, wanted.by),
    )


def _estimator(
    tallies: Tallies,
    wanted: Wanted,
    design: Float | None,
    elsewhere: "Tallies | Pairs | Curve | None",
) -> str:
    """The estimator named, or the one for what is given."""
    outside = elsewhere is not None and not isinstance(elsewhere, Curve)
    stated = wanted.labels is not None or design is not None
    if stated and not tallies.labelled.any():
        raise InputError("Labels are said to be drawn at random, but no row has a label.")
    chosen = wanted.estimator
    if chosen is None:
        chosen = "posterior"
        if outside:
            chosen = "recalibrated"
        elif tallies.labelled.any() and not isinstance(elsewhere, Curve):
            chosen = "rectified"
    if chosen not in ESTIMATORS:
        raise ParameterError(
            f"{option('estimator')} must be one of {', '.join(ESTIMATORS)}, but it is {chosen!r}."
        )
    if wanted.target not in TARGETS:
        raise ParameterError(
            f"{option('target')} must be collection or population, but it is {wanted.target!r}."
        )
    if wanted.target == "population" and chosen != "rectified":
        raise ParameterError(
            f"Shares of a population need labels of these documents: leave {option('target')} out."
        )
    if chosen in ("recalibrated", "shifted") and not outside:
        raise ParameterError(
            f"The estimator {chosen} learns from labels of other documents: give them with "
            f"{option('elsewhere')}."
        )
    if chosen == "rectified" and not tallies.labelled.any():
        raise InputError("The estimator rectified needs labels, but no row has any.")
    if stated and chosen != "rectified":
        raise ParameterError(
            f"{option('labels')} and {option('label_weight')} are for the estimator rectified, not "
            f"for {chosen}."
        )
    return chosen


def _learnt(
    tallies: Tallies, wanted: Wanted, elsewhere: "Tallies | Pairs | Curve | None"
) -> tuple[list[Learnt], NDArray[np.int64]]:
    """The maps learnt elsewhere, and which of them is for each row."""
    if wanted.within is None:
        return [learn(_pairs(elsewhere), wanted.seed)], np.zeros(len(tallies), np.int64)
    if wanted.estimator == "shifted" or not isinstance(elsewhere, Tallies):
        raise ParameterError(
            f"{option('within')} is for the estimator recalibrated, with a table of labels from "
            "elsewhere that has this column too."
        )
    here, there = cut_like(tallies, elsewhere, wanted.within)
    maps = []
    for k, label in enumerate(here.labels):
        try:
            maps.append(learn(_pairs(elsewhere, there.codes == k), wanted.seed))
        except InputError as error:
            raise InputError(f"{wanted.within} = {label!r}: {error}") from error
    return maps, np.asarray(here.codes, np.int64)


def _pairs(
    elsewhere: "Tallies | Pairs | Curve | None", rows: NDArray[np.bool_] | None = None
) -> Pairs:
    """The labelled rows from elsewhere as pairs."""
    if isinstance(elsewhere, Pairs):
        return elsewhere
    assert isinstance(elsewhere, Tallies)
    if not elsewhere.rows:
        raise InputError("Labels from elsewhere must be of single questions, with y and q.")
    kept = elsewhere.labelled if rows is None else elsewhere.labelled & rows
    if not kept.any():
        raise InputError("There are no labels among the rows from elsewhere.")
    weight, group = (
        None if each is None else each[kept] for each in (elsewhere.weight, elsewhere.group)
    )
    return Pairs(elsewhere.gold[kept], elsewhere.expected[kept], weight=weight, group=group)


def _bounds(tallies: Tallies, code: NDArray[np.int64], count: int, shares: Shares) -> Shares:
    """Keep shares within what labels already show: known yes answers, and known no answers."""
    once = np.ones(len(tallies)) if tallies.weight is None else tallies.weight
    known = np.where(tallies.labelled, once, 0.0)
    gold = np.nan_to_num(tallies.gold)
    asked, yes, no = (
        np.bincount(code, each, minlength=count)
        for each in (
            once * tallies.asked,
            known * gold,
            known * np.maximum(tallies.asked - gold, 0),
        )
    )
    asked, yes, no = (np.append(each, each.sum()) for each in (asked, yes, no))
    safe = np.where(asked > 0, asked, 1.0)
    least = yes / safe
    most = 1 - no / safe if tallies.rows else np.full(count + 1, np.inf)
    share, low, high = (
        np.clip(each, least, most) for each in (shares.share, shares.low, shares.high)
    )
    return Shares(share, shares.covariance, low, high, shares.effective, shares.told)


def _rows(
    cut: Cut, beliefs: Beliefs, shares: Shares, seen: Trust, target: str
) -> tuple[Count, ...]:
    scale = beliefs.asked if target == "collection" else np.full(beliefs.asked.size, np.nan)
    names = [*cut.labels, TOTAL]
    return tuple(
        Count(
            name=name,
            asked=float(beliefs.asked[k]),
            naive=_number(beliefs.best[k]),
            expected=float(beliefs.expected[k]),
            count=_number(shares.share[k] * scale[k]),
            count_low=_number(shares.low[k] * scale[k]),
            count_high=_number(shares.high[k] * scale[k]),
            share=_number(shares.share[k]),
            low=_number(shares.low[k]),
            high=_number(shares.high[k]),
            labels=int(seen.labels[k]),
            effective=float(shares.effective[k]),
            calibration=seen.verdict[k] if seen.labels.sum() else "",
            bias=_number(seen.bias[k]),
        )
        for k, name in enumerate(names)
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _signature(
    tallies: Tallies, wanted: Wanted, estimator: str, shares: Shares, drawn: Drawn | None
) -> str:
    groups = [] if tallies.codes is None else [f"groups={int(tallies.codes.max()) + 1}"]
    parts = [
        f"count({estimator})",
        f"n={count_text(float(len(tallies)))}",
        *groups,
        f"labels={int(tallies.labelled.sum())}",
        *([] if wanted.by is None else [f"by={wanted.by}"]),
        *([] if drawn is None else [f"drawn={drawn.told}"]),
        *([] if not shares.told else [shares.told]),
        f"target={wanted.target}",
        f"level={wanted.level:g}",
        f"calibrant={__version__}",
    ]
    return "|".join(parts)


def _warnings(
    tallies: Tallies,
    cut: Cut,
    estimator: str,
    seen: Trust,
    shares: Shares,
    drawn: Drawn | None,
    elsewhere: object,
) -> list[str]:
    names = [*cut.labels, TOTAL] if len(cut.labels) > 1 else [TOTAL]
    verdicts = seen.verdict if len(cut.labels) > 1 else seen.verdict[-1:]
    found = []
    if estimator == "posterior" and not tallies.labelled.any() and elsewhere is None:
        found.append("no labels: nothing here tells whether the model is calibrated.")
    if estimator != "rectified" and tallies.labelled.any():
        wrong = [n for n, v in zip(names, verdicts, strict=True) if v == REJECTED]
        silent = [n for n, v in zip(names, verdicts, strict=True) if v == UNKNOWN]
        if wrong:
            found.append(f"the labels contradict these probabilities in {_some(wrong)}.")
        if silent:
            found.append(
                f"the labels in {_some(silent)} are too few to exclude an error as large as the "
                "interval."
            )
    if drawn is not None:
        found += suspicion(tallies, drawn)
        missing = np.isnan(shares.share[: len(cut.labels)])
        blank = [name for name, gone in zip(cut.labels, missing, strict=True) if gone]
        if blank:
            found.append(f"{_some(blank)} cannot be estimated without labels.")
        few = np.isnan(shares.low) & ~np.isnan(shares.share)
        poor = [name for name, gone in zip([*cut.labels, TOTAL], few, strict=True) if gone]
        if poor:
            found.append(f"{_some(poor)} has a single label, so no interval.")
    return found


def _some(names: "Sequence[str]") -> str:
    if len(names) <= SHOWN:
        return joined(names)
    return joined([*names[:SHOWN], f"{counted(len(names) - SHOWN, 'other')}"])
