"""The study of classifiers: which are calibrated as they come, and what recalibration gains."""
