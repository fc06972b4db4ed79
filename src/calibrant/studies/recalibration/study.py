"""The study of recalibration."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from calibrant.calibration.curves import AdaptiveBins
from calibrant.plots import plot_dots, plot_panels
from calibrant.results.digits import p_text
from calibrant.results.estimate import Estimate
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.recalibration.cases import cases_of
from calibrant.studies.recalibration.judging import (
    BEFORE,
    ONE,
    OWN,
    SEPARATE,
    Answered,
    Loss,
    judge_case,
)
from calibrant.studies.recalibration.plan import RecalibrationPlan
from calibrant.studies.sections import Draft, Drawn, Section, Study
from calibrant.studies.writing import run_study
from calibrant.verbs import curve

CURVES = 6  # of the query that changes most, by corpus


def run_recalibration(
    plan: RecalibrationPlan, folder: str | Path, progress: Progress = QUIET
) -> Study:
    """Train, temper and judge all models; write tables and figures to a folder."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: RecalibrationPlan, progress: Progress) -> Draft:
    losses: list[Loss] = []
    answers: list[Answered] = []
    for case in cases_of(plan, progress):
        loss, found = judge_case(case)
        progress.say(f"{case.name}: {loss.one}; {loss.told}")
        losses.append(loss)
        answers += found
    return Draft(
        title="Recalibration of structures",
        sections=[_losses_section(losses), _queries_section(answers)],
        findings=[*map(_loss_said, losses), *_queries_said(answers)],
        facts={
            "study": "recalibration",
            "signature": losses[0].gain.change.signature,
        },
        figures=[_draw_changes(answers), _draw_curves(answers)],
    )


class LossRow(NamedTuple):
    """The temperatures of a model, and what they change of the log loss of test."""

    corpus: str
    model: str
    one: str
    before: Estimate
    gain: Estimate
    separate: str
    more: Estimate
    p: float
    set_aside: str


def _losses_section(losses: Sequence[Loss]) -> Section[LossRow]:
    rows = [
        LossRow(
            each.corpus,
            each.model,
            f"{each.one['all']:.3f}",
            each.before,
            each.gain.change,
            each.told,
            each.more.change,
            each.more.p_value,
            each.set_aside,
        )
        for each in losses
    ]
    return Section(
        name="losses",
        title="Temperatures learnt on dev, and the log loss of gold structures of test",
        columns={
            "corpus": "corpus",
            "model": "model",
            "one": "temperature",
            "before": "log loss",
            "gain": "change by one temperature",
            "separate": "separate temperatures",
            "more": "further change by separate ones",
            "p": "p",
            "set_aside": "set aside",
        },
        rows=rows,
        text="Log loss per word or mention, in nats; negative changes are gains. Intervals are "
        "paired, over documents (sentences or tweets where the corpus has no documents). Gold "
        "structures that the model makes impossible are set aside.",
    )


class QueryRow(NamedTuple):
    """What each way changes of the answers to one query on test."""

    corpus: str
    model: str
    query: str
    n: int
    groups: int
    brier: Estimate
    changes: dict[str, Estimate]
    score: Estimate
    after: dict[str, Estimate]
    moved: dict[str, Estimate]


def _queries_section(answers: Sequence[Answered]) -> Section[QueryRow]:
    ways = [way for way in (ONE, SEPARATE, OWN) if all(way in each.brier for each in answers)]
    rows = [
        QueryRow(
            each.corpus,
            each.model,
            each.query,
            each.n,
            each.groups,
            each.brier[ONE].before,
            {way: each.brier[way].change for way in ways},
            each.calibration[ONE].before,
            {way: each.calibration[way].after for way in ways},
            {way: each.calibration[way].change for way in ways},
        )
        for each in answers
    ]
    return Section(
        name="queries",
        title="Every query on test, before and after",
        columns={
            "corpus": "corpus",
            "model": "model",
            "query": "query",
            "n": "questions",
            "groups": "groups",
            "brier": "Brier",
            "changes": "change, {}",
            "score": "CalibScore",
            "after": "CalibScore, {}",
        },
        rows=rows,
        text="Changes of the Brier score, negative for a gain; and the calibration error, as it "
        "was and after each way. An own map is learnt for each query from its answers on dev: more "
        "flexible, but the answers to several queries then need not agree with each other.",
        only_files={"moved": "change of CalibScore, {}"},
    )


def _draw_changes(answers: Sequence[Answered]) -> Drawn:
    """The calibration error of each model, of the query where it was largest."""
    ways = (ONE, SEPARATE, OWN)
    most: dict[tuple[str, str], Answered] = {}
    for each in answers:
        known = most.get((each.corpus, each.model))
        if OWN in each.brier and (known is None or _was(each) > _was(known)):
            most[each.corpus, each.model] = each
    rows = list(most.values())
    labels = [f"{each.corpus}, {each.model}, {_short(each.query)}" for each in rows]
    dots = {BEFORE: [each.calibration[ONE].before for each in rows]} | {
        way: [each.calibration[way].after for each in rows] for way in ways
    }
    words = "CalibScore on test of the worst query of each model, before and after"
    return Drawn("scores", words, plot_dots(labels, dots, "CalibScore"))


def _short(query: str) -> str:
    return query.replace("type=", "").replace("label=", "").replace(", floor=0.001", "")


def _draw_curves(answers: Sequence[Answered]) -> Drawn:
    """Curves before and after, of the query of each corpus whose CalibScore was largest."""
    most: dict[str, Answered] = {}
    for each in answers:
        known = most.get(each.corpus)
        if known is None or _was(each) > _was(known):
            most[each.corpus] = each
    panels = {}
    for each in list(most.values())[:CURVES]:
        size = max(100, each.n // 400)
        title = f"{each.corpus}, {each.model}\n{_short(each.query)}"
        panels[title] = {
            name: curve(each.pairs[name], AdaptiveBins(size=size))
            for name in (BEFORE, ONE, SEPARATE)
        }
    words = "Frequency against prediction on test, before and after"
    return Drawn("curves", words, plot_panels(panels, columns=3)[0])


def _was(answer: Answered) -> float:
    return answer.calibration[ONE].before.value


def _loss_said(loss: Loss) -> str:
    change, more = loss.gain.change, loss.more.change
    verdict = "one temperature suffices"
    if loss.more.p_value < 0.05:
        better = more.value < 0
        verdict = "separate temperatures are better" if better else "separate ones are worse"
    return (
        f"{loss.corpus}, {loss.model}: temperature {loss.one['all']:.2f} changes the "
        f"{loss.gain.what} of {loss.before.text('value')} by {change.text('value')} "
        f"{change.interval} ({p_text(loss.gain.p_value)}); {verdict} ({loss.told}, "
        f"{more.text('value')} {more.interval})."
    )


def _queries_said(answers: Sequence[Answered]) -> Iterator[str]:
    for way in (ONE, SEPARATE, OWN):
        known = [each for each in answers if way in each.brier]
        better, worse = (
            sum(_surely(each.brier[way].change, sign) for each in known) for sign in (-1, 1)
        )
        yield (
            f"{way.capitalize()}: the Brier score of {better} of {len(known)} queries surely "
            f"falls, and that of {worse} surely rises."
        )


def _surely(change: Estimate, sign: int) -> bool:
    end = change.high if sign < 0 else change.low
    return end is not None and sign * end > 0
