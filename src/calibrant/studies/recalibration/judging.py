"""Judge temperatures, and a map per query, on test documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.bridges.changes import Change, Part, asked, change_of
from calibrant.bridges.tempering import per_unit
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.recalibrating import AUTO, recalibrate_pairs
from calibrant.calibration.scores import Brier, CalibScore, LogLoss, Score
from calibrant.errors import CalibrantError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.structures.likelihoods import groups_of, likelihood_of
from calibrant.structures.query import Query
from calibrant.structures.tempering.likelihood import Likelihood, fit
from calibrant.structures.tempering.temperatures import Temperatures
from calibrant.studies.recalibration.cases import Case, Held

LEVEL = 0.95
BEFORE, ONE, SEPARATE, OWN = "as it was", "one temperature", "separate", "own map"
INTERVAL = Bootstrap()


class Loss(NamedTuple):
    """The log loss of gold structures of test, and what temperatures change."""

    corpus: str
    model: str
    one: Temperatures
    separate: Sequence[Temperatures]
    gain: Change  # of one temperature
    more: Change  # of separate temperatures, against one
    set_aside: str

    @property
    def before(self) -> Estimate:
        """The log loss as it was."""
        return self.gain.before

    @property
    def told(self) -> str:
        """The separate temperatures, their mean if there are folds."""
        names = self.separate[0].values
        means = {name: float(np.mean([each[name] for each in self.separate])) for name in names}
        return str(Temperatures(means))


@dataclass(frozen=True, eq=False)
class Answered:
    """The answers to a query on test, and how each way changes its scores."""

    corpus: str
    model: str
    query: str
    pairs: Mapping[str, Pairs]
    brier: Mapping[str, Change]
    calibration: Mapping[str, Change]

    @property
    def n(self) -> int:
        """The number of questions."""
        return int(self.pairs[ONE].n)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return self.pairs[ONE].groups


class _Tempered(NamedTuple):
    """One part of a case, with the temperatures learnt from its dev."""

    held: Held
    one: Temperatures
    separate: Temperatures
    codes: NDArray[Any]  # the group of each item of test
    losses: list[Pairs]  # as it was, with one temperature, with separate ones
    lost: tuple[int, int, str]


def judge_case(case: Case) -> tuple[Loss, list[Answered]]:
    """Learn temperatures from dev, and judge them on test."""
    tempered, offset = [], 0
    for held in case.parts:
        tempered.append(_temper(held, offset))
        offset = int(tempered[-1].codes.max()) + 1
    losses = [reduce(add, each) for each in zip(*(one.losses for one in tempered), strict=True)]
    unit = "mention" if tempered[0].lost[2] == "mention" else "word"
    what = f"log loss per {unit}"
    lost, every = (sum(each.lost[k] for each in tempered) for k in (0, 1))  # type: ignore[misc]
    found = Loss(
        case.corpus,
        case.model,
        Temperatures({"all": float(np.mean([each.one["all"] for each in tempered]))}),
        [each.separate for each in tempered],
        change_of(what, losses[0], losses[1], LogLoss(), LEVEL, INTERVAL),
        change_of(what, losses[1], losses[2], LogLoss(), LEVEL, INTERVAL),
        f"{lost} of {every} {tempered[0].lost[2]}s",
    )
    return found, [_answers(case, tempered, query) for query in case.queries]


def _temper(held: Held, offset: int) -> _Tempered:
    """Learn both kinds of temperatures from dev, and measure log losses on test."""
    _, codes = np.unique(groups_of(held.test, held.test_gold), return_inverse=True)
    codes = codes + offset
    learnt: dict[bool, Temperatures] = {}
    losses: list[Pairs] = []
    lost = (0, 0, "")
    for separate in (False, True):
        dev = likelihood_of(held.dev, held.dev_gold, separate)
        at = fit(dev).peak.at
        test = likelihood_of(held.test, held.test_gold, separate)
        learnt[separate], lost = dev.temperatures(at), test.set_aside
        points = [at] if separate else [np.zeros(at.size), at]
        losses += [_losses(test, point, codes) for point in points]
    return _Tempered(held, learnt[False], learnt[True], codes, losses, lost)


def _losses(test: Likelihood, at: NDArray[np.float64], codes: NDArray[Any]) -> Pairs:
    return per_unit(test, test.items, test.measure(at, test.items).log, codes)


def _answers(case: Case, tempered: Sequence[_Tempered], query: Query) -> Answered:
    """Ask a query of test as it was and after each way."""
    answers = [_part_answers(each, query) for each in tempered]
    ways = [way for way in answers[0] if all(way in each for each in answers)]
    pairs = {way: reduce(add, (each[way] for each in answers)) for way in ways}
    before = pairs[BEFORE]
    changes: dict[str, dict[str, Change]] = {"Brier": {}, "CalibScore": {}}
    scores: dict[str, Score] = {"Brier": Brier(), "CalibScore": CalibScore()}
    for way, after in pairs.items():
        if way != BEFORE:
            for score, rule in scores.items():
                changes[score][way] = change_of(score, before, after, rule, LEVEL, INTERVAL)
    return Answered(
        case.corpus, case.model, str(query), pairs, changes["Brier"], changes["CalibScore"]
    )


def _part_answers(tempered: _Tempered, query: Query) -> dict[str, Pairs]:
    """The answers on test of one part; its own map, if there is one, is learnt from its dev."""
    held = tempered.held
    beliefs = (held.test, held.test.tempered(tempered.one), held.test.tempered(tempered.separate))
    part = Part(beliefs, held.test_gold, tempered.codes)
    found = dict(zip((BEFORE, ONE, SEPARATE), asked([part], query), strict=True))
    own = _own_map(held, query)
    if own is not None:
        before = found[BEFORE]
        found[OWN] = before.with_predictions(own(before.q.astype(np.float64)))
    return found


def _own_map(held: Held, query: Query) -> Any:  # noqa: ANN401 - a map, or None
    """The map that the pairs of this query on dev choose."""
    try:
        pairs = query.pairs(held.dev, held.dev_gold)
        return recalibrate_pairs(pairs, AUTO, Brier(), LEVEL, None, 0).map
    except CalibrantError:  # one answer only
        return None
