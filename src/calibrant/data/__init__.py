"""Numbers that come with the package; README.md says from where."""
