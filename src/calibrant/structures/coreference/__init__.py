"""Mentions and their entities: documents, links, queries, accuracy."""
