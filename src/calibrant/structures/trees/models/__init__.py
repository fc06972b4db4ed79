"""Grammars that are read off treebanks."""
