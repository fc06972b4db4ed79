"""Grammars estimated from treebanks."""
