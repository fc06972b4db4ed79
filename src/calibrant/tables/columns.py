"""Which column is which: named by the user, or guessed from common names."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from calibrant.errors import InputError

GUESSES: Mapping[str, Sequence[str]] = {
    "y": (
        *("y", "gold", "label", "target", "truth", "true", "y_true", "observed", "observation"),
        *("outcome", "correct", "is_correct", "answer", "prob1_outcome"),
    ),
    "q": (
        *("q", "prob", "probability", "proba", "p", "y_prob", "confidence", "conf", "prediction"),
        *("predicted", "pred", "score", "p_yes", "prob1"),
    ),
    "weight": ("weight", "weights"),
    "group": (
        *("group", "sent", "sentence", "sent_id", "sentence_id"),
        *("doc", "document", "doc_id", "document_id"),
    ),
}
Given = Mapping[str, str | Literal[False] | None]  # False: there is none, do not guess
REQUIRED = ("y", "q")


class Columns(NamedTuple):
    """The column of each role; None where there is none."""

    y: str
    q: str
    weight: str | None
    group: str | None

    def roles(self) -> dict[str, str]:
        """The columns that are there, by role."""
        return {role: name for role, name in self._asdict().items() if name is not None}

    def __str__(self) -> str:
        return ", ".join(f"{role}={name}" for role, name in self.roles().items())


def choose_columns(
    available: Sequence[str],
    given: Given,
    place: str,
) -> Columns:
    """Use the given names, guess the others, and say what there is where that fails."""
    chosen = {role: _choose(role, given.get(role), available, place) for role in GUESSES}
    columns = Columns(**chosen)  # type: ignore[arg-type]  # required roles are never None
    roles = columns.roles()
    for role, name in roles.items():
        if list(available).count(name) > 1:
            raise InputError(f"{place} has more than one column {name!r}: rename one of them.")
        twin = next((other for other in roles if other != role and roles[other] == name), None)
        if twin is not None:
            raise InputError(f"{place}: column {name!r} cannot be both {role} and {twin}.")
    return columns


def _choose(
    role: str, given: str | Literal[False] | None, available: Sequence[str], place: str
) -> str | None:
    listed = ", ".join(map(str, available[:40])) + (", ..." if len(available) > 40 else "")
    if given is False:
        if role in REQUIRED:
            raise InputError(f"{place}: there must be a column for {role}.")
        return None
    if given is not None:
        if given in available:
            return given
        raise InputError(f"{place} has no column {given!r} for {role}. Its columns are: {listed}.")
    by_fold = {str(name).strip().lower(): name for name in reversed(available)}
    for guess in GUESSES[role]:
        if guess in by_fold:
            return by_fold[guess]
    if role in REQUIRED:
        wanted = "the observations (0 or 1)" if role == "y" else "the predicted probabilities"
        raise InputError(
            f"{place}: cannot tell which column holds {wanted}. Its columns are: {listed}. "
            f"Name one with {role}=... (on the command line --{role} NAME)."
        )
    return None
