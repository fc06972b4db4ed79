"""Time of fitting a temperature, against one pass of marginals.

Trains a hidden Markov model and a conditional random field with word features on UD English-EWT
(Penn tags), and times on its dev sentences, in one process: a pass of marginals; fitting one
temperature, or two, with cross-fitting over ten folds of documents and the log loss of every
sentence tempered by what the other folds gave; and the evidence for the log loss (interval). Prints
each as a multiple of the pass. Medians of several runs, in seconds of processor time.

Run: CALIBRANT_DATA=... python benchmarks/temperatures.py [RUNS]
"""

import unshadow  # noqa: F401, I001  (before other imports)

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from calibrant.bridges.tempering import cross_fit, recalibrate_posterior
from calibrant.calibration.intervals import Bootstrap
from calibrant.models import CRF, HMM, AdaGrad, Basic
from calibrant.structures.named.sequences import load_corpus
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.inference import sum_up
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.tempering import ChainLikelihood
from calibrant.structures.tempering.likelihood import fit

FOLDS = 10


def seconds(work: Callable[[], object], runs: int) -> float:
    """The median processor time of several runs, after one that compiles."""
    work()
    found = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return statistics.median(found)


def fit_across(chain: Chain, gold: Corpus, separate: bool) -> None:
    """Fit, fit without each fold, and temper each fold by what the others gave."""
    likelihood = ChainLikelihood.of_gold(chain, gold, separate)
    fitted = fit(likelihood)
    documents = np.unique(np.asarray(gold.documents), return_inverse=True)[1]
    fold = documents[fitted.items] % FOLDS
    for k, at in enumerate(cross_fit(likelihood, fitted, fold)):
        likelihood.measure(at, fitted.items[fold == k])


def main(runs: int) -> None:
    """Print the times."""
    train, dev = (load_corpus("ud-ewt", part) for part in ("train", "dev"))
    models = {"HMM": HMM(), "CRF": CRF(Basic(), training=AdaGrad(epochs=5))}
    for name, model in models.items():
        chain = model.fit(train).posteriors(dev)
        one = seconds(lambda chain=chain: sum_up(chain.scores), runs)
        print(f"{name}: {len(chain)} sentences, {len(chain.score)} words, {len(chain.tags)} tags")
        print(f"  a pass of marginals        {one:8.4f} s")
        work = {
            "one temperature, cross-fitted": lambda chain=chain: fit_across(chain, dev, False),
            "two temperatures, cross-fitted": lambda chain=chain: fit_across(chain, dev, True),
            "with the interval of log loss": lambda chain=chain: recalibrate_posterior(
                chain, dev, None, 0.95, Bootstrap(), 0, queries=()
            ),
        }
        for what, each in work.items():
            took = seconds(each, runs)
            print(f"  {what:30} {took:8.4f} s = {took / one:5.1f} passes")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
