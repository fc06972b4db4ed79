"""Distributions over structures: what a model believes about each item."""

from calibrant.posteriors.chain import Chain
from calibrant.posteriors.labels import Labels
from calibrant.posteriors.links import Links

__all__ = ["Chain", "Labels", "Links"]
