"""Confidences from the log-probabilities of tokens."""

from collections.abc import Mapping, Sequence
from math import exp, isfinite
from typing import Any

OUTSIDE = -9000.0  # servers write −9999 for a token that is not among the most probable ones
AROUND = " \t\n()[]{}<>.,:;!?*\"'`▁ĠĊ"  # what may stand around a letter in one token


def token_confidences(tokens: Sequence[Mapping[str, Any]], answer: str | None) -> dict[str, float]:
    """The confidences in an answer that was generated token by token.

    `tokens` has one entry per token: its text, its log-probability, and perhaps the most probable
    tokens at its place. "sequence" is the product of all probabilities, "perplexity" their
    geometric mean. "token" is the probability of the answer if it is one token, the last one that
    equals it; other spellings at the same place ("A", " A", "(A") count too. Nothing is returned
    if log-probabilities are missing, placeholders (all exactly 0), or stand for "not among them".

    >>> spelled = [{"token": "A", "logprob": -1.0}, {"token": " A", "logprob": -2.0}]
    >>> found = token_confidences([{"token": "A", "logprob": -1.0, "top_logprobs": spelled}], "A")
    >>> {kind: round(q, 3) for kind, q in found.items()}
    {'sequence': 0.368, 'perplexity': 0.368, 'token': 0.503}
    """
    values = [each.get("logprob") for each in tokens]
    if not values or not all(isinstance(each, int | float) for each in values):
        return {}
    numbers = [float(each) for each in values]  # type: ignore[arg-type]
    if not all(isfinite(each) and OUTSIDE < each <= 0 for each in numbers) or not any(numbers):
        return {}
    found = {"sequence": exp(sum(numbers)), "perplexity": exp(sum(numbers) / len(numbers))}
    alone = _answer_token(tokens, answer)
    return found if alone is None else found | {"token": alone}


def _answer_token(tokens: Sequence[Mapping[str, Any]], answer: str | None) -> float | None:
    """The probability of the last token that is the answer, in all its spellings."""
    wanted = _plain(answer)
    if not wanted:
        return None
    at = [each for each in tokens if _plain(each.get("token")) == wanted]
    if not at:
        return None
    own = at[-1]
    listed = own.get("top_logprobs") or ()
    spellings = {str(own.get("token")): float(own["logprob"])}
    for each in listed:
        value = each.get("logprob")
        if _plain(each.get("token")) == wanted and isinstance(value, int | float):
            spellings[str(each.get("token"))] = float(value)
    total = sum(exp(each) for each in spellings.values() if each > OUTSIDE)
    return min(total, 1.0)  # rounding of the server


def _plain(text: object) -> str:
    return text.strip(AROUND).lower() if isinstance(text, str) else ""
