"""Models that link mentions to earlier ones."""
