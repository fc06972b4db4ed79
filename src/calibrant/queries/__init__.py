"""Families of yes/no questions about a posterior."""

from calibrant.queries.labels import EveryLabel, LabelIs, TopLabel
from calibrant.queries.query import Query

__all__ = ["EveryLabel", "LabelIs", "Query", "TopLabel"]
