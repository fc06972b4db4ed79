"""From posteriors to pairs: one folder per structure, and the modules they share."""
