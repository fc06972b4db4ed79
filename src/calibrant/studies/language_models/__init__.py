"""The study of language models: stated confidence, probabilities of words, agreement."""
