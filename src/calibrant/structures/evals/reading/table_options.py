"""Options of multiple-choice questions in tables: log-likelihoods of each of them."""

import re
from collections.abc import Mapping
from math import inf
from typing import Any, TypedDict

from calibrant.errors import FileError, printable
from calibrant.structures.evals.answers import normalise
from calibrant.structures.evals.attempts import Listed
from calibrant.structures.evals.options import why_uninformative

YES, NO = {"1", "1.0", "true", "yes", "c"}, {"0", "0.0", "false", "no", "i"}
NEAR = 0.01  # distance of the sum of probabilities from 1, for rounding
NOT_A_NUMBER = "log-likelihood is not a number"


class Answered(TypedDict):
    """What options say about an answer, as an argument of `Attempts.add`."""

    correct: bool | None
    answer: str | None
    gold: str | None
    aside: str | None
    listed: Listed | None


def right_and_wrong(row: Mapping[str, Any]) -> Answered:
    """The most likely option, from the log-likelihoods of the correct options and of the others.

    Options are named by their texts if these are as many as their log-likelihoods, else by numbers
    that count from 1, the correct ones first.
    """
    right, wrong = (numbers(row[role]) for role in ("right", "wrong"))
    if right is None or wrong is None:
        return without_numbers(row.get("gold"))
    _refuse_probabilities([*right, *wrong])
    texts = option_texts(row, len(right), len(wrong))
    known = texts or [str(i + 1) for i in range(len(right))]
    gold = row.get("gold") or "; ".join(known[: len(right)])
    if texts is not None:  # attempts may list the same options in another order
        right, wrong, texts = in_order_of_texts(right, wrong, texts)
    loglik = [*right, *wrong]
    names = texts or [str(i + 1) for i in range(len(loglik))]
    best = loglik.index(max(loglik))
    return Answered(
        correct=best < len(right),
        answer=names[best],
        gold=gold,
        aside=_why_aside(loglik),
        listed=Listed(loglik, [i < len(right) for i in range(len(loglik))], texts),
    )


def option_texts(row: Mapping[str, Any], right: int, wrong: int) -> list[str] | None:
    """The texts of so many correct options and others; None if there are not as many.

    >>> option_texts({"right_texts": "so; so it is;", "wrong_texts": ["no"]}, 2, 1)
    ['so', 'so it is', 'no']
    """
    found = [_texts(row.get(role)) for role in ("right_texts", "wrong_texts")]
    return [*found[0], *found[1]] if list(map(len, found)) == [right, wrong] else None


def in_order_of_texts(
    right: list[float], wrong: list[float], texts: list[str]
) -> tuple[list[float], list[float], list[str]]:
    """The correct options and the others, each in the order of their texts.

    >>> in_order_of_texts([-1.0, -2.0], [-3.0], ["so", "aye", "no"])
    ([-2.0, -1.0], [-3.0], ['aye', 'so', 'no'])
    """
    split = len(right)
    first = sorted(zip(texts[:split], right, strict=True))
    rest = sorted(zip(texts[split:], wrong, strict=True))
    return [x for _, x in first], [x for _, x in rest], [text for text, _ in (*first, *rest)]


def without_numbers(gold: object) -> Answered:
    """What a row says whose log-likelihoods are missing or cannot be read."""
    known = "; ".join(golds(gold)) or None
    return Answered(correct=None, answer=None, gold=known, aside=NOT_A_NUMBER, listed=None)


def _texts(cell: object) -> list[str]:
    """The texts of a list, or those that semicolons separate."""
    parts = cell if isinstance(cell, list) else str(cell or "").split(";")
    return [str(each).strip() for each in parts if str(each or "").strip()]


def in_order(row: Mapping[str, Any]) -> Answered:
    """The answer, from the log-likelihoods of all options in their order.

    Gold and answer are letters, or numbers counted from 0. Without an answer, it is the most likely
    option. With another answer than that, the log-likelihoods say nothing about it.
    """
    loglik, gold = numbers(row["logliks"]), row.get("gold")
    if loglik is None:
        return without_numbers(gold)
    _refuse_probabilities(loglik)
    known = [option_number(each, len(loglik), "gold") for each in golds(gold)]
    given = row.get("answer") if "answer" in row else str(loglik.index(max(loglik)))
    if not (given or "").strip():
        return Answered(correct=None, answer=None, gold=gold, aside="unparsed", listed=None)
    answer = option_number(given or "", len(loglik), "answer")
    correct = said_correct(row) if "correct" in row else answer in known if known else None
    likely = loglik[answer] == max(loglik)
    flags = [i in known for i in range(len(loglik))] if known else None
    letters = any(each.strip()[-1:].isalpha() for each in golds(gold))
    return Answered(
        correct=correct,
        answer=chr(ord("A") + answer) if letters else str(answer),
        gold="; ".join(golds(gold)) or None,
        aside=_why_aside(loglik) if correct is not None else no_verdict(row),
        listed=Listed(loglik, flags) if likely else None,
    )


def said_correct(row: Mapping[str, Any]) -> bool | None:
    """What the column `correct` says: right, wrong, or nothing that can be read."""
    word = (row["correct"] or "").strip().lower()
    return word in YES if word in YES or word in NO else None


def no_verdict(row: Mapping[str, Any]) -> str:
    """Why nothing says whether the answer is right."""
    return "unscored" if "correct" in row else "no gold answer"


def golds(gold: object) -> list[str]:
    """The right answers: those of a list, a single one, or none."""
    listed = gold if isinstance(gold, list) else [gold]
    return [each for each in listed if isinstance(each, str) and each.strip()]


def option_number(text: str, count: int, role: str) -> int:
    """Which option is meant, counted from 0: a letter, or its number.

    >>> option_number("(C)", 4, "gold"), option_number("0", 4, "gold")
    (2, 0)
    """
    plain = normalise(text)
    number = int(plain) if plain.isdecimal() and len(plain) < 9 else -1
    if len(plain) == 1 and plain.isascii() and plain.isalpha():
        number = ord(plain) - ord("a")
    if not 0 <= number < count:
        raise FileError(
            f"{role}: {printable(text)[:40]!r} is none of the {count} options, which are letters "
            "or numbers counted from 0."
        )
    return number


def numbers(cell: object) -> list[float] | None:
    """Numbers of a list, or of a text such as "-1.5, -2" or "[-1.5; -2]"; None if they are none."""
    parts = cell if isinstance(cell, list) else re.split(r"[\s,;]+", str(cell).strip(" []"))
    try:
        found = [float(each) for each in parts]
    except (TypeError, ValueError):
        return None
    return found if found and all(each < inf for each in found) else None  # NaN is not below either


def _refuse_probabilities(loglik: list[float]) -> None:
    """Refuse numbers in [0, 1] that add up to 1: their softmax would be nearly even."""
    if min(loglik) >= 0 and max(loglik) > 0 and abs(sum(loglik) - 1) <= NEAR:
        raise FileError(
            f"the log-likelihoods of the options, {loglik[0]:g} and so on, add up to 1, so they "
            "seem to be probabilities: take their logarithms."
        )


def _why_aside(loglik: list[float]) -> str | None:
    why = why_uninformative(loglik)
    if why is None and 0.0 in loglik:
        return "a log-likelihood is exactly 0"  # a placeholder: no text is certain
    return why
