"""Answers made of several parts: description, comparison, decomposition, classes.

The modules come in pairs: `describing` computes, `description` is the result, and so on.
"""
