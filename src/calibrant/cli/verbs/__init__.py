"""One command for each verb, with the same name."""
