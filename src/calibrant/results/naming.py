"""Names that parse back: `CalibScore(size=400)` is a label, a table key and a CLI argument.

The printed form of an object is its class and the arguments that differ from their defaults. It
is parsed with Python's grammar but never evaluated: only literals and registered names are read.
"""

import ast
import inspect
from typing import Any, ClassVar

from calibrant.errors import ParameterError, UnknownName
from calibrant.results.wording import counted

REGISTRY: dict[str, dict[str, type["Named"]]] = {}
EXAMPLES = {
    "score": "CalibScore or CalibScore(size=400)",
    "curve": "AdaptiveBins(size=400)",
    "interval": "Bootstrap(replicates=1000)",
    "test": "Cumulative or HosmerLemeshow(count=10)",
    "recalibrator": "Platt or Isotonic",
    "query": "TopLabel, LabelIs('NN') or TagIs('NN')",
}
ALONE = ("recalibrator",)  # kinds that are no arguments: curves have some of the same names
QUOTED = "\"TagIs('NN')\""
VALUES = {  # examples of arguments that have no default
    "label": "'NN'",
    "tag": "'NN'",
    "first": "'DT'",
    "second": "'NN'",
    "type": "'PER'",
}


class Named:
    """An immutable object whose printed form parses back to an equal object.

    A subclass is registered under its `kind` ("score", "curve", "query", ...) and its name. Its
    attributes are named like the arguments of its constructor, or it overrides `arguments`.
    """

    kind: ClassVar[str] = ""

    def __init_subclass__(cls, abstract: bool = False, **rest: object) -> None:
        super().__init_subclass__(**rest)
        if cls.kind and not abstract:
            REGISTRY.setdefault(cls.kind, {})[cls.__name__] = cls

    def arguments(self) -> dict[str, object]:
        """The constructor's arguments, in order; those at their default are not printed."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters
        shown = []
        for name, value in self.arguments().items():
            if value == parameters[name].default:
                continue
            positional = parameters[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            shown.append(
                repr(value) if positional and isinstance(value, Named) else f"{name}={value!r}"
            )
        return f"{type(self).__name__}({', '.join(shown)})" if shown else type(self).__name__

    def spelled(self) -> str:
        """The printed form with every argument, for signatures."""
        shown = ", ".join(f"{name}={value!r}" for name, value in self.arguments().items())
        return f"{type(self).__name__}({shown})"


def parse(text: str, kind: str) -> Any:  # noqa: ANN401 - the class is known only from the text
    """Return the object of this kind that prints as `text`.

    >>> from calibrant.calibration.scores import CalibScore
    >>> parse("CalibScore(size=400)", "score") == CalibScore(size=400)
    True
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ParameterError(_not_a_name(text, kind)) from error
    return _build(tree, kind, text)


def _build(node: ast.expr, kind: str, text: str) -> Any:  # noqa: ANN401
    call = node if isinstance(node, ast.Call) else None
    name = call.func if call else node
    if not isinstance(name, ast.Name):
        raise ParameterError(_not_a_name(text, kind))
    known = REGISTRY.get(kind, {})
    if name.id not in known:
        raise UnknownName(kind, name.id, known)
    given = call.keywords if call else []
    positional = [_value(each, kind, text) for each in call.args] if call else []
    keywords = {word.arg or "**": _value(word.value, kind, text) for word in given}
    if len(keywords) < len(given):
        raise ParameterError(f"{text!r} gives an argument twice.")
    _check_arguments(known[name.id], positional, keywords, text)
    try:
        return known[name.id](*positional, **keywords)
    except TypeError as error:
        raise ParameterError(f"{text!r} has an argument of the wrong type: {error}.") from error


def _check_arguments(
    made: type[Named], positional: list[Any], keywords: dict[str, Any], text: str
) -> None:
    """Refuse arguments that are unknown, given twice, too many, or missing."""
    allowed = inspect.signature(made).parameters
    for word in keywords:
        if word not in allowed:
            raise UnknownName(f"argument of {made.__name__}", word, allowed)
    in_order = [name for name, each in allowed.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    if len(positional) > len(in_order):
        raise ParameterError(_too_many(made.__name__, len(positional), in_order, list(allowed)))
    filled = in_order[: len(positional)]
    if twice := set(filled) & set(keywords):
        raise ParameterError(f"{text!r} gives {min(twice)} twice.")
    needed = [name for name, each in allowed.items() if each.default is each.empty]
    if missing := [name for name in needed if name not in (*filled, *keywords)]:
        example = ", ".join(VALUES.get(each, "...") for each in needed)
        raise ParameterError(
            f"{made.__name__} needs {' and '.join(missing)}: write {made.__name__}({example})."
        )


def _too_many(name: str, given: int, in_order: list[str], allowed: list[str]) -> str:
    most = f"at most {counted(len(in_order), 'argument')}" if in_order else "no arguments"
    instead = f"{name}({allowed[-1]}=...)" if allowed else name
    return f"{name} takes {most} without a name, but {given} were given: write {instead}."


def _not_a_name(text: str, kind: str) -> str:
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{text!r} is not {article} {kind}: write a name, such as {EXAMPLES[kind]}."


def _value(node: ast.expr, kind: str, text: str) -> Any:  # noqa: ANN401
    if isinstance(node, ast.Call | ast.Name):
        name = node.func if isinstance(node, ast.Call) else node
        for its, known in REGISTRY.items():
            if its not in ALONE and isinstance(name, ast.Name) and name.id in known:
                return _build(node, its, text)
        if kind == "query":  # the shell has removed the quotes
            raise ParameterError(
                f"In {text!r}, {ast.unparse(node)} must be a value: put it in quotes, and the "
                f"whole query in quotes of the other kind, as in {QUOTED}."
            )
        raise UnknownName(
            "name", ast.unparse(name), [n for known in REGISTRY.values() for n in known]
        )
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise ParameterError(
            f"In {text!r}, {ast.unparse(node)!r} must be a plain value."
        ) from error
