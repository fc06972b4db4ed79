"""The empirical joint distribution of observations and predictions."""

from calibrant.pairs import synthetic
from calibrant.pairs.pairs import Pairs

__all__ = ["Pairs", "synthetic"]
