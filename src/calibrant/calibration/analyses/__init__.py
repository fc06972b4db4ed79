"""Answers made of several parts: description, comparison, decomposition, classes."""
