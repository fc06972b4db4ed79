"""Arguments that are given as an object or as its printed form: `ECE(count=15)`, `"ECE"`."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeGuard

from calibrant.errors import ParameterError, option
from calibrant.results.naming import EXAMPLES, Named, parse

NORMAL = "normal"  # intervals by a normal approximation, which resample nothing


def choose(given: object, kind: str, default: Named | None = None) -> Any:  # noqa: ANN401 - by kind
    """The object of this kind that was given, itself or by its printed form.

    Parameters
    ----------
    given
        An object, its printed form, or None for the default.
    kind
        "score", "curve", "interval", "test" or "query".
    default
        What None stands for, where it stands for anything.

    Examples
    --------
    >>> from calibrant.calibration.scores import Brier
    >>> choose("ECE(count=15)", "score")
    ECE(count=15)
    >>> choose(None, "score", Brier())
    Brier
    """
    if given is None and default is not None:
        return default
    chosen = parse(given, kind) if isinstance(given, str) else given
    if isinstance(chosen, Named) and chosen.kind == kind:
        return chosen
    if isinstance(chosen, type) and issubclass(chosen, Named) and chosen.kind == kind:
        raise ParameterError(
            f"{chosen.__name__} is a class: pass an object of it, such as {chosen.__name__}()."
        )
    article = "An" if kind == "interval" else "A"
    raise ParameterError(f"{article} {kind} was expected, such as {EXAMPLES[kind]}, not {given!r}.")


def are_several(given: object) -> TypeGuard[Iterable[object]]:
    """Whether an argument holds several objects, rather than one or its printed form."""
    return isinstance(given, Iterable) and not isinstance(given, str | type)


def choose_all(given: Iterable[object], kind: str) -> list[Any]:
    """Several objects of a kind; all are known before anything is computed with the first."""
    chosen = [choose(each, kind) for each in given]
    if not chosen:
        raise ParameterError(f"There must be at least one {kind}.")
    return chosen


def choose_interval(given: object, seed: int | None = None) -> Any:  # noqa: ANN401 - an Interval
    """The interval that was given, with this seed; None where bare values are asked for.

    >>> from calibrant.calibration.intervals import Bootstrap
    >>> choose_interval("Bootstrap", seed=3)
    Bootstrap(seed=3)
    >>> choose_interval("none") is None
    True
    """
    if asks_for_none(given):
        if seed is not None:
            raise ParameterError(
                f"{option('seed')} is for intervals, and {option('interval', 'None')} asks for "
                f"bare values: leave {option('seed')} out."
            )
        return None
    return seeded(choose(given, "interval"), seed)


def wants_normal(given: object, seed: int | None = None) -> bool:
    """Whether "normal" intervals are asked for, by a verb that has no others, or bare values."""
    if given == NORMAL:
        return True
    if choose_interval(given, seed) is None:
        return False
    raise ParameterError(
        f"The intervals of a description are {NORMAL!r}, not {given!r}: leave {option('interval')} "
        f"out, or ask for {option('interval', 'None')}."
    )


def asks_for_none(given: object) -> bool:
    """Whether `interval` asks for the bare value: None, or "none"."""
    return given is None or (isinstance(given, str) and given.strip().lower() == "none")


def seeded(chosen: Any, seed: int | None) -> Any:  # noqa: ANN401 - the same object, or a copy
    """The same interval or test with another seed; one that draws nothing stays as it is."""
    if seed is None or not hasattr(chosen, "seed"):
        return chosen
    return replace(chosen, seed=seed)
