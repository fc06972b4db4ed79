"""The answers of two models to the same questions, side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant.errors import InputError, option, printable
from calibrant.pairs import Pairs
from calibrant.pairs.shares import without_shares
from calibrant.structures.evals.evals import SHARES, Part

if TYPE_CHECKING:
    import polars

ROW = "row "  # questions of tables that have no column for them
SHOWN = 60  # characters of a text in an error message


def paired(parts: Sequence[Part], kind: str) -> list[Pairs] | None:
    """The pairs of several models for the questions that all answered, in the same order.

    Each model has its own answers, so each has its own y. None for kinds that count other
    attempts, since these attempts also chose the answer, and for all options of a question, since
    logs may list them in different orders.
    """
    if kind in (*SHARES, "choice_all"):
        return None
    first, *others = parts
    key = ["question", "epoch"]
    joined = first.evals.answers(kind)
    for number, other in enumerate(others, start=1):
        _check_rows(first, other)
        answers = other.evals.answers(kind)
        both = joined.join(answers, on=key, how="inner", suffix=f"_{number}", maintain_order="left")
        if not both.height:
            raise InputError(
                f"{first.model} and {other.model} answered no question of {first.task} in common: "
                f"their questions are {_examples(joined)} and {_examples(answers)}."
            )
        _check_gold(both, f"gold_{number}", first, other)
        joined = both
    groups = joined["group"].to_list()
    group = groups if len(set(groups)) < len(groups) else None
    ends = ["", *(f"_{number}" for number in range(1, len(parts)))]
    found = [
        Pairs(joined[f"y{end}"].to_numpy(), joined[f"q{end}"].to_numpy(), group=group)
        for end in ends
    ]
    return [without_shares(each) for each in found]  # models state round numbers


def others_of(parts: Sequence[Part], model: str) -> dict[str, Part]:
    """The attempts of one model, by task, with which others are compared.

    A part of the name is enough if no other model has it.
    """
    models = sorted({part.model for part in parts})
    meant = [each for each in models if model in each]
    if model not in models and len(meant) != 1:
        some = "matches several" if meant else "is not one"
        names = ", ".join(meant or models)
        raise InputError(f"{printable(repr(model))} {some} of the models: {names}.")
    name = model if model in models else meant[0]
    if len(models) == 1:
        raise InputError(f"There is no other model to compare with {name}.")
    found = {part.task: part for part in parts if part.model == name}
    others = sorted({part.task for part in parts if part.model != name})
    if found.keys().isdisjoint(others):
        raise InputError(
            f"{name} answered {', '.join(sorted(found))}; the other models answered "
            f"{', '.join(others)}. There is no task in common."
        )
    return found


def _check_rows(one: Part, other: Part) -> None:
    """Refuse to pair tables by row, unless they have as many rows and gold answers to check."""
    frames = [part.evals.frame for part in (one, other)]
    if not all(frame["question"].str.starts_with(ROW).all() for frame in frames):
        return
    checked = all(frame["gold"].null_count() == 0 for frame in frames)
    if not checked or frames[0].height != frames[1].height:
        raise InputError(
            f"{one.model} and {other.model} have no column for the question, so their rows cannot "
            f"be matched: name it with {option('columns')}, as in question=NAME."
        )


def _check_gold(both: "polars.DataFrame", theirs: str, one: Part, other: Part) -> None:
    """Refuse questions whose correct answers differ: they are not the same questions."""
    wrong = both.filter(both["gold"] != both[theirs])
    if wrong.height:
        row = wrong.row(0, named=True)
        raise InputError(
            f"{one.task}, question {_short(row['question'])}: the correct answer is "
            f"{_short(row['gold'])} for {one.model}, but {_short(row[theirs])} for "
            f"{other.model}. Are these other questions, or options in another order?"
        )


def _examples(frame: "polars.DataFrame") -> str:
    return _short(frame["question"][0]) + (" and others" if frame.height > 1 else "")


def _short(text: str) -> str:
    shown = printable(text)
    return repr(shown if len(shown) <= SHOWN else shown[:SHOWN] + "…")
