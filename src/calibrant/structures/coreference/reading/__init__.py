"""Documents with mentions and their file formats."""
