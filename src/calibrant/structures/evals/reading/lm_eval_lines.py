"""Lines of lm-eval samples.

The usual line of a multiple-choice question is decoded straight into what is needed of it, which
also checks it. All other lines are decoded whole, and checked field by field.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from calibrant.errors import FileError, printable
from calibrant.structures.evals.reading.json_files import REFUSED, Place, json_object

KEYS = {"doc_id", "doc", "target", "resps", "filtered_resps"}
LISTS, TEXTS = {list}, {str}  # types of which values must be


class Request(msgspec.Struct, gc=False):
    """What the model was given: the context, and the continuation with its delimiter."""

    arg_0: str
    arg_1: str


class Response(msgspec.Struct, array_like=True, gc=False):
    """A list; what is in it is not needed."""


class Likelihood(msgspec.Struct, array_like=True, gc=False):
    """A list of a log-likelihood, which is a text, and a flag."""

    value: str


class Sample(msgspec.Struct, gc=False):
    """A line: a question, and what the model answered."""

    doc_id: Any
    doc: Any
    target: Any
    resps: Any  # requests × repeats
    filtered_resps: Any  # requests
    arguments: Any = None
    filter: Any = "none"
    doc_hash: Any = None

    @property
    def name(self) -> str:
        """What identifies the question: the hash of its text, which other logs share."""
        return str(self.doc_hash or self.doc_id)

    def metrics(self, line: bytes, place: Place) -> Mapping[str, Any]:
        """All keys of the line, one per metric among them."""
        return json_object(line, place)


class Choice(Sample, kw_only=True, gc=False):
    """The usual line of a multiple-choice question, with one request per option."""

    resps: list[list[Response]]
    filtered_resps: list[Likelihood]
    arguments: dict[str, Request]


class Other(Sample, kw_only=True, gc=False):
    """Any other line."""

    row: Mapping[str, Any]

    def metrics(self, line: bytes, place: Place) -> Mapping[str, Any]:
        """All keys of the line, one per metric among them."""
        return self.row


_decode = msgspec.json.Decoder(Choice).decode


def sample_of(line: bytes, place: Place) -> Sample:
    """A line of such a log."""
    try:
        found = _decode(line)
        if not line.isascii():
            line.decode()  # texts that are passed over are not checked
    except REFUSED:
        pass
    else:
        if found.resps:
            return found
    row = json_object(line, place)
    if not row.keys() >= KEYS:
        missing = ", ".join(sorted(KEYS - row.keys()))
        raise FileError(f"{place}: not a line of lm-eval samples (no {missing}).")
    known = {name: row[name] for name in Sample.__struct_fields__ if name in row}
    return Other(**known, row=row)


def responses_of(sample: Sample, place: Place) -> list[Any]:
    """The responses: texts of all repeats, or one list for each option."""
    responses = sample.resps
    if not isinstance(responses, list) or not LISTS.issuperset(map(type, responses)):
        raise FileError(f"{place}, resps: a list of lists was expected.")
    if responses and responses[0] and isinstance(responses[0][0], str):
        if not TEXTS.issuperset(map(type, responses[0])):
            raise FileError(f"{place}, resps: texts were expected.")
        return list(responses[0])
    return responses


def logliks_of(sample: Sample, place: Place) -> list[float]:
    """The log-likelihoods of the options, each a text in a list with a flag."""
    responses = sample.filtered_resps
    if isinstance(sample, Choice):
        try:
            return [float(each.value) for each in responses]
        except ValueError:
            responses = [[each.value] for each in responses]
    return [_number(each, place) for each in responses]


def _number(response: object, place: Place) -> float:
    """The log-likelihood of an option: a text, in a list with a flag."""
    value = response[0] if isinstance(response, list) and response else response
    while isinstance(value, list) and value:
        value = value[0]
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise FileError(
            f"{place}, filtered_resps: {printable(repr(value))[:60]} is not a log-likelihood."
        ) from error


def requests_of(sample: Sample) -> list[Request]:
    """The request of each option; none if the log has none."""
    given = sample.arguments
    if isinstance(sample, Choice):
        return list(given.values())
    found: list[Any] = []
    if isinstance(given, dict):
        found = [(each.get("arg_0"), each.get("arg_1")) for each in given.values()]
    elif isinstance(given, list):
        found = [each[:2] for each in given if isinstance(each, list) and len(each) > 1]
    return [Request(a, b) for a, b in found if isinstance(a, str) and isinstance(b, str)]


def prompt_of(sample: Sample) -> object:
    """What the model was asked first."""
    given = sample.arguments
    first = next(iter(given.values()), None) if isinstance(given, dict) else None
    return first.get("arg_0") if isinstance(first, dict) else None


def options_among(requests: Sequence[Request], count: int) -> int:
    """How many requests are options: half, if the others are for mutual information.

    >>> with_context, without = Request("Is it?", " yes"), Request("", " yes")
    >>> options_among([with_context, without], 2), options_among([with_context] * 2, 2)
    (1, 2)
    """
    half = count // 2
    if len(requests) != count or count % 2 or requests[half].arg_0 or not requests[0].arg_0:
        return count
    return count if any(each.arg_0 for each in requests[half:]) else half


def gold_of(target: object, texts: Sequence[str] | None, count: int) -> Sequence[int]:
    """The correct options: a number, several numbers, or the text of an option; () if unknown.

    >>> gold_of("1", None, 4), gold_of("four", ["two", "four"], 2), gold_of("[0, 2]", None, 3)
    ([1], [1], [0, 2])
    >>> gold_of("7", None, 4)
    ()
    """
    if isinstance(target, str) and target.startswith("["):
        try:
            target = json.loads(target)
        except ValueError:
            return ()
    if isinstance(target, str) and texts is not None and texts.count(target.strip()) == 1:
        return [texts.index(target.strip())]
    numbers = target if isinstance(target, list) else [target]
    found = {int(each) for each in map(str, numbers) if each.removeprefix("-").isdecimal()}
    inside = {each for each in found if 0 <= each < count}
    return sorted(inside) if inside and len(inside) == len(numbers) else ()
