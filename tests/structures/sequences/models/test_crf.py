"""The objective against sums over all sequences and against CRFsuite; what models are given."""

import itertools
from threading import Lock

import numpy as np
import pycrfsuite
import pytest
from enumeration import all_sequences
from made_corpora import made

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.sequences.accuracy import judge_posterior
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.models import adagrad as adagrad_module
from calibrant.structures.sequences.models.adagrad import Descent
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.encoding import learn, observed_pairs
from calibrant.structures.sequences.models.features import Advanced, Basic, Features
from calibrant.structures.sequences.models.hmm import HMM
from calibrant.structures.sequences.models.objective import Objective
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs

SETS = {
    "basic": Basic(),
    "advanced": Advanced(),
    "custom": Features((), custom=lambda words, t: [words[t][:1], words[t][:1], str(t)]),
    "nothing": Features((), custom=lambda words, t: ["often"] if t == 1 else []),
    "context": Features(("context", "suffix"), reach=1, affix=2),
}


def objective_of(corpus, features, l2=0.3):
    _, encoded = learn(features, corpus.words)
    code = {tag: k for k, tag in enumerate(corpus.tag_set)}
    gold = np.array([code[tag] for each in corpus.tags for tag in each], np.int64)
    return Objective(encoded, gold, len(code), *observed_pairs(encoded, gold, len(code)), l2)


@pytest.mark.parametrize("name", SETS)
def test_the_gradient_is_that_of_finite_differences(name):
    objective = objective_of(made(8, seed=1), SETS[name])
    values = np.random.default_rng(2).normal(size=objective.size)
    _, gradient = objective(values)
    step = 1e-5
    for k in range(0, objective.size, max(1, objective.size // 60)):
        moved = values.copy()
        moved[k] += step
        high, _ = objective(moved)
        moved[k] -= 2 * step
        low, _ = objective(moved)
        assert gradient[k] == pytest.approx((high - low) / (2 * step), abs=2e-5)


@pytest.mark.parametrize("name", SETS)
def test_the_objective_is_a_sum_over_all_sequences(name):
    corpus = made(10, seed=3, longest=5)
    objective = objective_of(corpus, SETS[name])
    values = np.random.default_rng(4).normal(size=objective.size)
    weights = objective.weights(values)
    score = np.zeros((corpus.tokens, 3))
    for t, row in enumerate(objective.encoded.bundle):
        for b in row:
            begin, end = objective.encoded.hold_start[b : b + 2]
            for a in objective.encoded.hold[begin:end]:
                for k in range(weights.pair_start[a], weights.pair_start[a + 1]):
                    score[t, weights.pair_tag[k]] += weights.weight[k]
    unary = np.split(score, objective.encoded.start[1:-1])
    chain = Chain.from_scores(unary, weights.move, tags=corpus.tag_set)
    minus_log = 0.0
    for k, tags in enumerate(corpus.tags):
        paths, p = all_sequences(chain, k)
        wanted = [corpus.tag_set.index(tag) for tag in tags]
        minus_log -= np.log(p[(paths == wanted).all(axis=1)].sum())
    value, _ = objective(values)
    assert value == pytest.approx(minus_log + 0.3 * values @ values, rel=1e-12)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("batch", [1, 4, 7, 1000])
def test_the_gradients_of_batches_add_up_to_the_whole(name, batch, monkeypatch):
    corpus = made(30, seed=5)
    objective = objective_of(corpus, SETS[name])
    values = np.random.default_rng(6).normal(size=objective.size)
    size = objective.pair_tag.size
    total = np.zeros(objective.size)

    step, one_at_a_time = adagrad_module.kernels.batch_step, Lock()

    def add_up(*arguments):
        """A first step of size 1: the sign of a gradient is in the weight, its size in squares."""
        *given, weight, square, gradient = arguments
        given[-3] = 1.0  # the rate
        moved, squares = weight.copy(), np.zeros_like(square)
        step(*given, moved, squares, gradient)
        with one_at_a_time:
            total[:size] += (weight - moved) * np.sqrt(squares)

    def add_moves(self, gradient, share):
        total[size:] += gradient + share * 2 * self.objective.l2 * self.values[size:]

    monkeypatch.setattr(adagrad_module.kernels, "batch_step", add_up)
    monkeypatch.setattr(Descent, "_step_of_moves", add_moves)
    Descent(objective, batch, 0.5, values.copy(), np.zeros(objective.size)).epoch(0, 1)
    np.testing.assert_allclose(total, objective(values)[1], atol=1e-10)


def test_a_step_of_adagrad():
    """One sentence, one step from zero: each weight moves by the rate against its gradient."""
    objective = objective_of(Corpus((("a", "b"),), (("D", "N"),)), Basic(), l2=0.0)
    values, square = np.zeros(objective.size), np.zeros(objective.size)
    _, gradient = objective(values)
    Descent(objective, 100, 0.25, values, square).epoch(0, 1)
    np.testing.assert_allclose(values, -0.25 * np.sign(gradient))
    np.testing.assert_allclose(square, gradient**2)


def crfsuite(corpus, features, l2, path):
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": l2,
            "max_iterations": 2000,
            "epsilon": 1e-9,
            "delta": 1e-9,
            "feature.possible_transitions": True,
        }
    )
    for words, tags in zip(corpus.words, corpus.tags, strict=True):
        if words:
            trainer.append([[*a] for a in features.of_sentence(words)], list(tags))
    trainer.train(str(path))
    return trainer.logparser.last_iteration["loss"]


