"""Taggers: hidden Markov models and conditional random fields."""
