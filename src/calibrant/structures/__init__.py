"""From what a model believes to pairs: one folder for each structure, and what they share."""
