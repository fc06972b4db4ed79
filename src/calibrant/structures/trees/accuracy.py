"""Precision, recall and F1 of labelled brackets, as EVALB counts them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from calibrant.errors import InputError
from calibrant.structures.exact_match import SpanF1
from calibrant.structures.spans import Span
from calibrant.structures.trees.parse import ROOTS, Parse

DELETED = frozenset((",", ":", "``", "''", ".", "-NONE-"))  # words with these tags are removed
SAME = {"PRT": "ADVP"}  # labels that count as another label


def bracket_f1(gold: object, predicted: object) -> SpanF1:
    """Score predicted trees as EVALB does with the settings of COLLINS.prm.

    Words whose gold tag is punctuation (, : `` '' .) or -NONE- are removed before spans are
    counted; other marks, such as brackets, hyphens and $, stay. Roots (TOP, S1 as in new.prm, ROOT,
    and an empty label) and tags are not brackets. PRT counts as ADVP. Brackets without any
    remaining word do not count. A label that occurs twice over the same words is two brackets.
    new.prm differs only in the tags ? and !, which the Penn Treebank does not have.

    Parameters
    ----------
    gold, predicted
        The trees of every sentence: a treebank, or a list of `Parse`.

    Examples
    --------
    >>> from calibrant.corpora import Parse, bracket_f1
    >>> gold = [Parse.from_text("(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ runs)) (. .)))")]
    >>> said = [Parse.from_text("(ROOT (S (NP (DT the)) (VP (NN dog) (VBZ runs)) (. .)))")]
    >>> print(bracket_f1(gold, said))
    type  precision  recall     F1  gold  predicted  right
    all       0.333   0.333  0.333     3          3      1
    NP        0.000   0.000  0.000     1          1      0
    S         1.000   1.000  1.000     1          1      1
    VP        0.000   0.000  0.000     1          1      0
    """
    there, said, right = Counter[str](), Counter[str](), Counter[str]()
    for one, other in _trees(gold, predicted):
        kept = [tag not in DELETED for tag in one.tags]
        first, second = (Counter(_brackets(tree, kept)) for tree in (one, other))
        for counts, found in ((there, first), (said, second), (right, first & second)):
            for span, many in found.items():
                counts[span.type] += many
    types = {each: SpanF1(there[each], said[each], right[each]) for each in sorted(there | said)}
    return SpanF1(there.total(), said.total(), right.total(), types)


def _brackets(tree: Parse, kept: Sequence[bool]) -> list[Span]:
    before = [0]  # the number of kept words before each word
    for each in kept:
        before.append(before[-1] + each)
    found = [
        Span(before[span.begin], before[span.end], SAME.get(span.type, span.type))
        for span in tree.spans
        if span.type not in ROOTS
    ]
    return [span for span in found if span.begin < span.end]


def _trees(gold: object, predicted: object) -> list[tuple[Parse, Parse]]:
    one, other = _listed("gold", gold), _listed("predicted", predicted)
    if len(one) != len(other):
        raise InputError(
            f"gold and predicted must have the same sentences, but they have {len(one)} and "
            f"{len(other)}."
        )
    for k, (first, second) in enumerate(zip(one, other, strict=True)):
        if first.words != second.words:
            raise InputError(
                f"gold and predicted must have the same words, but sentence {k} (from 0) is "
                f"{' '.join(first.words)[:60]!r} of {first.size} and "
                f"{' '.join(second.words)[:60]!r} of {second.size}."
            )
    return list(zip(one, other, strict=True))


def _listed(name: str, given: Any) -> list[Parse]:  # noqa: ANN401 - unchecked input
    trees: Any = getattr(given, "trees", given)
    listed = not isinstance(trees, Parse | str) and hasattr(trees, "__iter__")
    if not listed or not all(isinstance(each, Parse) for each in trees):
        raise InputError(f"{name} must be a treebank or a list of Parse.")
    return list(trees)
