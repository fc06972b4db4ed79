"""The study of named entities."""
