"""Agreement of chains of thought against the probability of the option, on MedQA."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from calibrant.calibration.scores import Brier
from calibrant.results.digits import p_text
from calibrant.results.estimate import Estimate
from calibrant.structures.evals.evals import Evals
from calibrant.studies.compared import SHOWN
from calibrant.studies.language_models.chains import KINDS, agreement, option
from calibrant.studies.language_models.judged import (
    COLUMNS,
    SIGNED,
    Judged,
    judge,
    round_numbers,
)
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section
from calibrant.verbs import compare

TEXT = """\
Each model answered the questions of MedQA (four options) after several chains of thought.

- "option" is the probability of the option that a chain chose, and "averaged" the largest mean
  probability of an option over all chains.
- "agreement" is the share of the *other* chains that chose the option of a chain.
- "majority" is about the option that most chains chose: half of the chains choose it, and the
  share is counted among the other half.
- "naive majority" is the share of the same chains that chose it. It is too high, because the
  largest of several shares is taken.

"option" and "agreement" ask about every chain, and chains of a question are a group. The others ask
about every question once. Scores of "agreement" and "majority" allow for the noise of shares of few
chains, and are lower bounds of the error."""

Models = Mapping[str, Evals]


class ChainsRow(NamedTuple):
    """One kind of confidence of one model, from so many chains."""

    model: str
    chains: int
    kind: str
    judged: Judged


def by_number(evals: Models, counts: Sequence[int], progress: Progress) -> Section[ChainsRow]:
    """All kinds of confidence from the first chains, for each number of them."""
    import polars as pl

    asked = [(model, count) for model in evals for count in counts]
    rows = []
    for model, count in progress.track(asked, len(asked), "Chains of thought"):
        first = Evals(evals[model].frame.filter(pl.col("epoch") <= count))
        for name, kind in KINDS.items():
            if count >= kind.fewest:
                found = kind.answers(first)
                rows.append(ChainsRow(model, count, name, judge(found.pairs, found.shares)))
    return Section(
        name="chains-by-number",
        title="Confidence from the first chains, by their number",
        columns={"model": "model", "chains": "chains", "kind": "confidence", **COLUMNS},
        rows=rows,
        in_report=False,
        only_files=SIGNED,
    )


def all_chains(by_count: Section[ChainsRow]) -> Section[ChainsRow]:
    """All kinds of confidence from all chains."""
    most = max(row.chains for row in by_count.rows)
    return Section(
        name="chains",
        title=f"Confidence from {most} chains",
        columns={"model": "model", "kind": "confidence", **COLUMNS},
        rows=[row for row in by_count.rows if row.chains == most],
        text=TEXT,
        only_files=SIGNED,
    )


class RepeatedRow(NamedTuple):
    """How many different chains a model has for a question."""

    model: str
    chains: int
    different: float
    same: float  # share of questions


def repeated(evals: Models) -> Section[RepeatedRow]:
    """How different the chains of a question are: equal log-likelihoods mean the same chain."""
    rows = []
    for model, each in evals.items():
        counted = [
            (part.height, len({tuple(loglik) for loglik in part["option_loglik"].to_list()}))
            for _, part in each.scored.group_by("question", maintain_order=True)
        ]
        chains, found = np.array(counted).T
        rows.append(
            RepeatedRow(model, int(chains.max()), float(found.mean()), float((found == 1).mean()))
        )
    return Section(
        name="chains-repeated",
        title="How different are the chains of a question?",
        columns={
            "model": "model",
            "chains": "chains",
            "different": "different ones, mean",
            "same": "questions with a single one",
        },
        rows=rows,
        text="Chains with the same log-likelihoods of all options are counted as the same. Where "
        "they repeat each other, agreement says little.",
    )


class ForecastRow(NamedTuple):
    """The probability of the option and agreement as forecasts of the same answers."""

    model: str
    answers: int
    option: Estimate
    agreement: Estimate
    difference: Estimate
    p: float

    @property
    def words(self) -> str:
        """The conclusion."""
        better, worse = "agreement", "the probability of the option"
        if self.difference.value > 0:
            better, worse = worse, better
        said = f"{better} is a better forecast than {worse}"
        if not self.p < SHOWN:
            said = f"{better} and {worse} are not shown to differ as forecasts"
        return f"{self.model}: {said} ({p_text(self.p)})."


def forecasts(evals: Models) -> Section[ForecastRow]:
    """Agreement against the probability of the option, by Brier, on the answers of all chains."""
    rows = []
    for model, each in evals.items():
        _, shares = agreement(each)
        assert shares is not None
        with round_numbers():
            found = compare({"agreement": shares, "option": option(each).pairs}, Brier())
        ((first, _), difference) = next(iter(found.differences.items()))
        if first != "agreement":
            difference = turned(difference)
        scores = found.scores["option"], found.scores["agreement"]
        rows.append(ForecastRow(model, round(shares.n), *scores, difference, found.p_value))
    return Section(
        name="chains-forecasts",
        title="Is agreement a better forecast than the probability of the option?",
        columns={
            "model": "model",
            "answers": "answers",
            "option": "Brier, option",
            "agreement": "Brier, agreement",
            "difference": "agreement − option",
            "p": "p",
        },
        rows=rows,
        text="The Brier score on the same answers of all chains, with 95 % intervals. Calibration "
        "errors of shares of draws and of probabilities cannot be compared.",
        only_files={"difference.signature": "signature"},
    )


def turned(difference: Estimate) -> Estimate:
    """The difference in the other direction."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return replace(difference, value=-difference.value)
    return replace(difference, value=-difference.value, low=-high, high=-low)


def findings(told: Section[ChainsRow], paired: Section[ForecastRow]) -> Iterator[str]:
    """The results in sentences."""
    for model in dict.fromkeys(row.model for row in told.rows):
        mine = {row.kind: row.judged for row in told.rows if row.model == model}
        over = [
            f"{name} {mine[name].excess.value:+.3f} {mine[name].excess.interval}"
            for name in KINDS
            if name in mine
        ]
        yield f"MedQA, {model}: confidence minus accuracy is {', '.join(over)}."
    yield from (f"MedQA, {row.words}" for row in paired.rows)
