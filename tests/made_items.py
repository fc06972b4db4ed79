"""Items that tests make themselves: words of two kinds, in documents that lean to one of them."""

import numpy as np

from calibrant.studies.classifiers.items import Items, Split
from calibrant.studies.classifiers.tasks import Task


def made_items(documents, seed, name="d", each=5):
    """Documents of `each` items; words w0 to w29 tell, with noise, whether the answer is yes."""
    rng = np.random.default_rng(seed)
    features, y, document = [], [], []
    for k in range(documents):
        lean = rng.normal()
        for _ in range(each):
            logit = lean + rng.normal()
            words = rng.normal(logit, 4.0, 12) / 2 + 15
            features.append([f"w{int(np.clip(word, 0, 29))}" for word in words])
            y.append(rng.random() < 1 / (1 + np.exp(-2 * logit)))
            document.append(f"{name}{k}")
    return Items(features, np.array(y), np.array(document))


def made_split(seed=0, sizes=(60, 40, 40)):
    """Three parts of as many documents."""
    return Split(*(made_items(size, seed + k, f"part{k} ") for k, size in enumerate(sizes)))


def made_task(name="made", sizes=(50, None), **options):
    """A task with a single made split."""
    return Task(name, "Is it?", lambda most: (made_split(**options),), sizes)
