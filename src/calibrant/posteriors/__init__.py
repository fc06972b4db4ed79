"""Distributions over structures: what a model believes about each item."""

from calibrant.posteriors.chain import Chain
from calibrant.posteriors.grammar import Grammar
from calibrant.posteriors.labels import Labels
from calibrant.posteriors.links import Links
from calibrant.posteriors.tree import SpanMarginals, Tree

__all__ = ["Chain", "Grammar", "Labels", "Links", "SpanMarginals", "Tree"]
