"""Gaps between predictions and frequencies, from which scores and intervals are computed."""
