"""Validate arrays, parameters and files once, on input."""
