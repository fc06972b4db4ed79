import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.structures.sequences.chain import Chain

FIRST = [0.6, 0.4]
MOVE = [[0.7, 0.3], [0.4, 0.6]]
SEEN = [[[0.5, 0.1], [0.4, 0.3], [0.1, 0.6]]]


def test_the_posterior_follows_from_the_joint_probability():
    """Rain and walks, the textbook's numbers: P(walk, shop, clean) = 0.033612."""
    chain = Chain.from_hmm([0.6, 0.4], MOVE, [[[0.1, 0.6], [0.4, 0.3], [0.5, 0.1]]], tags="RS")
    assert np.exp(chain.log_partition[0]) == pytest.approx(0.033612)
    assert chain.mode == [["S", "R", "R"]]
    assert chain.probability(0, ["S", "R", "R"]) == pytest.approx(0.01344 / 0.033612)


def test_the_end_of_a_sentence_has_a_probability_too():
    move, last = np.array(MOVE) * 0.9, [0.1, 0.1]
    ended = Chain.from_hmm(FIRST, move, SEEN, last=last, tags="RS")
    plain = Chain.from_hmm(FIRST, MOVE, SEEN, tags="RS")
    np.testing.assert_allclose(ended.marginals, plain.marginals)
    assert ended.log_partition == pytest.approx(plain.log_partition + np.log(0.081 / 0.9 * 0.9))
    uneven = Chain.from_hmm(FIRST, [[0.5, 0.3], [0.4, 0.1]], SEEN, last=[0.2, 0.5])
    assert uneven.marginals[2, 1] > plain.marginals[2, 1]


def test_zeros_forbid_and_densities_may_be_large():
    chain = Chain.from_hmm([1, 0], [[0, 1], [1, 0]], [np.full((3, 2), 40.0), []])
    assert chain.mode == [["0", "1", "0"], []]
    assert chain.entropy.tolist() == [0, 0]
    single = np.array(MOVE, np.float32) / np.float32(1)
    assert len(Chain.from_hmm(np.float32(FIRST), single, SEEN)) == 1


BAD = [
    (([0.6, 0.5], MOVE, SEEN), {}, "first must sum to 1, but it sums to 1.1"),
    ((FIRST, [[0.7, 0.3], [0.4, 0.5]], SEEN), {}, r"row 1 sums to 0.9 \(1 of 2 do not\)"),
    ((FIRST, np.array([[0.9, 0.2], [0.1, 0.8]]), SEEN), {}, r"Its columns do: pass move\.T"),
    ((FIRST, MOVE, SEEN), {"last": [0.1, 0.1]}, "together with its value of last sum to 1"),
    ((FIRST, MOVE, SEEN), {"last": [0.1, 0.1]}, "Without last they do: leave it out"),
    ((FIRST, MOVE, SEEN), {"last": [0.1]}, "last must have 2 values"),
    ((FIRST, np.log(MOVE), SEEN), {}, r"move\[0, 0\] is -0.35.* pass numpy.exp\(move\)"),
    ((FIRST, MOVE, np.log(SEEN)), {}, r"likelihoods\[0\] must hold .* pass Chain.from_scores"),
    ((FIRST, MOVE, [[[0.5, np.nan]]]), {}, r"likelihoods\[0\]\[0, 1\] is nan"),
    ((FIRST, MOVE, [[[0.5, "a"]]]), {}, "must hold numbers"),
    ((FIRST, MOVE, [[[0.5, 0.1, 0.2]]]), {}, "a column for each of 2 tags"),
    ((FIRST, MOVE, [[[0, 0]]]), {}, "No tag sequence is possible for sentence 0"),
    (
        (FIRST, MOVE, [[[0.5], [0.1, 0.2]]]),
        {},
        r"All items of likelihoods\[0\] must have the same length",
    ),
    (([0.2, 0.3, 0.5], MOVE, SEEN), {}, "for each of the 3 tags of first"),
    (([], MOVE, SEEN), {}, "first must have a value for each tag"),
    ((FIRST, MOVE, []), {}, "at least one sentence"),
    ((FIRST, MOVE, SEEN), {"tags": ["a"]}, "each of the 2 tags of move, but there is 1 name"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), BAD)
def test_bad_probabilities(arguments, options, message):
    with pytest.raises(InputError, match=message):
        Chain.from_hmm(*arguments, **options)
