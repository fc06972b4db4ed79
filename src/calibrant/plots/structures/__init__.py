"""Pictures of structures: parses and mentions."""
