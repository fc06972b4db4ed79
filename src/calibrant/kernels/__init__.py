"""Compiled loops over plain arrays; they know no other types of the library."""
