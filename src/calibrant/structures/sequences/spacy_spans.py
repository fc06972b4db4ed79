"""Spans and entities of spaCy, with their scores before any threshold."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.structures.gold import label_groups
from calibrant.structures.places import TypedPlaces, checked_floor
from calibrant.structures.spacy_docs import component, fresh_docs
from calibrant.structures.spans import Span

Found = list[tuple[int, Span, float]]  # the document, the span and its score


def spacy_spans(
    nlp: Any,  # noqa: ANN401 - a pipeline of spaCy
    docs: Sequence[Any],
    gold: Sequence[Any],
    *,
    pipe: str = "spancat",
    floor: float = 0.001,
    group: object = None,
) -> Pairs:
    """Is this a span of this type? One question per suggested span and type.

    `doc.spans[key].attrs["scores"]` holds only the spans above the threshold of the component
    (0.5 by default), so its scores say nothing about what the model thought improbable. Here every
    suggestion counts. Gold spans that were never suggested are not asked about: the suggester
    decides on the questions, and the gold does not.

    Parameters
    ----------
    nlp
        The pipeline.
    docs
        Documents, whose words are used and nothing else, or texts.
    gold
        The true spans of each document: (begin, end, type), in words, with `end` excluded; or
        documents, whose spans under the key of the component are taken.
    pipe
        The name of the component: `spancat` or `spancat_singlelabel`.
    floor
        Ask about suggestions with at least this score.
    group
        The group of each document (default: the document itself).
    """
    one = component(nlp, pipe)
    made = fresh_docs(nlp, docs, pipe)
    suggested, scores = one.predict(made)
    lengths, places = np.asarray(suggested.lengths), np.asarray(suggested.data)
    of = np.repeat(np.arange(len(made)), lengths)
    q = np.asarray(scores, np.float64)[:, : len(one.labels)]  # another column means: no span
    row, column = np.nonzero(q >= checked_floor(floor))
    found = [
        (int(of[r]), Span(int(places[r, 0]), int(places[r, 1]), one.labels[c]), float(q[r, c]))
        for r, c in zip(row.tolist(), column.tolist(), strict=True)
    ]
    true = _gold_spans(gold, len(made), lambda doc: doc.spans.get(one.key, ()))
    return _pairs(found, true, len(made), group, floor)


def spacy_entities(
    nlp: Any,  # noqa: ANN401
    docs: Sequence[Any],
    gold: Sequence[Any],
    *,
    pipe: str = "ner",
    beam_width: int = 16,
    beam_density: float = 1e-4,
    floor: float = 0.001,
    group: object = None,
) -> Pairs:
    """Is this an entity of this type? One question per entity of the beam.

    spaCy stores the best entities and no probabilities. A beam search keeps several analyses of a
    document; q is the share of those with the entity, each weighted by the softmax of its score
    over the beam. Know what that is: the parser was trained greedily, one transition at a time, so
    the weights of whole analyses were never fitted; analyses that fell off the beam count as
    impossible, so shares depend on its width. They can be scored like any confidence, but they
    are not marginals of a model.

    Parameters
    ----------
    nlp
        As in `spacy_spans`.
    docs
        As in `spacy_spans`.
    gold
        The true entities of each document: (begin, end, type), in words, with `end` excluded; or
        documents, whose `ents` are taken.
    pipe
        The name of the component.
    beam_width
        The number of analyses that are kept.
    beam_density
        The least weight of an analysis that is kept, relative to the best.
    floor
        Ask about entities with at least this share.
    group
        As in `spacy_spans`.
    """
    one = component(nlp, pipe)
    if not hasattr(one, "beam_parse"):
        raise InputError(f"pipe must be a component with a beam, such as 'ner', not {pipe!r}.")
    width = whole_number("beam_width", beam_width, 2)
    density = real_number("beam_density", beam_density)
    if not 0 <= density < 1:
        raise ParameterError(f"beam_density must lie in [0, 1), but it is {density!r}.")
    made = fresh_docs(nlp, docs, pipe)
    least = checked_floor(floor)
    found = [
        (k, Span(int(begin), int(end), str(type_)), float(share))
        for k, each in enumerate(_shares(one, made, width, density))
        for (begin, end, type_), share in sorted(each.items())
        if share >= least
    ]
    return _pairs(
        found, _gold_spans(gold, len(made), lambda doc: doc.ents), len(made), group, least
    )


def _shares(one: Any, docs: list[Any], width: int, density: float) -> list[dict[Any, float]]:  # noqa: ANN401
    """The share of the beam that each entity has, for each document."""
    beams = one.beam_parse(docs, beam_width=width, beam_density=density)
    found = [dict(each) for each in one.scored_ents(beams)]
    del beams  # before the documents that they point into
    return found


def _pairs(
    found: Found, true: set[tuple[int, Span]], count: int, group: object, floor: float
) -> Pairs:
    """A pair for each span that was found."""
    places = TypedPlaces.of(
        [(k, span) for k, span, _ in found], np.array([share for _, _, share in found])
    )
    nothing = f"No span has a score of at least {floor:g}: lower the floor."
    return places.pairs(true, label_groups(count, group, "document"), nothing)


def _gold_spans(gold: Sequence[Any], count: int, of_doc: Any) -> set[tuple[int, Span]]:  # noqa: ANN401
    """The true spans, from documents or from tuples."""
    if isinstance(gold, Mapping | str) or len(gold) != count:
        raise InputError(f"gold must have the spans of each of the {count} documents.")
    found = set()
    for k, each in enumerate(gold):
        spans = of_doc(each) if hasattr(each, "ents") else each
        for span in spans:
            if hasattr(span, "label_"):
                found.add((k, Span(span.start, span.end, span.label_)))
                continue
            if len(span) != 3 or not isinstance(span[2], str):
                raise InputError(f"gold[{k}] must hold (begin, end, type), but one is {span!r}.")
            found.add((k, Span(int(span[0]), int(span[1]), span[2])))
    return found
