"""Precision, recall and F1 of spans; a span is correct if begin, end and type match."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calibrant.errors import InputError
from calibrant.results.tabular import Tabular
from calibrant.structures.spans import spans

Tags = Sequence[Sequence[str]]


@dataclass(frozen=True)
class SpanF1(Tabular):
    """The numbers of true, predicted and correctly predicted spans.

    `types` has the same numbers for each type. As in conlleval, precision and recall are 0 if there
    are no spans.
    """

    gold: int
    predicted: int
    right: int
    types: Mapping[str, "SpanF1"] = field(default_factory=dict)

    @property
    def precision(self) -> float:
        """The share of predicted spans that are correct."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of gold spans that were found."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.gold + self.predicted
        return 2 * self.right / both if both else 0.0

    def table(self) -> tuple[list[str], list[list[str]]]:
        """A row for all spans and one for each type."""
        header = ["type", "precision", "recall", "F1", "gold", "predicted", "right"]
        rows = [
            [name, *(f"{each:.3f}" for each in (one.precision, one.recall, one.f1))]
            + [str(each) for each in (one.gold, one.predicted, one.right)]
            for name, one in [("all", self), *self.types.items()]
        ]
        return header, rows


def span_f1(gold: object, predicted: object) -> SpanF1:
    """Compare predicted with gold spans, as conlleval does.

    Parameters
    ----------
    gold, predicted
        The tags of every sentence: a corpus, or a list of lists of tags in IOB2, IOB1, IO,
        BIOES or BILUO.

    Examples
    --------
    >>> print(span_f1([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]]))
    type  precision  recall     F1  gold  predicted  right
    all       0.500   0.500  0.500     2          2      1
    LOC       1.000   1.000  1.000     1          1      1
    PER       0.000   0.000  0.000     1          1      0
    """
    there, said, right = Counter[str](), Counter[str](), Counter[str]()
    for one, other in _sentences(gold, predicted):
        first, second = set(spans(one)), set(spans(other))
        there.update(span.type for span in first)
        said.update(span.type for span in second)
        right.update(span.type for span in first & second)
    types = {each: SpanF1(there[each], said[each], right[each]) for each in sorted(there | said)}
    return SpanF1(there.total(), said.total(), right.total(), types)


def _sentences(gold: object, predicted: object) -> list[tuple[Sequence[str], Sequence[str]]]:
    one, other = _tags("gold", gold), _tags("predicted", predicted)
    if len(one) != len(other):
        raise InputError(
            "gold and predicted must have the same sentences, but there are "
            f"{len(one)} and {len(other)}."
        )
    for k, (first, second) in enumerate(zip(one, other, strict=True)):
        if len(first) != len(second):
            raise InputError(
                f"gold and predicted must have the same words, but sentence {k} (from 0) has "
                f"{len(first)} and {len(second)} tags."
            )
    return list(zip(one, other, strict=True))


def _tags(name: str, given: object) -> Tags:
    tags: Any = getattr(given, "tags", given)
    if isinstance(tags, str) or any(isinstance(sentence, str) for sentence in tags):
        raise InputError(f"{name} must be a list of sentences, each a list of tags.")
    return list(tags)
