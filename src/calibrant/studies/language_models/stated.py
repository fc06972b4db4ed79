"""Stated confidence against the probability of the words, on MMLU-Pro."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from calibrant.calibration.analyses.describing import frequency
from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.structures.evals.evals import Evals
from calibrant.studies.compared import WITHIN, Compared, compared
from calibrant.studies.language_models.judged import (
    COLUMNS,
    LEVEL,
    SIGNED,
    Judged,
    judge,
    round_numbers,
)
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section

SURE = 0.9  # the stated confidence from which a model counts as sure
KINDS = {"stated": "stated", "perplexity": "tokens"}  # kinds of the logs, and their names here
TEXT = """\
The models answered the questions of MMLU-Pro (up to ten options) and said how sure they are.
"stated" is that number. "tokens" is the mean probability of all tokens of the response; the code
that made the logs calls it perplexity. Answers that could not be read are set aside. Intervals
treat subjects as groups: they say how far the numbers may change with other subjects."""

Models = Mapping[str, Evals]


class ModelRow(NamedTuple):
    """One kind of confidence of one model."""

    model: str
    kind: str
    judged: Judged


def models(evals: Models, progress: Progress) -> Section[ModelRow]:
    """Both kinds of confidence of each model, over all subjects."""
    rows = [
        ModelRow(model, name, judge(each.pairs(kind)))
        for model, each in progress.track(evals.items(), len(evals), "Stated confidence")
        for kind, name in KINDS.items()
    ]
    return Section(
        name="stated",
        title="Stated confidence and the probability of the words",
        columns={"model": "model", "kind": "confidence", **COLUMNS},
        rows=rows,
        text=TEXT,
        only_files=SIGNED,
    )


class SureRow(NamedTuple):
    """The answers of which a model says that it is sure."""

    model: str
    answers: int
    share: float  # of all its answers with a stated confidence
    mean: float
    accuracy: Estimate

    @property
    def percent(self) -> str:
        """How often it is right, with the interval, in per cent."""
        right = self.accuracy
        if right.low is None or right.high is None:
            return f"{100 * right.value:.0f} %"
        return f"{100 * right.value:.0f} % [{100 * right.low:.0f}, {100 * right.high:.0f}]"


def sure(evals: Models, least: float) -> Section[SureRow]:
    """How often models are right where they state at least this confidence."""
    rows = []
    for model, each in evals.items():
        everything = each.pairs("stated")
        told = at_least(everything, least)
        share, mean = told.n / everything.n, told.mean(told.q)
        rows.append(SureRow(model, round(told.n), share, mean, frequency(told, LEVEL)))
    return Section(
        name="sure",
        title=f"Answers of which a model says that it is at least {100 * least:g} % sure",
        columns={
            "model": "model",
            "answers": "answers",
            "share": "share of all",
            "mean": "mean confidence",
            "accuracy": "right",
        },
        rows=rows,
        only_files={"accuracy.signature": "signature"},
    )


def at_least(pairs: Pairs, least: float) -> Pairs:
    """The pairs with a prediction of at least this size."""
    kept = pairs.q >= least
    group = None if pairs.group is None else pairs.group[kept]
    return Pairs(pairs.y[kept], pairs.q[kept], group=group)


class ComparedRow(NamedTuple):
    """Which kind of confidence of a model is better calibrated, on the same answers."""

    model: str
    answers: int
    compared: Compared


def comparisons(evals: Models) -> Section[ComparedRow]:
    """The two kinds of confidence of each model, paired by answer."""
    rows = []
    for model, each in evals.items():
        both = Evals(each.frame.drop_nulls(list(KINDS)))
        pairs = {name: both.pairs(kind) for kind, name in KINDS.items()}
        with round_numbers():
            found = compared(pairs, CalibScore(), model)
        rows.append(ComparedRow(model, len(both.scored), found))
    return Section(
        name="stated-comparisons",
        title="Which of the two is better calibrated?",
        columns={"model": "model", "answers": "answers", **WITHIN},
        rows=rows,
        text="The difference of CalibScore on the answers that have both, with a 95 % interval.",
        only_files={"compared.difference.signature": "signature"},
    )


class SubjectRow(NamedTuple):
    """One kind of confidence of one model in one subject."""

    model: str
    subject: str
    kind: str
    judged: Judged


def subjects(evals: Models, progress: Progress) -> Section[SubjectRow]:
    """Both kinds of confidence, subject by subject; questions of a subject are independent."""
    rows = []
    for model, each in progress.track(evals.items(), len(evals), "Subjects"):
        for (subject,), frame in sorted(each.frame.group_by(["group"])):
            part = Evals(frame)
            for kind, name in KINDS.items():
                row = SubjectRow(model, str(subject), name, judge(part.pairs(kind, group=None)))
                rows.append(row)
    return Section(
        name="subjects",
        title="Subject by subject",
        columns={"model": "model", "subject": "subject", "kind": "confidence", **COLUMNS},
        rows=rows,
        in_report=False,
        only_files=SIGNED,
    )


def findings(
    told: Section[ModelRow], surely: Section[SureRow], paired: Section[ComparedRow], least: float
) -> Iterator[str]:
    """The results in sentences."""
    for row in surely.rows:
        yield (
            f"MMLU-Pro, {row.model}: of the answers of which it says that it is at least "
            f"{100 * least:g} % sure ({100 * row.share:.0f} % of all), {row.percent} are right."
        )
    words = {"stated": "stated", "tokens": "token"}
    for kind in KINDS.values():
        excess = [row.judged.excess for row in told.rows if row.kind == kind]
        over = sum(each.low is not None and each.low > 0 for each in excess)
        many = f"{over} of {len(excess)} models"
        yield f"MMLU-Pro: by {words[kind]} confidence, {many} are overconfident."
    yield from (f"MMLU-Pro, {row.compared.words}" for row in paired.rows)
