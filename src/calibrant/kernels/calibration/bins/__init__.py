"""Compiled loops that put predictions into bins and cells."""
