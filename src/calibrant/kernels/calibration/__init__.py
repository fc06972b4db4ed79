"""Compiled loops over pairs, bins and groups."""
