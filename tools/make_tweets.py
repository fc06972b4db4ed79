"""Makes tweets.parquet: `python tools/make_tweets.py`.

Trains the three taggers of the twitter-pos study on the ARK tweets (oct27.train, with oct27.dev
for early stopping) and keeps their answers about oct27.test: for every word its sentence, whether
it is a verb, and the probability that each model gives to a verb. Numbers only, no text.
"""

from pathlib import Path

import polars

from calibrant.checks.files import replacing
from calibrant.structures.sequences.tag_queries import TagIs
from calibrant.studies.progress import Progress
from calibrant.studies.tagging.plan import TWITTER
from calibrant.studies.tagging.taggers import Parts, fit_all
from calibrant.verbs import ask

TWEETS = Path(__file__).parents[1] / "src" / "calibrant" / "data" / "tweets.parquet"


def main() -> None:
    """Write the file."""
    parts = Parts.of(TWITTER.corpus)
    fits = fit_all(TWITTER.models, parts, Progress(say=print))
    asked = {name: ask(fit.chain, parts.test, TagIs(TWITTER.tag)) for name, fit in fits.items()}
    y = next(iter(asked.values())).y
    columns = {"sentence": parts.test.sentence, "y": y} | {n: p.q for n, p in asked.items()}
    frame = polars.DataFrame(columns).cast({"sentence": polars.Int16, "y": polars.Int8})
    with replacing(TWEETS) as temporary:
        frame.write_parquet(temporary)
    print(f"{TWEETS.name}: {frame.height} words, {TWEETS.stat().st_size} bytes")


if __name__ == "__main__":
    main()
