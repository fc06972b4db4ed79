"""The tags of words by a tagger of spaCy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrant.errors import InputError
from calibrant.structures.labels.labels import Labels
from calibrant.structures.labels.words import WordLabels
from calibrant.structures.spacy_docs import component, fresh_docs


def spacy_tags(nlp: Any, docs: Sequence[Any], *, pipe: str = "tagger") -> WordLabels:  # noqa: ANN401
    """The tags of all words, from the tagger of a spaCy pipeline.

    spaCy stores the best tag of each word and drops the probabilities. The model of the tagger
    returns logits unless it was configured to normalise them; both are recognised by the layer
    itself, and a temperature of that layer is applied. Sentences of the result are documents.

    Parameters
    ----------
    nlp
        The pipeline.
    docs
        Documents, whose words are used and nothing else, or texts.
    pipe
        The name of the component: a tagger or a morphologizer.

    Examples
    --------
    >>> from calibrant.outputs import spacy_tags
    >>> words = spacy_tags(nlp, docs)  # doctest: +SKIP
    >>> gold = words.gold([[token.tag_ for token in doc] for doc in docs])  # doctest: +SKIP
    >>> cb.score_classes(words.labels, gold, group=words.sentence)  # doctest: +SKIP
    """
    one = component(nlp, pipe)
    rows = [np.asarray(each) for each in one.model.predict(fresh_docs(nlp, docs, pipe))]
    labels = list(one.labels)
    if any(each.ndim != 2 or each.shape[1] != len(labels) for each in rows):
        raise InputError(
            f"pipe must give a score for each of its labels to every word, but {pipe!r} does not: "
            "take a tagger or a morphologizer."
        )
    matrix = np.concatenate(rows)
    if not len(matrix):
        raise InputError("There must be at least one word, but docs has none.")
    sizes = [len(each) for each in rows]
    return WordLabels(
        _posterior(one.model, matrix, labels),
        np.repeat(np.arange(len(rows)), sizes),
        np.concatenate([np.arange(size) for size in sizes]),
        len(rows),
    )


def _posterior(model: Any, matrix: Any, labels: list[str]) -> Labels:  # noqa: ANN401
    """The probabilities: as they are if the last layer normalises, or their softmax."""
    for layer in model.walk():
        if "softmax_normalize" in layer.attrs:
            if layer.attrs["softmax_normalize"]:
                return Labels(matrix, labels)
            scale = float(layer.attrs.get("softmax_temperature", 1.0))
            return Labels.from_logits(matrix.astype(np.float64) / scale, labels)
    return Labels.from_logits(matrix, labels)
