"""Names that read back: `CalibScore(size=400)` is a label, a table key and a command-line word.

An object's printed form is its class and the arguments that differ from their defaults. It is
parsed with Python's grammar but never evaluated: only literals and registered names are read.
"""

import ast
import inspect
from typing import Any, ClassVar

from calibrant.errors import ParameterError, UnknownName

REGISTRY: dict[str, dict[str, type["Named"]]] = {}
EXAMPLES = {
    "score": "CalibScore or CalibScore(size=400)",
    "curve": "AdaptiveBins(size=400)",
    "interval": "Bootstrap(replicates=1000)",
    "test": "Cumulative or HosmerLemeshow(count=10)",
    "query": "TopLabel, LabelIs('NN') or TagIs('NN')",
}
QUOTED = "\"TagIs('NN')\""


class Named:
    """An immutable object whose printed form parses back to an equal object.

    A subclass is registered under its `kind` ("score", "curve", "query", ...) and its name. Its
    attributes have the names of its constructor's arguments, or it overrides `arguments`.
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
    """The object of this kind that prints as `text`.

    >>> from calibrant.calibration.scores import CalibScore
    >>> parse("CalibScore(size=400)", "score") == CalibScore(size=400)
    True
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ParameterError(
            f"{text!r} names no {kind}: write a name, such as {EXAMPLES[kind]}."
        ) from error
    return _build(tree, kind, text)


def _build(node: ast.expr, kind: str, text: str) -> Any:  # noqa: ANN401
    call = node if isinstance(node, ast.Call) else None
    name = call.func if call else node
    if not isinstance(name, ast.Name):
        raise ParameterError(f"{text!r} names no {kind}: write a name, such as {EXAMPLES[kind]}.")
    known = REGISTRY.get(kind, {})
    if name.id not in known:
        raise UnknownName(kind, name.id, known)
    given = call.keywords if call else []
    positional = [_value(each, kind, text) for each in call.args] if call else []
    keywords = {word.arg or "**": _value(word.value, kind, text) for word in given}
    if len(keywords) < len(given):
        raise ParameterError(f"{text!r} names an argument twice.")
    allowed = inspect.signature(known[name.id]).parameters
    for word in keywords:
        if word not in allowed:
            raise UnknownName(f"argument of {name.id}", word, allowed)
    try:
        return known[name.id](*positional, **keywords)
    except TypeError as error:
        raise ParameterError(f"{text!r} cannot be made: {error}.") from error


def _value(node: ast.expr, kind: str, text: str) -> Any:  # noqa: ANN401
    if isinstance(node, ast.Call | ast.Name):
        name = node.func if isinstance(node, ast.Call) else node
        for its, known in REGISTRY.items():
            if isinstance(name, ast.Name) and name.id in known:
                return _build(node, its, text)
        if kind == "query":  # a shell takes the quotes away
            raise ParameterError(
                f"In {text!r}, {ast.unparse(node)} must be a value: write it in quotes, and the "
                f"whole in others, as in {QUOTED}."
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
