"""Figures of structures: parses and mentions."""
