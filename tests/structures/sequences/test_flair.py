import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError

TAGS = ["<unk>", "O", "B", "<START>", "I", "<STOP>"]
START, STOP = TAGS.index("<START>"), TAGS.index("<STOP>")
FORBIDDEN = -10000.0  # what flair starts with for moves into <START> and out of <STOP>


def made(length, seed, scale=1.5):
    """Emissions and transitions as flair keeps them: to the row, from the column."""
    rng = np.random.default_rng([seed, length])
    count = len(TAGS)
    transitions = rng.normal(size=(count, count)) * scale
    transitions[START, :] = transitions[:, STOP] = FORBIDDEN
    return rng.normal(size=(length, count)) * scale, transitions


def layer(emissions, transitions):
    """The output of the CRF layer: emissions of the tag that is reached, plus transitions."""
    return emissions[:, :, None] + transitions[None]


def scored_paths(emissions, transitions):
    """The score of every sequence of flair's tags, step by step as in its loss."""
    count, length = len(TAGS), len(emissions)
    found = {}
    for path in np.ndindex(*(count,) * length):
        before, score = START, 0.0
        for t, tag in enumerate(path):
            score += emissions[t, tag] + transitions[tag, before]
            before = tag
        found[path] = score + transitions[STOP, before]
    return found


