"""One page about models: verdicts, curves, and the examples behind every point."""
