"""Corpora by name: where they are published, and how they are found on this machine."""
