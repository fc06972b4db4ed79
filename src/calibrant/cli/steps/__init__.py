"""Commands that only files need: train, study, demo."""
