"""Numbers that come with the package: what three taggers said about tweets."""
