"""Compositions of both halves that verbs call: pairs of structures in, answers out."""