@pytest.mark.parametrize("name", ["basic", "advanced", "context"])
def test_crfsuite_finds_the_same_minimum(name, tmp_path):
    features, corpus, other = SETS[name], made(60, seed=7), made(20, seed=8)
    path = tmp_path / "model.crf"
    loss = crfsuite(corpus, features, 0.2, path)
    model = CRF(features, l2=0.2, training=LBFGS(tolerance=1e-8)).fit(corpus)
    values = np.concatenate([model.weights.weight, model.weights.move.ravel()])
    value, _ = objective_of(corpus, features, l2=0.2)(values)
    assert value == pytest.approx(loss, rel=1e-4)
    theirs = Chain.from_crfsuite(path, [features.of_sentence(words) for words in other.words])
    ours = model.posteriors(other)
    order = [theirs.tags.index(tag) for tag in ours.tags]
    assert np.abs(ours.marginals - theirs.marginals[:, order]).max() < 1e-2
    longest = max(other.words, key=len)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    tagger.set([[*a] for a in features.of_sentence(longest)])
    mine = model.posteriors([longest]).marginals
    for t, k in itertools.product(range(len(longest)), range(3)):
        assert mine[t, k] == pytest.approx(tagger.marginal(ours.tags[k], t), abs=1e-2)


def test_adagrad_comes_close_to_the_minimum():
    corpus = made(60, seed=7)
    objective = objective_of(corpus, Basic(), l2=0.2)
    best, _ = LBFGS(tolerance=1e-8).minimise(objective, 0, lambda n, value: None)
    model = CRF(Basic(), l2=0.2, training=AdaGrad(batch=5, epochs=100)).fit(corpus)
    values = np.concatenate([model.weights.weight, model.weights.move.ravel()])
    assert objective(values)[0] < 1.02 * objective(best)[0]


def test_fitted_weights_by_name():
    model = CRF(Basic(), training=LBFGS()).fit(made(60, seed=7))
    assert model.weight("word=the", "D") > 1
    assert model.weight("word=the", "D") > model.weight("word=the", "N")
    assert model.weight("word=zebra", "D") == 0
    assert model.weight("word=the", "X") == 0
    held = sum(model.weight(a, tag) for a in model.vocabulary for tag in model.tags)
    assert held == pytest.approx(model.weights.weight.sum())
    assert repr(model).startswith("FittedCRF(3 tags, 10 attributes, ")


def test_more_regularisation_makes_timid_probabilities():
    corpus = made(60, seed=7)
    tops = [
        CRF(l2=l2, training=LBFGS()).fit(corpus).posteriors(corpus).marginals.max(axis=1).mean()
        for l2 in (0.01, 1, 100)
    ]
    assert tops[0] > tops[1] > tops[2] > 1 / 3


@pytest.mark.parametrize("model", [HMM(), CRF(Basic(), training=LBFGS())], ids=["HMM", "CRF"])
def test_log_likelihood_and_accuracy(model):
    train, dev = made(40, seed=9), made(15, seed=10, longest=4)
    chain = model.fit(train).posteriors(dev)
    total, right = 0.0, 0
    for k, tags in enumerate(dev.tags):
        paths, p = all_sequences(chain, k)
        codes = [chain.tags.index(tag) for tag in tags]
        total += np.log(p[(paths == codes).all(axis=1)].sum())
        right += (paths[p.argmax()] == codes).sum()
    found = judge_posterior(chain, dev)
    assert found.log_likelihood == pytest.approx(total / dev.tokens)
    assert found.accuracy == pytest.approx(right / dev.tokens)


def test_tags_that_the_model_never_saw():
    """No probability at all: left out of the log-likelihood, wrong, and never the answer."""
    train = made(40, seed=9)
    odd = Corpus((("the", "dog"), ("the", "dog")), (("D", "N"), ("D", "X")))
    model = CRF(Basic(), training=AdaGrad(epochs=3)).fit(train, dev=odd)
    plain = CRF(Basic(), training=AdaGrad(epochs=3)).fit(
        train, dev=Corpus(odd.words[:1], odd.tags[:1])
    )
    assert [e.log_likelihood for e in model.history] == [e.log_likelihood for e in plain.history]
    assert model.history[-1].accuracy == 0.75
    pairs = cb.ask(model.posteriors(odd), odd, TagIs("N"))
    assert pairs.y.tolist() == [0, 1, 0, 0]
    assert cb.ask(model.posteriors(odd), odd, EveryTag()).y.sum() == 3
    with pytest.raises(InputError, match="There is no tag 'X' among 3"):
        cb.ask(model.posteriors(odd), odd, TagIs("X"))
    with pytest.raises(InputError, match="each of its 1 sentences has other tags: do both"):
        CRF(Basic()).fit(train, dev=Corpus((("a",),), (("X",),)))


