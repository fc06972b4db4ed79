"""Compiled loops over parses."""
