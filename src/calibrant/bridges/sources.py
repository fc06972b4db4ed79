"""From what a user passes to a page, to pairs with the columns beside them."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, NamedTuple

from calibrant.bridges.findings import Asked, Compared
from calibrant.errors import InputError, option
from calibrant.pairs import Pairs
from calibrant.structures.evals.evals import Evals, Part
from calibrant.structures.evals.kinds import SCALAR
from calibrant.structures.evals.pairing import paired
from calibrant.tables import pairs_from_file
from calibrant.tables.columns import Given
from calibrant.tables.predictions import (
    Predictions,
    every,
    predictions_from_file,
    predictions_from_frame,
)
from calibrant.tables.summaries import is_summary
from calibrant.tables.text_columns import shown_columns

if TYPE_CHECKING:
    import polars


def asked_of(source: object, given: Given, show: Sequence[str] | None, text: bool) -> Asked:
    """Pairs as they are, or read from a file or a frame with the columns to show."""
    if isinstance(source, str | PathLike):
        path = fspath(source)
        if is_summary(path):
            return asked_from(pairs_from_file(path, given), show, text)
        return asked_from(predictions_from_file(path, given, every), show, text)
    if isinstance(source, Pairs):
        return asked_from(source, show, text)
    return asked_from(predictions_from_frame(source, given, every), show, text)


def asked_from(read: Predictions | Pairs, show: Sequence[str] | None, text: bool) -> Asked:
    """Pairs with the columns to show; none of them without `text`."""
    if isinstance(read, Pairs):
        if show:
            raise InputError(f"Pairs have no columns to show: leave {option('show')} out.")
        return Asked(read)
    columns = shown_columns(read, show if text else ())
    return Asked(read.pairs, columns, read.place, f"{read.name}: {read.roles}", table=read)


RIGHT_OR_WRONG = ("wrong (y = 0)", "right (y = 1)")


class EvalPages(NamedTuple):
    """Every kind of confidence of every model and task, and how models are compared."""

    models: Mapping[str, Asked]
    compared: Compared | str  # or why they are not compared


def asked_of_evals(evals: Evals, kinds: Sequence[str] | None, text: bool) -> EvalPages:
    """Attempts of language models, with question, answer, gold and all confidences."""
    parts = evals.parts()
    several = len({part.task for part in parts}) > 1
    chosen = [
        (part, kind)
        for part in parts
        for kind in part.evals.kinds
        if kinds is None or kind in kinds
    ]
    if not chosen:
        raise InputError(
            f"No attempt has a confidence of the kinds {', '.join(kinds or ())}. These attempts "
            f"have: {', '.join(evals.kinds) or 'none'}."
        )
    one_kind = len({kind for _, kind in chosen}) == 1

    def name(part: Part, kind: str) -> str:
        told = [part.model, part.task if several else "", "" if one_kind else kind]
        return ", ".join(each for each in told if each)

    models = {name(part, kind): _attempts(part, kind, text) for part, kind in chosen}
    return EvalPages(models, _compared(chosen, several, one_kind))


def _compared(chosen: Sequence[tuple[Part, str]], several: bool, one_kind: bool) -> Compared | str:
    """The pairs of all models on common questions; or why there are none."""
    if len(chosen) < 2:
        return ""
    if several or not one_kind:
        return "Models are compared on one task by one kind of confidence: choose them."
    parts, (kind, *_) = zip(*chosen, strict=True)
    try:
        both = paired(parts, kind)
    except InputError as error:
        return str(error)
    if both is None:
        return f"The kind {kind} cannot be compared between models."
    names = [part.model for part in parts]
    return Compared(dict(zip(names, both, strict=True)), own_answers=True)


def _attempts(part: Part, kind: str, text: bool) -> Asked:
    evals = part.evals
    answers = evals.answers(kind)
    aside = ", ".join(f"{many} {reason}" for reason, many in evals.set_aside().items())
    read = f"{part.model}, {part.task}, {kind}" + (f" (set aside: {aside})" if aside else "")
    columns = _beside(evals, answers) if text else answers.select([])
    return Asked(evals.pairs(kind), columns, _attempt, read, RIGHT_OR_WRONG)


def _attempt(row: int) -> str:
    """What an attempt is called: counted from 1, after those that were set aside are gone."""
    return f"attempt {row + 1}"


def _beside(evals: Evals, answers: "polars.DataFrame") -> "polars.DataFrame":
    """Question, answer and gold of every attempt, and all of its confidences."""
    keys = ["model", "task", "question", "epoch"]
    there = [kind for kind in SCALAR if kind in evals.kinds]
    sure = evals.frame.select(*keys, *there).unique(keys, keep="first", maintain_order=True)
    joined = answers.join(sure, on=keys, how="left", maintain_order="left")
    listed = ["option"] if "option" in answers.columns else []
    return joined.select("question", "answer", "gold", *listed, *there)
