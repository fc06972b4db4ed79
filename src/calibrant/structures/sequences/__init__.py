"""Tags of sentences: corpora, chains, queries, taggers."""
