"""How well a posterior tags a corpus, by hand."""

import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.structures.sequences.accuracy import check_dev, judge_posterior, known_sentences
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus

CORPUS = Corpus((("a", "b"), ("c",), (), ("d",)), (("D", "N"), ("D",), (), ("X",)))


def test_by_hand():
    rows = [np.log([[0.9, 0.1], [0.4, 0.6]]), np.log([[0.2, 0.8]]), [], np.log([[0.5, 0.5]])]
    chain = Chain.from_scores(rows, np.zeros((2, 2)), tags=["D", "N"])
    found = judge_posterior(chain, CORPUS)
    # the sentence with the unknown tag X has no log-likelihood, and its word is wrong
    assert found.log_likelihood == pytest.approx(np.log(0.9 * 0.6 * 0.2) / 3)
    assert found.accuracy == 2 / 4


def test_sentences_with_known_tags():
    assert known_sentences(CORPUS, ("D", "N")).tolist() == [0, 1, 2]
    check_dev(CORPUS, ("D",))
    with pytest.raises(InputError, match="each of its 4 sentences has other tags"):
        check_dev(CORPUS, ("V",))
