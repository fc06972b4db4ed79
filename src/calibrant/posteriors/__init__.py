"""Distributions over structures: what a model believes about each item."""

from calibrant.posteriors.labels import Labels

__all__ = ["Labels"]
