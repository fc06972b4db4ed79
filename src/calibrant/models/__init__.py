"""What is fitted on a corpus and gives posteriors."""

from calibrant.models.hmm import HMM, FittedHMM

__all__ = ["HMM", "FittedHMM"]
