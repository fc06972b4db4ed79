"""The demo: language models that say how sure they are, and taggers of tweets."""
