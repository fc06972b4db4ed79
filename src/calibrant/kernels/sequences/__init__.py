"""Compiled loops over tag sequences."""
