"""Score evaluation logs: pairs from attempts of language models, scores and tests from pairs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from calibrant.calibration.analyses.comparing import compare_pairs
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.hypotheses import Joint
from calibrant.calibration.intervals import Interval
from calibrant.calibration.intervals.bootstrap import only_bootstrap
from calibrant.calibration.scores import Score
from calibrant.errors import InputError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.results.eval_scores import Against, EvalScore, EvalScores
from calibrant.results.progress import bar
from calibrant.structures.evals.evals import Evals, Part
from calibrant.structures.evals.kinds import check_kind
from calibrant.structures.evals.pairing import others_of, paired


@dataclass(frozen=True)
class EvalScorer:
    """How every kind of confidence of every model and task is scored."""

    score: Score
    interval: Interval | None
    level: float

    def __call__(
        self,
        attempts: Evals,
        kinds: Collection[str] | None,
        against: str | None,
        progress: bool = False,
    ) -> EvalScores:
        """Score these kinds, or all; compare the other models with the one named in `against`."""
        _check_kinds(kinds or (), attempts)
        parts = attempts.parts()
        others = {} if against is None else others_of(parts, against)
        rows: list[EvalScore] = []
        with bar(progress and len(parts) > 1, len(parts), "Scoring") as tell:
            for done, part in enumerate(parts, start=1):
                rows += self._rows(part, kinds, others.get(part.task))
                tell(done, f"{part.model}, {part.task}")
        return EvalScores(rows, attempts.set_aside(), attempts.notes)

    def _rows(
        self, part: Part, kinds: Collection[str] | None, other: Part | None
    ) -> Sequence[EvalScore]:
        """A row for each kind; a row with the accuracy alone if there is none."""
        evals = part.evals
        wanted = [kind for kind in evals.kinds if kinds is None or kind in kinds]
        if not wanted:
            return [EvalScore(part.model, part.task, "", len(evals.scored), evals.accuracy)]
        rows = [self._row(part, kind) for kind in wanted]
        if other is None or other is part or self.interval is None:
            return rows
        return [replace(row, against=self._against(part, other, row.kind)) for row in rows]

    def _row(self, part: Part, kind: str) -> EvalScore:
        """The score of one kind of confidence of one model in one task."""
        pairs = part.evals.pairs(kind)
        return EvalScore(
            model=part.model,
            task=part.task,
            kind=kind,
            attempts=round(pairs.n),
            accuracy=pairs.mean(pairs.y),
            mean=pairs.mean(pairs.predicted),
            estimate=self._estimate(pairs),
            p_value=_p_value(pairs),
            settings=tuple(part.evals.stated_settings(kind)),
        )

    def _estimate(self, pairs: Pairs) -> Estimate:
        """The score with its interval; without, if all answers belong to one group."""
        how = None if pairs.groups == 1 else self.interval
        return estimate_score(pairs, self.score, how, self.level)

    def _against(self, part: Part, other: Part, kind: str) -> Against | None:
        """The difference of two models on the same questions; None if they cannot be compared."""
        if kind not in other.evals.kinds:
            return None
        both = paired([part, other], kind)
        if both is None or both[0].groups == 1:
            return None
        models = dict(zip((part.model, other.model), both, strict=True))
        how = only_bootstrap(self.interval, "Models are compared")
        found = compare_pairs(models, self.score, self.level, how, own_answers=True)
        ((first, _),) = found.differences
        (accuracy,) = found.accuracy_differences.values()
        turned = first != part.model
        return Against(
            model=other.model,
            questions=round(both[0].n),
            difference=found.difference.turned() if turned else found.difference,
            p_value=found.p_value,
            accuracy=accuracy.turned() if turned else accuracy,
        )


def _check_kinds(kinds: Collection[str], attempts: Evals) -> None:
    for each in kinds:
        if check_kind(each) not in attempts.kinds:
            known = ", ".join(attempts.kinds) or "none"
            raise InputError(
                f"No attempt has a confidence of the kind {each}. These attempts have: {known}."
            )


def _p_value(pairs: Pairs) -> float:
    """Of the default test; NaN if there are too few groups for it."""
    try:
        return Joint()(pairs).p_value
    except UnsupportedError:
        return float("nan")
