"""Make news.csv: predictions of a model that finds sentences about protests, some of them labelled.

    python examples/news.py

No news is in it: 600 articles of 2019 and 2020 with 4 to 16 sentences each, whose answers and
probabilities are drawn. Protests become more frequent. The model was trained on older news, and
finds fewer of them as time goes on. 300 sentences, drawn at random, are labelled. truth.csv has all
answers, which nobody would know.
"""

import numpy as np
import polars
from scipy.special import expit


def make(seed: int = 1) -> polars.DataFrame:
    """All sentences, with their answers."""
    rng = np.random.default_rng(seed)
    size = rng.integers(4, 17, 600)
    article = np.repeat(np.arange(600), size)
    day = np.sort(rng.integers(0, 731, 600))
    years = day[article] / 365.25
    logit = -1.9 + 0.9 * years + rng.normal(0, 0.7, 600)[article] + rng.normal(0, 1.3, article.size)
    dates = np.datetime64("2019-01-01") + day[article]
    known = np.zeros(article.size, bool)
    known[rng.choice(article.size, 300, replace=False)] = True
    truth = rng.random(article.size) < expit(logit)
    frame = polars.DataFrame(
        {
            "id": np.arange(1, article.size + 1),
            "article": article + 1,
            "date": dates.astype(str),
            "prob": expit(logit - 0.2 - 0.7 * years).round(4),
            "truth": truth.astype(int),
        }
    )
    return frame.with_columns(y=polars.when(polars.Series(known)).then("truth"))


if __name__ == "__main__":
    news = make()
    news.drop("truth").write_csv("news.csv")
    news.select("id", "date", "truth").write_csv("truth.csv")
