"""Which column is which: named by the user, or guessed from common names."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from calibrant.errors import InputError
from calibrant.pairs import Pairs

GUESSES: Mapping[str, Sequence[str]] = {
    "y": (
        *("y", "gold", "label", "target", "truth", "true", "y_true", "observed", "observation"),
        *("outcome", "correct", "is_correct", "answer", "prob1_outcome"),
    ),
    "q": (
        *("q", "prob", "probability", "proba", "p", "y_prob", "confidence", "conf", "prediction"),
        *("predicted", "pred", "score", "p_yes", "prob1"),
    ),
    "yes": ("yes",),
    "draws": ("draws", "samples"),
    "weight": ("weight", "weights"),
    "group": (
        *("group", "sent", "sentence", "sent_id", "sentence_id"),
        *("doc", "document", "doc_id", "document_id"),
    ),
}
Given = Mapping[str, str | int | Literal[False] | None]  # False: there is none, do not guess
REQUIRED = ("y", "q", "yes", "draws")
WANTED = {
    "y": "the observations (0 or 1)",
    "q": "the predicted probabilities",
    "yes": "how many draws said yes",
    "draws": "how many draws there were",
}


class Columns(NamedTuple):
    """The column of each role; None where there is none."""

    y: str
    q: str | None = None
    yes: str | None = None
    draws: str | int | None = None  # a number where all rows have as many
    weight: str | None = None
    group: str | None = None

    def roles(self) -> dict[str, str]:
        """The columns that are there, by role."""
        return {role: name for role, name in self._asdict().items() if isinstance(name, str)}

    def pairs(self, values: Mapping[str, Any]) -> Pairs:
        """The pairs of these columns."""
        if self.yes is None:
            return Pairs(**values)
        return Pairs.from_draws(**{"draws": self.draws, **values})

    def __str__(self) -> str:
        there = {role: name for role, name in self._asdict().items() if name is not None}
        return ", ".join(f"{role}={name}" for role, name in there.items())


def choose_columns(
    available: Sequence[str],
    given: Given,
    place: str,
) -> Columns:
    """Use the given names, guess the others, and say what there is where that fails."""
    predictions = ("yes", "draws") if _sampled(available, given) else ("q",)
    roles = ("y", *predictions, "weight", "group")
    columns = Columns(**{role: _choose(role, given.get(role), available, place) for role in roles})  # type: ignore[arg-type]
    found = columns.roles()
    for role, name in found.items():
        if list(available).count(name) > 1:
            raise InputError(f"{place} has more than one column {name!r}: rename one of them.")
        twin = next((other for other in found if other != role and found[other] == name), None)
        if twin is not None:
            raise InputError(f"{place}: column {name!r} cannot be both {role} and {twin}.")
    return columns


def _sampled(available: Sequence[str], given: Given) -> bool:
    """Whether predictions are counts of draws: so named, or the only ones that can be found."""
    if given.get("yes") is not None or given.get("draws") is not None:
        if given.get("q") is not None:
            raise InputError("Give a column q, or yes and draws, not both.")
        return True
    if given.get("q") is not None:
        return False
    there = {role: _guess(role, available) is not None for role in ("q", "yes", "draws")}
    return not there["q"] and there["yes"] and there["draws"]


def _guess(role: str, available: Sequence[str]) -> str | None:
    by_fold = {str(name).strip().lower(): name for name in reversed(available)}
    return next((by_fold[guess] for guess in GUESSES[role] if guess in by_fold), None)


def _choose(
    role: str, given: str | int | Literal[False] | None, available: Sequence[str], place: str
) -> str | int | None:
    listed = ", ".join(map(str, available[:40])) + (", ..." if len(available) > 40 else "")
    if given is False:
        if role in REQUIRED:
            raise InputError(f"{place}: there must be a column for {role}.")
        return None
    if given is not None:
        if given in available:
            return given
        if role == "draws" and str(given).isdigit():
            return int(given)
        raise InputError(f"{place} has no column {given!r} for {role}. Its columns are: {listed}.")
    guessed = _guess(role, available)
    if guessed is None and role in REQUIRED:
        raise InputError(
            f"{place}: cannot tell which column holds {WANTED[role]}. Its columns are: {listed}. "
            f"Name one with {role}=... (on the command line --{role} NAME)."
        )
    return guessed
