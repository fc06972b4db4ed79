"""Compiled loops over links between mentions."""