def test_words_and_sentences_that_are_strange():
    model = CRF(training=AdaGrad(epochs=2)).fit(made(20))
    chain = model.posteriors([[], ["NEVER", "😀😀", "\xa0", ""], []])
    assert chain.lengths.tolist() == [0, 4, 0]
    np.testing.assert_allclose(chain.marginals.sum(axis=1), 1)
    assert HMM().fit(made(20)).posteriors([["", "😀"], []]).lengths.tolist() == [2, 0]
    assert model.posteriors([[]]).marginals.shape == (0, 3)


def test_one_tag_and_one_word():
    model = CRF(training=LBFGS()).fit(Corpus((("a",),), (("D",),)))
    assert model.posteriors([["b", "c"]]).marginals.tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize(
    "model", [CRF(Basic(), training=AdaGrad(epochs=1)), HMM()], ids=["CRF", "HMM"]
)
def test_bad_sentences(model):
    fitted = model.fit(made(5))
    with pytest.raises(InputError, match="Sentence 1 must be a list of words, but it is 'dog'"):
        fitted.posteriors([["the"], "dog"])
    with pytest.raises(InputError, match="Word 1 of sentence 0 must be a string, but it is 3"):
        fitted.posteriors([["the", 3]])
    with pytest.raises(InputError, match="at least one sentence"):
        fitted.posteriors([])
    with pytest.raises(InputError, match="train must have at least one word, but it has 2 sent"):
        model.fit(Corpus(((), ()), ((), ())))
    with pytest.raises(InputError, match="train must be a Corpus, not list"):
        model.fit([["the"]])


def test_bad_corpora():
    with pytest.raises(InputError, match="Sentence 1 has 2 words, but 1 tags"):
        Corpus((("a",), ("b", "c")), (("D",), ("D",)))
    with pytest.raises(InputError, match="each of the 2 sentences, but there are tags for 1"):
        Corpus((("a",), ("b",)), (("D",),))
    with pytest.raises(InputError, match="Sentence 0 must be a list of words"):
        Corpus(("ab",), (("D", "N"),))
    with pytest.raises(InputError, match="a document for each of the 1 sentences"):
        Corpus((("a",),), (("D",),), ("x", "y"))


def test_bad_settings():
    with pytest.raises(ParameterError, match="features must be Features"):
        CRF("advanced")
    with pytest.raises(ParameterError, match="l2 must not be negative, but it is -1"):
        CRF(l2=-1)
    with pytest.raises(ParameterError, match="l2 must be a number, but it is nan"):
        CRF(l2=float("nan"))
    with pytest.raises(ParameterError, match="AdaGrad or LBFGS, not 'sgd'"):
        CRF(training="sgd")
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        CRF(seed=0.5)
    with pytest.raises(ParameterError, match="rate must be positive, but it is 0"):
        AdaGrad(rate=0)
    for name in ("batch", "epochs", "patience"):
        with pytest.raises(ParameterError, match=f"{name} must be a whole number of at least 1"):
            AdaGrad(**{name: 0})
    with pytest.raises(ParameterError, match="tolerance must lie in"):
        LBFGS(tolerance=1)
    with pytest.raises(InputError, match="dev must have at least one word"):
        CRF().fit(made(3), dev=Corpus(((),), ((),)))
    with pytest.raises(InputError, match="dev must be a Corpus, not tuple"):
        CRF().fit(made(3), dev=((),))


def test_settings_hold_plain_numbers():
    crf = CRF(
        Features(("word",), reach=np.int64(2)),
        l2=np.float32(1),
        seed=np.int64(3),
        training=AdaGrad(batch=np.int32(5), rate=np.float64(0.5)),
    )
    assert {type(crf.l2), type(crf.training.rate)} == {float}
    assert {type(crf.seed), type(crf.training.batch), type(crf.features.reach)} == {int}
    assert type(HMM(rare=np.int64(2)).rare) is int


def test_features_that_are_never_there():
    """Then the tags alone speak."""
    model = CRF(Features((), custom=lambda words, t: []), training=LBFGS()).fit(made(30))
    assert model.weights.weight.size == 0
    one, other = model.posteriors([["the", "dog"], ["runs", "a"]]).marginals.reshape(2, 2, 3)
    np.testing.assert_array_equal(one, other)
