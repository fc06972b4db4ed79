"""Compiled loops: arrays in, arrays out, nothing of calibrant's nouns."""
