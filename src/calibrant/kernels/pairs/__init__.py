"""Compiled loops over rows of pairs."""
