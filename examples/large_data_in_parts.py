"""Score more pairs than fit in memory: compress each part, add the parts.

python examples/large_data_in_parts.py
"""

import calibrant as cb

whole = None
for part in range(8):  # eight files, say, of 200,000 pairs
    pairs = cb.synthetic.sample(200_000, cb.synthetic.inward(0.05), seed=part)
    summary = pairs.compress(bits=10)  # at most 135,000 rows, however many pairs
    whole = summary if whole is None else (whole + summary).compress(bits=10)

print(whole)
print(cb.score(whole, [cb.CalibScore(), cb.ECE(), cb.Brier()]))
