import numpy as np
import pytest
from real_data import DATA

from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.structures.loading import load_model
from calibrant.structures.sequences.models.hmm import HMM
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.sequences.reading.conllu import read_conllu
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.unknown import OTHER, WordClass

TRAIN = Corpus(
    (("the", "dog", "runs"), ("the", "cat"), ("dogs", "run"), ()),
    (("D", "N", "V"), ("D", "N"), ("N", "V"), ()),
)


def test_probabilities_are_counts_with_a_pseudocount():
    model = HMM(pseudocount=0.5, rare=0).fit(TRAIN)
    d, n, v = 0, 1, 2
    assert model.tags == ("D", "N", "V")
    # 3 sentences begin: D twice, N once
    assert np.exp(model.first) == pytest.approx(np.array([2.5, 1.5, 0.5]) / 4.5)
    # N occurs 3 times: V follows twice, one sentence ends
    assert np.exp(model.move[n, v]) == pytest.approx(2.5 / 5)
    assert np.exp(model.last[n]) == pytest.approx(1.5 / 5)
    # six words and the class of all others
    assert np.exp(model.emit[d, model.vocabulary["the"]]) == pytest.approx(2.5 / 5.5)
    assert np.exp(model.emit[d, model.vocabulary[OTHER]]) == pytest.approx(0.5 / 5.5)
    assert np.exp(model.emit).sum(axis=1) == pytest.approx(1)
    assert np.exp(model.move).sum(axis=1) + np.exp(model.last) == pytest.approx(1)


def test_the_posterior_is_that_of_the_joint_probability():
    model = HMM(rare=0).fit(TRAIN)
    words = ["the", "run"]
    the, run = (model.vocabulary[word] for word in words)
    joint = {
        (a, b): model.first[a]
        + model.emit[a, the]
        + model.move[a, b]
        + model.emit[b, run]
        + model.last[b]
        for a in range(3)
        for b in range(3)
    }
    total = np.logaddexp.reduce(list(joint.values()))
    chain = model.posteriors([words])
    assert chain.log_partition[0] == pytest.approx(total)
    for (a, b), value in joint.items():
        tags = [model.tags[a], model.tags[b]]
        assert chain.probability(0, tags) == pytest.approx(np.exp(value - total))


def test_rare_words_become_classes():
    one = HMM(unknown="one").fit(TRAIN)
    assert set(one.vocabulary) == {"the", WordClass("<rare>"), OTHER}
    seen, never = (one.posteriors([["the", word]]).marginals[1] for word in ("cat", "zebra"))
    np.testing.assert_array_equal(seen, never)
    shape = HMM().fit(TRAIN)
    assert WordClass("<low ogs>") in shape.vocabulary
    assert shape.posteriors([["frogs"]]).marginals[0].argmax() == 1  # as dogs
    assert shape.posteriors([["zebra"]]).log_partition[0] > -np.inf  # a class never seen


ODD = Corpus(
    (("<other>", "3", "<number>"), ("<other>", "4", "<number>"), ("<rare>", "<other>")),
    (("D", "N", "V"), ("D", "N", "V"), ("N", "V")),
)


@pytest.mark.parametrize("unknown", ["shape", "one"])
def test_words_spelled_like_classes_are_words(tmp_path, unknown):
    """They were taken for the classes: an IndexError, or other marginals after loading."""
    model = HMM(unknown=unknown).fit(ODD)
    words = {entry for entry in model.vocabulary if isinstance(entry, str)}
    assert words == {"<other>", "<number>"}
    assert model.emit.shape == (3, len(model.vocabulary))
    assert np.exp(model.emit).sum(axis=1) == pytest.approx(1)
    counts = np.exp(model.emit[0]) * (2 + len(model.vocabulary) * model.settings.pseudocount)
    assert counts[model.vocabulary["<other>"]] == pytest.approx(2.03)
    assert counts[model.vocabulary[OTHER]] == pytest.approx(0.03)
    asked = [["<other>", "5", "<number>", "<rare>", "never"]]
    again = load_model(model.save(tmp_path / "model"))
    assert list(again.vocabulary) == list(model.vocabulary)
    np.testing.assert_array_equal(
        again.posteriors(asked).marginals, model.posteriors(asked).marginals
    )


def test_renamed_words_change_nothing():
    """A word may be called anything: only its counts matter."""
    names = {"<other>": "aaa", "<number>": "bbb"}
    plain = Corpus(
        tuple(tuple(names.get(word, word) for word in words) for words in ODD.words), ODD.tags
    )
    odd, usual = HMM(unknown="one").fit(ODD), HMM(unknown="one").fit(plain)
    np.testing.assert_allclose(
        odd.posteriors(ODD).marginals, usual.posteriors(plain).marginals, rtol=1e-12
    )


def test_bad_settings():
    with pytest.raises(ParameterError, match="pseudocount must be positive"):
        HMM(pseudocount=0)
    with pytest.raises(UnknownName, match=r"Did you mean shape\?"):
        HMM(unknown="shap")
    with pytest.raises(ParameterError, match="rare"):
        HMM(rare=-1)
    with pytest.raises(InputError, match="at least one word"):
        HMM().fit(Corpus(((),), ((),)))


@pytest.mark.parametrize(
    ("read", "train", "test", "least"),
    [
        (read_conll, "ark-twpos-v0.3/oct27.train", "ark-twpos-v0.3/oct27.test", 0.79),
        (read_conllu, "ud-ewt/en_ewt-ud-dev.conllu", "ud-ewt/en_ewt-ud-test.conllu", 0.85),
    ],
    ids=["tweets", "web"],
)
def test_real_corpora(read, train, test, least):
    """The thesis's model reached 67.6 % on tweets."""
    if not (DATA / "pos" / train).exists():
        pytest.skip(f"{train} is not here")
    model = HMM().fit(read(DATA / "pos" / train))
    gold = read(DATA / "pos" / test)
    right = [
        a == b
        for found, true in zip(model.posteriors(gold).mode, gold.tags, strict=True)
        for a, b in zip(found, true, strict=True)
    ]
    assert np.mean(right) > least
