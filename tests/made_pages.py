"""Predictions with texts, for pages."""

import numpy as np
import polars

WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]
HOSTILE = [
    "</script><script>document.title = 'owned'</script>",
    '<img src="x" onerror="document.title = \'owned\'">',
    "\u202eright to left\u202c and \u2066isolated\u2069",
    "line\u2028separator & paragraph\u2029separator",
    "nul \x00 and bell \x07",
    "\"quotes\" 'quotes' <b>bold</b> &amp; --> ]]>",
    "<!-- comment",
    "${document.title = 'owned'} {{7*7}}",
]


def made_predictions(n=600, seed=0, slope=0.5):
    """Overconfident predictions about a marked word of made sentences."""
    rng = np.random.default_rng(seed)
    q = np.round(rng.beta(0.7, 0.9, n).clip(0.001, 0.999), 4)
    y = rng.random(n) < 1 / (1 + np.exp(-slope * np.log(q / (1 - q))))
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(n)]
    return polars.DataFrame(
        {
            "y": y.astype(int),
            "q": q,
            "doc": [f"doc{k}" for k in rng.integers(0, 40, n)],
            "text": texts,
            "begin": [4] * n,
            "end": [7] * n,
            "genre": rng.choice(["news", "web", "mail"], n),
        }
    )


def hostile_predictions():
    """Texts, groups and categories that try to be more than text."""
    frame = made_predictions(400)
    texts = [HOSTILE[k % len(HOSTILE)] for k in range(frame.height)]
    labels = [HOSTILE[k % 3] + str(k % 20) for k in range(frame.height)]
    return frame.with_columns(
        text=polars.Series(texts), doc=polars.Series(labels), genre=polars.Series(texts)
    )
