"""One row per word, from models that give a row for each piece of a word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.arrays import COUNTABLE, Label
from calibrant.checks.items import described, listed_items
from calibrant.errors import InputError, ParameterError
from calibrant.results.wording import counted, each_of
from calibrant.structures.labels.labels import Labels

Int = NDArray[np.int64]
IGNORED = -100  # the label of pieces that the training of transformers leaves out


@dataclass(frozen=True, eq=False, repr=False)
class WordLabels:
    """The posterior of every word, with the sentence and the place that it came from.

    Pass `words.labels` to `ask` or `score_classes`, with `words.gold(tags)` and
    `group=words.sentence`: words of a sentence depend on each other.
    """

    labels: Labels
    sentence: Int  # the sentence of each row, counted from 0
    word: Int  # the word of each row within its sentence, counted from 0
    sentences: int  # how many sentences the model has, those without a word too

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"WordLabels({self.labels!r}, {counted(len(np.unique(self.sentence)), 'sentence')})"

    def gold(self, tags: Iterable[Iterable[Any]]) -> list[Label]:
        """The gold label of each row.

        Parameters
        ----------
        tags
            The labels of the words of each sentence, or the label ids that a model was trained
            on, whose entries of -100 are left out. Words that were cut off because a sentence was
            too long have no row, so their labels are left out too.
        """
        names = self.labels.names
        given = [
            _known_labels(each, f"tags[{k}]", names)
            for k, each in enumerate(listed_items(tags, "tags", "labels for each sentence"))
        ]
        if len(given) != self.sentences:
            raise InputError(
                f"tags must have a list for {each_of(self.sentences, 'sentence')}, but it has "
                f"{len(given)}."
            )
        found = []
        for k, t in zip(self.sentence.tolist(), self.word.tolist(), strict=True):
            if t >= len(given[k]):
                raise InputError(
                    f"tags[{k}] must have a label for every word, but it has {len(given[k])} and "
                    f"the model has a row for word {t} (counted from 0)."
                )
            found.append(given[k][t])
        return found


def word_labels(
    logits: object,
    word_ids: Sequence[Sequence[int | None]] | None = None,
    classes: object = None,
    *,
    label_ids: object = None,
    piece: Literal["first", "last"] = "first",
) -> WordLabels:
    """The labels of words, from the logits of a token classifier of transformers.

    A tokenizer cuts words into pieces, and adds tokens of its own. Each word takes the logits of
    one of its pieces: the one that the model was trained on, which is the first unless you chose
    another. All classes are kept, "O" too, and the softmax is computed in double precision. (The
    scores of a pipeline with `aggregation_strategy` are means or maxima over pieces of the best
    label alone. They are not probabilities of words or of entities.)

    Parameters
    ----------
    logits
        The output of the model: sentences × tokens × classes, padded; an array or a tensor on the
        CPU.
    word_ids
        For each sentence, the word of each token, or None for tokens that belong to no word:
        `[encoding.word_ids(k) for k in range(sentences)]`.
    classes
        The names of the classes: `[config.id2label[k] for k in range(config.num_labels)]`.
    label_ids
        Instead of word_ids: the label ids that the model was trained on, sentences × tokens. Each
        token with a label other than -100 is a word.
    piece
        "first" or "last": which piece speaks for a word.

    Examples
    --------
    >>> from calibrant.outputs import word_labels
    >>> logits = [[[0, 0], [2, 0], [9, 0], [0, 1], [0, 0]]]  # [CLS] Wash ##ington sleeps [SEP]
    >>> words = word_labels(logits, [[None, 0, 0, 1, None]], ["PER", "O"])
    >>> words.labels.probabilities.round(2)
    array([[0.88, 0.12],
           [0.27, 0.73]])
    >>> words.gold([["PER", "O"]])
    ['PER', 'O']
    """
    array = _batch(logits)
    if (word_ids is None) == (label_ids is None):
        given = "neither was" if word_ids is None else "both were"
        raise ParameterError(f"Give either word_ids or label_ids: {given} given.")
    if piece not in ("first", "last"):
        raise ParameterError(f"piece must be 'first' or 'last', but it is {piece!r}.")
    if word_ids is None:
        rows = _labelled(label_ids, array.shape)
    else:
        rows = _pieces(word_ids, array.shape[:2], piece)
    if not rows:
        raise InputError("There must be at least one word, but no token belongs to one.")
    sentence, token, word = (np.array(each, np.int64) for each in zip(*rows, strict=True))
    labels = Labels.from_logits(array[sentence, token], classes)
    return WordLabels(labels, sentence, word, len(array))


def _batch(logits: object) -> NDArray[Any]:
    if logits is None:
        raise InputError("logits must have the shape sentences × tokens × classes, but it is None.")
    array = arrays.as_array(logits, "logits")
    if array.ndim != 3:
        raise InputError(
            "logits must have the shape sentences × tokens × classes, but the shape is "
            f"{tuple(array.shape)}."
        )
    return array


def _pieces(word_ids: object, shape: tuple[int, ...], piece: str) -> list[tuple[int, int, int]]:
    """The sentence, the token and the word of every word."""
    given = listed_items(word_ids, "word_ids", "word numbers for each sentence")
    if len(given) != shape[0]:
        raise InputError(
            f"word_ids must have a list for {each_of(shape[0], 'sentence')} of logits, but it has "
            f"{len(given)}."
        )
    found = []
    for k, each in enumerate(given):
        words = listed_items(each, f"word_ids[{k}]", "word numbers")
        if len(words) > shape[1]:
            raise InputError(
                f"word_ids[{k}] must have a word or None for {each_of(shape[1], 'token')} of "
                f"logits, but it has {len(words)}."
            )
        place: dict[int, int] = {}
        for token, value in enumerate(words):
            word = _word_number(value, f"word_ids[{k}][{token}]")
            if word is not None and (piece == "last" or word not in place):
                place[word] = token
        found += [(k, token, word) for word, token in sorted(place.items())]
    return found


def _word_number(value: object, name: str) -> int | None:
    """The number of a word; -1 or -100 for no word would count from the end of the sentence."""
    scalar = isinstance(value, np.generic) or getattr(value, "ndim", None) == 0
    given: Any = value.item() if scalar and hasattr(value, "item") else value
    if given is None:
        return None
    if isinstance(given, int) and not isinstance(given, bool):
        if 0 <= given < COUNTABLE:
            return given
        hint = " Write None for tokens that belong to no word." if given < 0 else ""
    else:
        hint = ""
    raise InputError(
        f"{name} must be None or a word number from 0, but it is {described(given)}.{hint}"
    )


def _labelled(label_ids: object, shape: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """The same, if every token with a label is a word."""
    ids = arrays.as_array(label_ids, "label_ids")
    if ids.shape != shape[:2]:
        raise InputError(
            f"label_ids must have the shape {tuple(shape[:2])} of logits, but it is "
            f"{tuple(ids.shape)}."
        )
    kept = ids != IGNORED
    known = np.zeros(ids.shape, bool)
    if ids.dtype.kind in "iuf":
        known = np.isin(ids, np.arange(shape[2]))
    bad = kept & ~known
    if bad.any():
        row, column = (int(each) for each in np.argwhere(bad)[0])
        raise InputError(
            f"label_ids must hold label ids from 0 to {shape[2] - 1}, or {IGNORED} for tokens "
            f"without a label, but label_ids[{row}, {column}] is "
            f"{described(ids[row, column].item() if ids.dtype != object else ids[row, column])}."
        )
    sentence, token = np.nonzero(kept)
    word = (np.cumsum(kept, axis=1) - 1)[sentence, token]
    return list(zip(sentence.tolist(), token.tolist(), word.tolist(), strict=True))


def _known_labels(given: object, name: str, names: Sequence[Label]) -> list[Label]:
    """The labels of one sentence: as they are, or ids as names; -100 is left out."""
    found: list[Label] = []
    for t, each in enumerate(listed_items(given, name, "labels")):
        label: Any = each.item() if getattr(each, "ndim", None) == 0 else each
        if isinstance(label, float) and label.is_integer():  # ids that were padded as floats
            label = int(label)
        if not isinstance(label, str | int):
            raise InputError(f"{name}[{t}] must be a label, but it is {described(label)}.")
        if isinstance(label, int) and label == IGNORED:
            continue
        if isinstance(label, int) and isinstance(names[0], str):
            if not 0 <= label < len(names):
                raise InputError(
                    f"Label ids must lie in 0 to {len(names) - 1}, or be {IGNORED}, but one is "
                    f"{label}."
                )
            label = names[label]
        found.append(label)
    return found
