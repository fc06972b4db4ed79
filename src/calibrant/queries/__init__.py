"""Families of yes/no questions about a posterior."""

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
    "Query",
    "TagIs",
    "TagPair",
    "TopLabel",
]
