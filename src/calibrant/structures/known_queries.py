"""All queries of the library; importing this module registers their names."""

from calibrant.results.naming import parse
from calibrant.structures.coreference.predicted_queries import PredictedLink
from calibrant.structures.coreference.queries import NewEntity, SameEntity, Singleton
from calibrant.structures.labels.queries import EveryLabel, LabelIs, TopK, TopLabel
from calibrant.structures.query import Query
from calibrant.structures.sequences.predicted_queries import (
    PredictedSequence,
    PredictedSpan,
    PredictedTag,
)
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs, TagPair
from calibrant.structures.trees.queries import HasConstituent, PredictedConstituent

QUERIES: tuple[type[Query], ...] = (
    *(LabelIs, TopLabel, TopK, EveryLabel),
    *(TagIs, EveryTag, TagPair, HasSpan),
    *(PredictedTag, PredictedSpan, PredictedSequence),
    *(HasConstituent, PredictedConstituent),
    *(SameEntity, NewEntity, Singleton, PredictedLink),
)


def parse_query(text: str) -> Query:
    """Parse the printed form of a query.

    >>> parse_query("HasSpan('PER', floor=0.1)")
    HasSpan(type='PER', floor=0.1)
    """
    query: Query = parse(text, Query.kind)
    return query
