"""Corpora of tagged sentences and their file formats."""
