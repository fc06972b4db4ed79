"""Commands without a verb of the same name in Python: train, study, demo."""
