"""The synthetic study: what bin size and sample size do to the score."""
