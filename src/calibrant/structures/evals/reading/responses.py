"""Responses of OpenAI-style servers, one JSON object per line, joined with gold answers.

Chat completions, completions, the Responses API, and batch files that wrap them. Whether
log-probabilities are those before or after the temperature depends on the server and is not in the
response.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from calibrant.checks.files import file_name
from calibrant.errors import FileError, InputError, option
from calibrant.structures.evals.answers import normalise
from calibrant.structures.evals.attempts import Asked, Attempts
from calibrant.structures.evals.reading.json_files import (
    UNEXPECTED,
    as_object,
    as_objects,
    json_objects,
    unexpected,
)
from calibrant.structures.evals.stated import stated_confidence
from calibrant.structures.evals.tokens import AROUND, token_confidences
from calibrant.tables.files import open_layout, text_frame
from calibrant.tables.names import file_names

LETTER = re.compile(r"[A-Z]")
# "I" is an option only if no sentence begins with it
CHOSEN = re.compile(
    r"(?i:answer(?:\s{1,9}is)?)\s{0,9}[:=]?\s{0,9}\(?\*{0,2}([A-HJ-Z]|I(?!\s{1,9}[a-z']))\b"
)
QUESTIONS = ("question", "question_id", "custom_id", "id")
GOLDS = ("gold", "correct_answer", "target", "answer")
GROUPS = ("group", "category", "subject", "topic", "document")


class Gold(NamedTuple):
    """The right answer to a question, and the document or category of the question."""

    answer: str
    group: str | None


class Reply(NamedTuple):
    """One answer of a server."""

    text: str
    tokens: list[Mapping[str, Any]]


def is_response(row: Mapping[str, Any]) -> bool:
    """Whether this is a response of such a server."""
    body = _body(row)
    return isinstance(body, dict) and (
        isinstance(body.get("choices"), list) or body.get("object") == "response"
    )


@dataclass
class Responses:
    """Where the gold answers to responses are, and what was found in the responses."""

    gold: str | Path | None = None  # a table with a row for each question
    notes: list[str] = field(default_factory=list)

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the answers of one file."""
        if self.gold is None:
            raise InputError(
                f"{file_name(path)} holds responses without gold answers: name a table with the "
                f"columns question and gold ({option('gold', 'FILE')})."
            )
        known = gold_answers(self.gold)
        stem = file_names([str(path)])[0]
        outside: list[float] = []
        for line, row in json_objects(path):
            place = f"{file_name(path)}, line {line}"
            body = _body(row)
            if not is_response(row) or body is None:
                raise FileError(f"{place}: not a response (no choices, no output).")
            name = str(row.get("custom_id") or row.get("question") or body.get("id") or line)
            gold = known.get(name)
            asked = Asked(
                str(body.get("model") or "model"), stem, name, None if gold is None else gold.group
            )
            try:
                for epoch, reply in enumerate(replies(body), start=1):
                    _add(reply, asked, epoch, gold, attempts)
                    outside += _outside(reply, gold)
            except UNEXPECTED as error:
                raise unexpected(place, error) from error
        if outside:
            mean = sum(outside) / len(outside)
            self.notes.append(f"{100 * mean:.1f} % of the probability is not on any letter")


def _add(reply: Reply, asked: Asked, epoch: int, gold: Gold | None, attempts: Attempts) -> None:
    answer = None if gold is None else extracted(reply.text, gold.answer)
    aside = "no gold answer" if gold is None else None if answer else "unparsed"
    right = gold is not None and bool(answer) and normalise(answer or "") == normalise(gold.answer)
    confidence = token_confidences(reply.tokens, answer)
    stated = stated_confidence(reply.text)
    attempts.add(
        asked,
        epoch=epoch,
        correct=None if aside else right,
        aside=aside,
        answer=answer,
        gold=None if gold is None else gold.answer,
        confidence=confidence if stated is None else confidence | {"stated": stated},
    )


def extracted(text: str, gold: str) -> str | None:
    """The answer in a text: a letter if the gold answer is one, else the whole text.

    >>> extracted("Let me see. The answer is (B).", "A"), extracted("Paris.", "Rome")
    ('B', 'Paris.')
    >>> extracted("I do not know", "A")
    """
    plain = text.strip()
    if not LETTER.fullmatch(gold.strip()):
        return plain or None
    alone = plain.strip(AROUND)
    if LETTER.fullmatch(alone):
        return alone
    found = CHOSEN.findall(plain)
    return found[-1].upper() if found else None


def gold_answers(path: str | Path) -> dict[str, Gold]:
    """The gold answers of a table, by question."""
    layout = open_layout(path)
    names = layout.names()
    chosen = [next((n for n in usual if n in names), None) for usual in (QUESTIONS, GOLDS, GROUPS)]
    question, answer, group = chosen
    if question is None or answer is None:
        raise FileError(
            f"{layout.source.name} needs the columns question and gold. Its columns are: "
            f"{', '.join(names)}."
        )
    wanted = [name for name in chosen if name is not None]
    frame = text_frame(layout, wanted)
    found: dict[str, Gold] = {}
    for i, row in enumerate(frame.iter_rows(named=True)):
        if row[question] in found:
            place = f"{layout.source.name}, {layout.place(i)}"
            raise FileError(f"{place}: question {row[question]!r} is there twice.")
        if row[answer]:
            found[row[question]] = Gold(row[answer], row[group] if group else None)
    return found


def replies(body: Mapping[str, Any]) -> Iterator[Reply]:
    """The answers in a response, of any of the three interfaces."""
    for choice in as_objects(body.get("choices"), "choices"):
        message = as_object(choice.get("message"), "message")
        logprobs = as_object(choice.get("logprobs"), "logprobs")
        text = message.get("content") if message else choice.get("text")
        yield Reply(str(text or ""), logprobs.get("content") or _old_tokens(logprobs))
    if body.get("object") == "response":
        parts = [
            part
            for item in as_objects(body.get("output"), "output")
            for part in as_objects(item.get("content"), "output.content")
            if part.get("type") == "output_text"
        ]
        tokens = [token for part in parts for token in part.get("logprobs") or ()]
        yield Reply("".join(str(part.get("text", "")) for part in parts), tokens)


def _old_tokens(logprobs: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Tokens of the completions interface: three parallel lists."""
    texts, values = logprobs.get("tokens") or (), logprobs.get("token_logprobs") or ()
    tops = logprobs.get("top_logprobs") or [None] * len(texts)
    return [
        {
            "token": text,
            "logprob": value,
            "top_logprobs": [{"token": t, "logprob": v} for t, v in (top or {}).items()],
        }
        for text, value, top in zip(texts, values, tops, strict=False)
    ]


def _body(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The response itself; batch files wrap it."""
    inner = row.get("response")
    if isinstance(inner, dict):
        body = inner.get("body", inner)
        return body if isinstance(body, dict) else None
    return row


def _outside(reply: Reply, gold: Gold | None) -> list[float]:
    """The probability at the letter of the answer that is on no letter at all."""
    if gold is None or not LETTER.fullmatch(gold.answer.strip()):
        return []
    for token in reversed(reply.tokens):
        tops = token.get("top_logprobs") or ()
        if LETTER.fullmatch(str(token.get("token", "")).strip(AROUND)) and tops:
            letters = {
                str(each.get("token")): float(each["logprob"])
                for each in tops
                if LETTER.fullmatch(str(each.get("token", "")).strip(AROUND))
            }
            return [max(0.0, 1 - sum(map(exp, letters.values())))]
    return []
