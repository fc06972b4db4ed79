"""From a model's answers to a number, a table and a figure.

    python examples/first_steps.py [FOLDER]

The tagger is synthetic: 400 sentences of 20 tokens, overconfident by 0.08.
"""

import sys
from pathlib import Path

import calibrant as cb
from calibrant.plots import save_figure

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# y: is the token a verb?  q: the probability that the tagger gave.  group: its sentence.
tagger = cb.synthetic.sample_groups(400, cb.synthetic.inward(0.08), seed=5)
pairs = cb.Pairs(tagger.y, tagger.q, group=tagger.group)

print(cb.score(pairs))
print()
table = cb.score(pairs, [cb.CalibScore(size=400), cb.ECE(), cb.Brier()])
print(table.render("md"))

# The middle of the scale alone: most predictions of real taggers lie near 0 and 1.
print()
print(cb.score(pairs, cb.CalibScore(size=200, above=0.3, below=0.7)))

curve = cb.curve(pairs, cb.AdaptiveBins(size=500))
path = save_figure(cb.plot({"tagger": curve}), folder / "tagger.png")
print(f"\nThe curve is in {path.name}.")
