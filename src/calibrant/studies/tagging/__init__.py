"""The studies of part-of-speech taggers."""
