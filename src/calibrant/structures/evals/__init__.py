"""Evaluation logs of language models: attempts at questions, and every kind of confidence."""
