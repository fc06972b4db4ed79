"""The probability of true and false answers, on VeritasQA."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from calibrant.structures.evals.evals import Evals
from calibrant.studies.language_models.judged import COLUMNS, SIGNED, Judged, judge
from calibrant.studies.sections import Section

KINDS = {"choice": "whole answer", "choice_per_character": "per character"}
TEXT = """\
Each of the questions of VeritasQA (in English) has several true and several false answers. The
model chooses the most probable of them all; it is right if that is one of the true answers, and its
confidence is the softmax over all answers, of log-likelihoods of whole answers or of those divided
by the number of characters. MC1, which the logs hold, asks another question: is the *best* answer
more probable than every false one? The other true answers do not count there, so it is much lower,
and no probability belongs to it. Both depend on which answers are listed. Questions are set aside
if an answer has a log-likelihood of exactly 0: that is a placeholder, which would win against all
other answers. Intervals treat categories as groups."""


class TruthfulRow(NamedTuple):
    """One kind of confidence of one model."""

    model: str
    kind: str
    mc1: float  # of all questions, as logged
    aside: int
    judged: Judged


def truthful(logs: Mapping[str, tuple[Evals, float]]) -> Section[TruthfulRow]:
    """The confidence in the most probable answer, of each model."""
    rows = [
        TruthfulRow(model, name, mc1, sum(evals.set_aside().values()), judge(evals.pairs(kind)))
        for model, (evals, mc1) in logs.items()
        for kind, name in KINDS.items()
        if kind in evals.kinds
    ]
    return Section(
        name="truthful",
        title="True and false answers",
        columns={
            "model": "model",
            "kind": "log-likelihood",
            **COLUMNS,
            "mc1": "MC1",
            "aside": "set aside",
        },
        rows=rows,
        text=TEXT,
        only_files=SIGNED,
    )


def findings(told: Section[TruthfulRow]) -> Iterator[str]:
    """The results in sentences."""
    for row in told.rows:
        found = row.judged
        yield (
            f"VeritasQA, {row.model}, {row.kind}: right in {100 * found.accuracy.value:.0f} %, "
            f"mean confidence {100 * found.mean.value:.0f} %, CalibScore "
            f"{found.calibration.text('value')} {found.calibration.interval}."
        )
