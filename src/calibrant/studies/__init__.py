"""Whole experiments. Each runs by a plan and writes a folder of tables, figures and findings."""
