"""Slices of the data: cut by other columns, measured, tested, and searched for the worst."""