def published(emissions, transitions):
    """flair's confidences: the softmax, at each word, of the scores of the best paths so far."""
    best = emissions[0] + transitions[:, START]
    rows = [best]
    for emission in emissions[1:]:
        best = (best[None, :] + transitions).max(axis=1) + emission
        rows.append(best)
    powers = np.exp(np.array(rows) - np.max(rows, axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_marginals_by_enumeration(length, seed):
    """Over all six tags, in flair's own order of indices."""
    emissions, transitions = made(length, seed)
    chain = cb.Chain.from_flair([emissions], transitions, TAGS)
    assert chain.tags == ("<unk>", "O", "B", "I")
    paths = scored_paths(emissions, transitions)
    top = max(paths.values())
    total = sum(np.exp(score - top) for score in paths.values())
    assert chain.log_partition[0] == pytest.approx(top + np.log(total), abs=1e-9)
    for t in range(length):
        for column, name in enumerate(chain.tags):
            code = TAGS.index(name)
            share = sum(np.exp(s - top) for path, s in paths.items() if path[t] == code) / total
            assert chain.marginals[t, column] == pytest.approx(share, abs=1e-12)
    best = max(paths, key=paths.get)
    assert chain.mode == [[TAGS[code] for code in best]]


def test_the_output_of_the_layer_is_the_same():
    """In single precision, with -10000 among the transitions."""
    parts = [made(n, 7) for n in (3, 6)]
    transitions = parts[0][1].astype(np.float32)
    emissions = [each.astype(np.float32) for each, _ in parts]
    plain = cb.Chain.from_flair(emissions, transitions, TAGS)
    added = cb.Chain.from_flair([layer(each, transitions) for each in emissions], transitions, TAGS)
    np.testing.assert_allclose(added.marginals, plain.marginals, atol=1e-5)


def test_it_is_the_chain_of_other_conventions():
    """By hand, in the order of pytorch-crf: from rows to columns, and separate ends."""
    emissions, transitions = made(5, 2)
    kept = [k for k, name in enumerate(TAGS) if name not in ("<START>", "<STOP>")]
    other = cb.Chain.from_scores(
        [emissions[:, kept]],
        transitions[np.ix_(kept, kept)].T,
        first=transitions[kept, START],
        last=transitions[STOP, kept],
        tags=[TAGS[k] for k in kept],
    )
    chain = cb.Chain.from_flair([emissions], transitions, TAGS)
    np.testing.assert_array_equal(chain.marginals, other.marginals)
    wrong = cb.Chain.from_scores([emissions], transitions, tags=TAGS)  # nothing converted
    assert np.abs(wrong.marginals[:, kept] - chain.marginals).max() > 0.1


@pytest.mark.parametrize("stop", [0.0, -50.0])
def test_published_confidences_are_not_marginals(stop):
    """The trap: they ignore what follows, and all but the best path to each tag.

    <STOP> takes a share too, unless its emissions are very low; that is not the only reason.
    """
    away, said = [], []
    for seed in range(200):
        emissions, transitions = made(8, seed, scale=1.0)
        emissions[:, STOP] += stop
        chain = cb.Chain.from_flair([emissions], transitions, TAGS)
        theirs = published(emissions, transitions)[:, [TAGS.index(name) for name in chain.tags]]
        away.append(np.abs(theirs - chain.marginals).max())
        at = np.arange(8), chain.mode_codes
        said += np.abs(theirs[at] - chain.marginals[at]).tolist()
    assert np.max(away) > 0.7
    assert np.mean(away) > 0.35
    assert np.mean(said) > 0.15


def test_calibrated_chains_look_wrong_by_published_confidences():
    """Sequences drawn from the chain itself: its marginals are right, the confidences are not."""
    parts = [made(8, seed) for seed in range(300)]
    transitions = parts[0][1]
    emissions = [each for each, _ in parts]
    chain = cb.Chain.from_flair(emissions, transitions, TAGS)
    gold = [drawn[0] for drawn in chain.sample(seed=5)]
    right = cb.ask(chain, gold, cb.PredictedTag("sequence"))
    kept = [TAGS.index(name) for name in chain.tags]
    theirs = np.concatenate([published(each, transitions)[:, kept] for each in emissions])
    said = theirs[np.arange(len(theirs)), chain.mode_codes]
    wrong = cb.Pairs(right.y, said, group=right.group)
    assert cb.score(right).low == 0
    assert cb.score(wrong).low > 0.05


def test_what_is_refused():
    emissions, transitions = made(2, 0)
    with pytest.raises(InputError, match="each of the 6 rows of transitions, but it has 2"):
        cb.Chain.from_flair([emissions], transitions, ["a", "b"])
    plain = ["a", "b", "c", "d", "e", "f"]
    with pytest.raises(InputError, match=r"must contain <START> once.* use Chain\.from_scores"):
        cb.Chain.from_flair([emissions], transitions, plain)
    with pytest.raises(InputError, match=r"scores\[0\] must have a row for each word .* \(2, 4\)"):
        cb.Chain.from_flair([emissions[:, :4]], transitions, TAGS)
    names = [each.encode() for each in TAGS]  # as flair's dictionary keeps them
    assert cb.Chain.from_flair([emissions], transitions, names).tags[1] == "O"


def test_transposed_transitions():
    emissions, transitions = made(3, 1)
    for scores in (emissions, layer(emissions, transitions)):
        with pytest.raises(InputError, match=r"they are transposed .* pass transitions\.T"):
            cb.Chain.from_flair([scores], transitions.T, TAGS)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_output_of_the_layer_is_checked(dtype):
    """Rounding is allowed, also of arrays that were cast upwards; other arrays are not."""
    emissions, transitions = (each.astype(dtype) for each in made(3, 1))
    scores = layer(emissions, transitions)
    assert scores.dtype == dtype
    for given in (scores, scores.astype(np.float64)):
        assert len(cb.Chain.from_flair([given], transitions, TAGS)) == 1
    for other in (scores.swapaxes(1, 2), scores - 2 * transitions, scores * 2):
        with pytest.raises(InputError, match=r"scores\[0\] must be emissions plus transitions"):
            cb.Chain.from_flair([other], transitions, TAGS)


def test_forbidden_moves_of_the_layer():
    """Minus infinity in both, where the tags of a scheme forbid a move."""
    emissions, transitions = made(3, 1)
    transitions[TAGS.index("I"), TAGS.index("O")] = -np.inf
    plain = cb.Chain.from_flair([emissions], transitions, TAGS)
    added = cb.Chain.from_flair([layer(emissions, transitions)], transitions, TAGS)
    np.testing.assert_allclose(added.marginals, plain.marginals, atol=1e-12)


def test_what_is_missing():
    emissions, transitions = made(2, 0)
    with pytest.raises(InputError, match=r"tags must be a list of names, .* but it is None"):
        cb.Chain.from_flair([emissions], transitions, None)
    with pytest.raises(InputError, match=r"transitions must hold finite scores .* it is None"):
        cb.Chain.from_flair([emissions], None, TAGS)
    with pytest.raises(InputError, match=r"scores must be a list of matrices, .* but it is None"):
        cb.Chain.from_flair(None, transitions, TAGS)
    with pytest.raises(InputError, match=r"scores\[0\] must hold finite scores .* it is None"):
        cb.Chain.from_flair([None], transitions, TAGS)
    with pytest.raises(InputError, match="at least one tag besides <START> and <STOP>"):
        cb.Chain.from_flair([np.zeros((1, 2))], np.zeros((2, 2)), ["<START>", "<STOP>"])
    with pytest.raises(InputError, match=r"transitions must hold .* transitions\[0, 0\] is nan"):
        cb.Chain.from_flair([emissions], transitions * np.nan, TAGS)
    with pytest.raises(InputError, match=r"scores\[0\] must have no missing values, but some are"):
        cb.Chain.from_flair([np.ma.masked_less(emissions, 0)], transitions, TAGS)
    with pytest.raises(InputError, match="transitions must have no missing values, but some are m"):
        cb.Chain.from_flair([emissions], np.ma.masked_less(transitions, 0), TAGS)
