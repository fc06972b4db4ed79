"""Families of yes/no questions about a posterior."""

from calibrant.queries.coreference import NewEntity, SameEntity, Singleton
from calibrant.queries.custom import Holds
from calibrant.queries.labels import EveryLabel, LabelIs, TopLabel
from calibrant.queries.query import Query
from calibrant.queries.sequences import EveryTag, TagIs, TagPair
from calibrant.queries.spans import HasSpan
from calibrant.queries.trees import HasConstituent

__all__ = [
    "EveryLabel",
    "EveryTag",
    "HasConstituent",
    "HasSpan",
    "Holds",
    "LabelIs",
    "NewEntity",
    "Query",
    "SameEntity",
    "Singleton",
    "TagIs",
    "TagPair",
    "TopLabel",
]
