"""The log-likelihood and accuracy of a posterior on a corpus."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus


class Judgement(NamedTuple):
    """The log-likelihood of the gold tags and the accuracy of the best sequences.

    Sentences with a tag that the model does not know are left out of the log-likelihood. Unknown
    tags count as wrong.
    """

    log_likelihood: float  # per word, natural logarithms
    accuracy: float


def judge_posterior(chain: Chain, corpus: Corpus) -> Judgement:
    """Compare the posterior of the sentences of a corpus with the gold tags."""
    from calibrant.kernels.sequences.crf import gold_scores

    code = {tag: k for k, tag in enumerate(chain.tags)}
    gold = np.array([code.get(tag, -1) for each in corpus.tags for tag in each], np.int64)
    known = known_sentences(corpus, chain.tags)
    golden = np.zeros(len(corpus))
    gold_scores(chain.start, chain.score, chain.move, gold, known, golden)
    some = known[chain.lengths[known] > 0]
    golden[some] += (
        chain.first[gold[chain.start[some]]] + chain.last[gold[chain.start[some + 1] - 1]]
    )
    likely = (golden - chain.log_partition)[known].sum() / max(chain.lengths[known].sum(), 1)
    best = [tag for sentence in chain.mode for tag in sentence]
    true = [tag for sentence in corpus.tags for tag in sentence]
    right = sum(a == b for a, b in zip(best, true, strict=True))
    return Judgement(float(likely), right / max(len(true), 1))


def known_sentences(corpus: Corpus, tags: tuple[str, ...]) -> NDArray[np.int64]:
    """The numbers of the sentences whose tags are all among these."""
    known = set(tags)
    return np.array([k for k, each in enumerate(corpus.tags) if known.issuperset(each)], np.int64)


def check_dev(dev: Corpus, tags: tuple[str, ...]) -> None:
    """Refuse dev sentences if all have tags that do not occur in train."""
    known = known_sentences(dev, tags)
    if not any(dev.tags[k] for k in known):
        raise InputError(
            "dev must have a sentence whose tags all occur in train, but each of its "
            f"{len(dev)} sentences has other tags: do both use the same tag set?"
        )
