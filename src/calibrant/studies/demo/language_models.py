"""The first part of the demo: language models that say how sure they are."""

from importlib import resources
from typing import NamedTuple

from calibrant.results.estimate import Estimate
from calibrant.structures.evals.evals import Evals
from calibrant.studies.language_models.stated import SURE, models, sure
from calibrant.studies.progress import QUIET
from calibrant.studies.sections import Section
from calibrant.verbs import read_evals

ASK = """\
Can you believe a language model that says it is 90 % sure?
Seven models, 12,032 questions of MMLU-Pro ..."""
READ_ME = """\
No. Each model answered and said how sure it is. Of the answers with a stated confidence of at
least 90 %, between 49 % (gemma-2-9b) and 89 % (Qwen3-8B-think) are right. CalibScore is the
typical distance between a confidence and how often the answer is then right. Stated confidence is
off by 0.15 to 0.46. The mean probability of the words of the response is closer for five of the
seven models, but it is too high for all of them as well."""


class DemoRow(NamedTuple):
    """How often a model says that it is sure, how often it is right then, and its scores."""

    model: str
    share: str
    right: str
    stated: Estimate
    tokens: Estimate


def mmlu_pro() -> dict[str, Evals]:
    """The attempts of seven models at MMLU-Pro, by the name of the model."""
    with resources.as_file(resources.files("calibrant.data") / "mmlu-pro.parquet") as path:
        evals = read_evals(path, columns={"perplexity": "tokens"})
    return {part.model: part.evals for part in evals.parts()}


def believe() -> Section[DemoRow]:
    """The table of the demo."""
    evals = mmlu_pro()
    scores = {(row.model, row.kind): row.judged.calibration for row in models(evals, QUIET).rows}
    rows = [
        DemoRow(
            row.model,
            f"{100 * row.share:.0f} %",
            row.percent,
            scores[row.model, "stated"],
            scores[row.model, "tokens"],
        )
        for row in sure(evals, SURE).rows
    ]
    return Section(
        name="believe",
        title="Can you believe a language model that says it is 90 % sure?",
        columns={
            "model": "model",
            "share": "says 90 % or more",
            "right": "is right then",
            "stated": "CalibScore, stated",
            "tokens": "CalibScore, words",
        },
        rows=rows,
    )
