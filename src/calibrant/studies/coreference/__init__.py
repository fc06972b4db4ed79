"""The study of coreference."""
