"""Models that link mentions to earlier mentions."""
