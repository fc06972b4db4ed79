"""Readers of evaluation logs, one per format."""
