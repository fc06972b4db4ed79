"""From pairs to answers: curves, scores, intervals, tests and analyses."""
