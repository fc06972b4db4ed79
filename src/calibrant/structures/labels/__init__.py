"""One label per item: posterior and queries."""
