"""The study of pipelines: what becomes of uncertainty in the next step."""
