"""The attributes of a token, in the formats that python-crfsuite accepts."""

from collections.abc import Iterable, Iterator, Mapping, Set
from math import isfinite
from typing import Any

from calibrant.errors import InputError

Attribute = tuple[str, float]


def attributes(token: Any) -> list[Attribute]:  # noqa: ANN401 - lists, sets and dicts of many kinds
    """The attributes of a token with their weights; repeated attributes add up.

    Examples
    --------
    >>> attributes({"word": "dog", "title": False, "length": 3, "in": ["names"]})
    [('word:dog', 1.0), ('title', 0.0), ('length', 3.0), ('in:names', 1.0)]
    """
    if not isinstance(token, dict):
        return [(_text(name), 1.0) for name in _names(token)]
    found: list[Attribute] = []
    for key, value in token.items():
        name = _text(key)
        if isinstance(value, dict | list | set):
            found += [(f"{name}:{inner}", weight) for inner, weight in attributes(value)]
        elif isinstance(value, str | bytes):
            found.append((f"{name}:{_text(value)}", 1.0))
        else:
            found.append((name, _weight(name, value)))
    return found


def attributes_of(sentences: Iterable[Any]) -> Iterator[list[list[Attribute]]]:
    """The attributes of every token, sentence by sentence; errors name the token."""
    if not _is_list(sentences):
        raise InputError(f"sentences must be a list, but they are a {type(sentences).__name__}.")
    for k, sentence in enumerate(sentences):
        if not _is_list(sentence):
            raise InputError(
                f"Sentence {k} must be a list of tokens, but it is of type "
                f"{type(sentence).__name__}."
            )
        read = []
        for t, token in enumerate(sentence):
            try:
                read.append(attributes(token))
            except InputError as error:
                raise InputError(f"Sentence {k}, token {t}: {error}") from error
        yield read


def _is_list(values: object) -> bool:
    """Whether values are an ordered list; an ItemSequence of pycrfsuite hides its tokens."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping | Set)


def _names(token: Any) -> Any:  # noqa: ANN401
    """The names in a list or a set."""
    if isinstance(token, str | bytes):
        raise InputError(
            f"attributes must be a list, a set or a dict, but they are the string {token!r}. "
            "Pass [token] if it is one attribute, list(token) if each letter is."
        )
    if isinstance(token, Mapping):
        raise InputError(
            f"attributes must be a list, a set or a dict, not {type(token).__name__}: pass "
            "dict(token)."
        )
    try:
        return iter(token)
    except TypeError as error:
        raise InputError(
            f"attributes must be a list, a set or a dict, but they are {token!r}."
        ) from error


def _text(name: object) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, bytes):
        return name.decode("utf-8", "surrogateescape")
    raise InputError(f"the name of an attribute must be a string, but it is {name!r}.")


def _weight(name: str, value: Any) -> float:  # noqa: ANN401
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = float("nan")
    if isfinite(weight):
        return weight
    raise InputError(
        f"the value of attribute {name!r} must be a finite number, a string, or a dict, list or "
        f"set, but it is {value!r}."
    )
