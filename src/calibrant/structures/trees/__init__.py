"""Constituents of sentences: treebanks, grammars, parses, queries."""
