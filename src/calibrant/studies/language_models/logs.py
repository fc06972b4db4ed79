"""The logs of the study, in the folder $CALIBRANT_DATA.

Texts of questions and answers are read only where their lengths are needed, and are not kept.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibrant.errors import FileError
from calibrant.structures.evals.attempts import Asked, Attempts, Listed
from calibrant.structures.evals.evals import Evals
from calibrant.structures.evals.reading.json_files import json_objects
from calibrant.verbs import read_evals

LETTERS = "ABCD"
PLACEHOLDER = "an answer with a log-likelihood of exactly 0"  # no text is certain: it is missing
STATED, CHAINS, TRUTHFUL = "mmlu-pro-confidence", "medqa-chains", "veritasqa"
SOURCES = {
    STATED: "Linwei94/LLM-Calibration-Study",
    CHAINS: "araag2/lm-evaluation-harness",
    TRUTHFUL: "langtech-bsc/veritasQA",
}
COLUMNS = {"stated": "verbal_numerical_confidence", "perplexity": "logit_perplexity_confidence"}


def find_logs(name: str, files: Mapping[str, str]) -> dict[str, Path]:
    """The path of each log, plain or gzipped, by the name of its model."""
    folder = Path(os.environ.get("CALIBRANT_DATA") or ".", "evals", name)
    found = {}
    for model, file in files.items():
        places = [folder / file, folder / f"{file}.gz"]
        path = next((each for each in places if each.is_file()), None)
        if path is None:
            raise FileError(
                f"There is no log {places[0]}. Set CALIBRANT_DATA to a folder that contains "
                f"evals/{name} with the logs of {SOURCES[name]}."
            )
        found[model] = path
    return found


def read_stated(path: Path) -> Evals:
    """A log of stated confidences; questions of a subject are a group.

    "perplexity" is the column that the log calls so. Its source computes it as the mean
    probability of all tokens of the response.
    """
    return read_evals(path, format="table", columns=COLUMNS)


def read_chains(path: Path, model: str) -> Evals:
    """A log of chains: each is an attempt, with the log-likelihoods of the options after it."""
    attempts = Attempts()
    for line, row in json_objects(path):
        try:
            gold, question = str(row["doc"]["Label"]), str(row["doc"]["id"])
            chains = zip(row["preds"], row["pred_logliks"], strict=True)
            asked = Asked(model, "MedQA", question)
            for epoch, (option, loglik) in enumerate(chains, start=1):
                answer = LETTERS[int(option)]
                right = [letter == gold for letter in LETTERS]
                attempts.add(
                    asked,
                    epoch=epoch,
                    answer=answer,
                    gold=gold,
                    correct=answer == gold,
                    listed=Listed([float(each) for each in loglik], right),
                )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise FileError(
                f"{path.name}, line {line}: fields doc (id, Label), preds and pred_logliks with "
                f"as many chains were expected ({type(error).__name__}: {error})."
            ) from error
    return Evals.of(attempts)


def read_truthful(path: Path, model: str) -> tuple[Evals, float]:
    """A log of true and false answers, and the mean of MC1 that it holds.

    The options of a question are all its reference answers, and the model chooses the most
    probable one. MC1 asks something else: whether the best true answer is more probable than
    every false one, while the other true answers do not count. No probability belongs to that.
    Questions with an answer whose log-likelihood is exactly 0, a placeholder, are set aside.
    """
    import polars as pl

    frame = pl.read_csv(path, infer_schema_length=None)
    try:
        (name,) = (each.removesuffix(" MC1") for each in frame.columns if each.endswith(" MC1"))
        columns = [f"{name} lprob scores-true", f"{name} lprob scores-false"]
        rows = frame.select(
            "id", "Category", "Correct Answers", "Incorrect Answers", *columns
        ).rows()
        mc1: Any = frame[f"{name} MC1"].mean()
    except (ValueError, pl.exceptions.ColumnNotFoundError) as error:
        raise FileError(
            f"{path.name}: columns id, Category, Correct Answers, Incorrect Answers, MODEL lprob "
            "scores-true, MODEL lprob scores-false and MODEL MC1 were expected."
        ) from error
    attempts = Attempts()
    for question, category, right, wrong, yes, no in rows:
        true, false = ([float(each) for each in scores.split(",")] for scores in (yes, no))
        loglik = true + false
        best = loglik.index(max(loglik))
        texts = [each.strip() for each in f"{right};{wrong}".split(";") if each.strip()]
        attempts.add(
            Asked(model, "VeritasQA", str(question), str(category)),
            correct=best < len(true),
            aside=PLACEHOLDER if 0 in loglik else None,
            listed=Listed(
                loglik,
                [place < len(true) for place in range(len(loglik))],
                texts if len(texts) == len(loglik) else None,
            ),
        )
    return Evals.of(attempts), float(mc1)
