"""The study of parsing."""
