"""Families of yes/no questions about a posterior."""

from calibrant.queries.labels import EveryLabel, LabelIs, TopLabel
from calibrant.queries.query import Query
from calibrant.queries.sequences import TagIs, TagPair

__all__ = ["EveryLabel", "LabelIs", "Query", "TagIs", "TagPair", "TopLabel"]
