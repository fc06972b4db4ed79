"""Temperatures of posteriors, and fitting them to gold structures."""
