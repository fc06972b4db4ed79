"""The study of recalibration: temperatures of structures, learnt on dev and judged on test."""
