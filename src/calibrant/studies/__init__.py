"""Whole experiments: numbers as CSV, figures as PNG and SVG, a table that sums them up."""
