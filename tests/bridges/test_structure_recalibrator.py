"""Temperatures with their evidence."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.sequences.tempering import ChainLikelihood


def random_chain(sentences: int, seed: int = 0) -> cb.Chain:
    rng = np.random.default_rng(seed)
    unary = [rng.normal(0, 1.5, (n, 3)) for n in rng.integers(1, 8, sentences)]
    return cb.Chain.from_scores(unary, rng.normal(size=(3, 3)), tags="ABC")


def drawn(chain: cb.Chain, seed: int = 1) -> list[list[str]]:
    return [each[0] for each in chain.sample(1, seed)]


def test_a_distorted_model_should_be_mended() -> None:
    chain = random_chain(200)
    found = cb.recalibrate(chain.tempered(0.5), gold=drawn(chain), group=np.arange(200) // 5)
    assert found.verdict == "use it"
    low, high = found.limits["all"]
    assert low < 2.0 < high
    assert found.sentence.startswith("Use it: log loss per word changes by -")
    assert "groups=40" in found.signature
    names = [each.what for each in found.queries]
    assert names == ["Brier, EveryTag", "Brier, EveryTag, own map", "CalibScore, EveryTag"]
    assert found.queries[0].change.high is not None
    assert found.queries[0].change.high < 0
    assert "one distribution" in str(found)
    assert found.to_frame().height == 4
    assert found.to_dict()["verdict"] == "use it"
    np.testing.assert_allclose(
        found.apply(chain).marginals, chain.tempered(found.temperatures).marginals
    )


def test_a_calibrated_model_should_be_left() -> None:
    chain = random_chain(400, seed=3)
    found = cb.recalibrate(chain, gold=drawn(chain, 5))
    assert found.verdict == "do not"
    assert found.sentence.startswith("Do not use it")


def test_the_log_loss_before_is_that_of_whole_sentences() -> None:
    chain = random_chain(60)
    gold = drawn(chain)
    found = cb.recalibrate(chain, gold=gold, interval=None)
    logs = [np.log(chain.probability(k, tags)) for k, tags in enumerate(gold)]
    assert found.loss.before.value == pytest.approx(-sum(logs) / sum(map(len, gold)))
    assert found.verdict == "cannot tell"
    likelihood = ChainLikelihood.of_gold(chain, gold)
    assert likelihood.sizes.sum() == found.loss.before.n


def test_evidence_does_not_depend_on_the_order_of_sentences() -> None:
    chain = random_chain(80)
    gold, group = drawn(chain), np.arange(80) // 4
    order = np.random.default_rng(0).permutation(80)
    one = cb.recalibrate(chain, gold=gold, group=group)
    other = cb.recalibrate(
        chain.take(order.tolist()), gold=[gold[k] for k in order], group=group[order]
    )
    assert one.temperatures["all"] == pytest.approx(other.temperatures["all"], rel=1e-3)


def test_set_aside_sentences_are_counted() -> None:
    chain = random_chain(40)
    gold = drawn(chain)
    gold[7] = ["Z"] * len(gold[7])
    found = cb.recalibrate(chain, gold=gold)
    assert found.set_aside == (1, 40, "sentence")
    assert any("the gold of 1 of 40 sentences impossible" in line for line in found.notes)


def test_what_is_for_pairs_is_refused() -> None:
    chain = random_chain(10)
    gold = drawn(chain)
    with pytest.raises(InputError, match="pass gold"):
        cb.recalibrate(chain, gold=None)
    with pytest.raises(ParameterError, match="method and score are for pairs"):
        cb.recalibrate(chain, "Platt", gold=gold)
    with pytest.raises(ParameterError, match="gold is for posteriors"):
        cb.recalibrate(cb.Pairs([0, 1], [0.1, 0.9]), gold=gold)
    with pytest.raises(InputError, match="at least 4"):
        cb.recalibrate(chain, gold=gold, group=np.arange(10) // 5)
