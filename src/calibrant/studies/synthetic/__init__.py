"""The synthetic study: the effect of bin size and sample size on the score."""
