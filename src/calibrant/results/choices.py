"""Parse arguments that may be an object or its printed form: `ECE(count=15)`, `"ECE"`."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeGuard

from calibrant.errors import ParameterError, option
from calibrant.results.naming import EXAMPLES, Named, parse

NORMAL = "normal"  # intervals from a normal approximation, without resampling


def choose(given: object, kind: str, default: Named | None = None) -> Any:  # noqa: ANN401 - by kind
    """Return an object of this kind, parsing its printed form if needed.

    Parameters
    ----------
    given
        An object, its printed form, or None for the default.
    kind
        "score", "curve", "interval", "test" or "query".
    default
        The object to use for None; without a default, None is refused.

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
    """Return several objects of a kind, all checked before any of them is used."""
    chosen = [choose(each, kind) for each in given]
    if not chosen:
        raise ParameterError(f"There must be at least one {kind}.")
    return chosen


def choose_interval(given: object, seed: int | None = None) -> Any:  # noqa: ANN401 - an Interval
    """Return the interval with this seed, or None if no interval is wanted.

    >>> from calibrant.calibration.intervals import Bootstrap
    >>> choose_interval("Bootstrap", seed=3)
    Bootstrap(seed=3)
    >>> choose_interval("none") is None
    True
    """
    if asks_for_none(given):
        if seed is not None:
            raise ParameterError(
                f"{option('seed')} is for intervals, but {option('interval', 'None')} computes "
                f"none: leave {option('seed')} out."
            )
        return None
    return seeded(choose(given, "interval"), seed)


def wants_normal(given: object, seed: int | None = None) -> bool:
    """Whether to compute "normal" intervals, for a verb that supports no others."""
    if given == NORMAL:
        return True
    if choose_interval(given, seed) is None:
        return False
    raise ParameterError(
        f"The intervals of a description are {NORMAL!r}, not {given!r}: leave {option('interval')} "
        f"out, or use {option('interval', 'None')}."
    )


def asks_for_none(given: object) -> bool:
    """Whether `interval` is None or "none", so that no interval is computed."""
    return given is None or (isinstance(given, str) and given.strip().lower() == "none")


def seeded(chosen: Any, seed: int | None) -> Any:  # noqa: ANN401 - the same object, or a copy
    """Return the interval or test with another seed; one without a seed is unchanged."""
    if seed is None or not hasattr(chosen, "seed"):
        return chosen
    return replace(chosen, seed=seed)
