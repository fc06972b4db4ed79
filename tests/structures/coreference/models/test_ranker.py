from dataclasses import replace

import numpy as np
import pytest

import calibrant as cb
from calibrant.corpora import Document, Documents, Mention
from calibrant.errors import InputError, ParameterError
from calibrant.kernels.coreference.ranking import BUCKETS, SPEAKERS, buckets_of
from calibrant.models import MentionRanker
from calibrant.structures.coreference.models.features import (
    KINDS,
    encode_mentions,
    gold_numbers,
    kind_of,
    learn_vocabulary,
)
from calibrant.structures.coreference.models.head_match import match_heads
from calibrant.structures.coreference.models.ranker import DURRETT_KLEIN
from calibrant.structures.coreference.models.training import Task, Weights
from calibrant.structures.loading import load_model

NAMES = ("Ada", "Bob", "Eve")


def made_documents(count, seed=0, sentences=6):
    """Names and pronouns: "he" continues the latest name, mostly, and names their like."""
    rng = np.random.default_rng(seed)
    documents = []
    for d in range(count):
        words, mentions, home, latest = [], [], {}, 0
        for s in range(sentences):
            name = int(rng.integers(3))
            if s and rng.random() < 0.5:
                word, entity = "he", latest if rng.random() < 0.8 else int(rng.integers(3))
            else:
                word, entity = NAMES[name], name
            latest = entity
            home.setdefault(entity, []).append(s)
            words.append((word, "saw", "the", "river"))
            mentions.append(Mention(s, 0, 1, 0))
        clusters = tuple(map(tuple, home.values()))
        documents.append(Document(f"d{d}", tuple(words), tuple(mentions), clusters))
    return Documents(tuple(documents))


@pytest.fixture(scope="module")
def train():
    return made_documents(60)


@pytest.fixture(scope="module")
def spoken(train):
    """The same, said by two speakers and by nobody."""
    rng = np.random.default_rng(3)
    voices = [tuple(rng.choice(["x", "y", ""], len(each.words)).tolist()) for each in train]
    return Documents(
        tuple(replace(each, speakers=said) for each, said in zip(train, voices, strict=True))
    )


@pytest.fixture(scope="module")
def model(train):
    return MentionRanker(common=2, l2=0.1).fit(train)


def brute_scores(encoded, weights, begin, end):
    """Scores by adding up the weights of every feature of every pair."""
    facts = encoded.facts[begin:end]
    kinds = len(KINDS)
    rows = []
    for j in range(len(facts)):
        row = []
        for k in range(j + 1):
            total = 0.0
            slots = [(j, kinds if k == j else facts[k, 0], 1 if k == j else 0)]
            if k < j:
                slots.append((k, kinds + 1 + facts[j, 0], 2))
                for b in buckets_of(j, k, facts):
                    if b >= 0:
                        total += weights.pair[b, facts[j, 0], facts[k, 0]]
                        total += weights.pair[b, 0, kinds]
            for m, column, plain in slots:
                wide, narrow = encoded.features[begin + m], encoded.narrow[begin + m]
                total += sum(weights.wide[f, column] for f in wide if f >= 0)
                total += sum(weights.plain[f, plain] for f in narrow if f >= 0)
            row.append(total)
        rows.append(row)
    return rows


def random_weights(vocabulary, seed=0):
    rng = np.random.default_rng(seed)
    weights = Weights(*(rng.normal(size=each.shape) * 0.5 for each in Weights.zeros(vocabulary)))
    weights.pair[:, 1:, -1] = 0.0  # the plane of any kinds has one weight
    return weights


@pytest.mark.parametrize("which", ["train", "spoken"])
def test_scores_are_sums_of_weights(which, request):
    train = request.getfixturevalue(which)
    vocabulary = learn_vocabulary(train, 2)
    encoded, weights = encode_mentions(train, vocabulary), random_weights(vocabulary)
    model = cb.models.FittedMentionRanker(MentionRanker(), vocabulary, weights)
    links = model.posteriors(train)
    for k in (0, 7):
        rows = brute_scores(encoded, weights, encoded.start[k], encoded.start[k + 1])
        for j, row in enumerate(rows):
            p = np.exp(row - np.max(row))
            np.testing.assert_allclose(links.antecedents(k)[j, : j + 1], p / p.sum(), atol=1e-12)
    assert weights.pair.shape[0] == BUCKETS


@pytest.mark.parametrize("losses", [None, DURRETT_KLEIN])
def test_steps_follow_the_gradient(losses, spoken):
    """One document, one step: what AdaGrad sums up is the square of the numeric gradient."""
    one = Documents(spoken.documents[:1])
    vocabulary = learn_vocabulary(one, 1)
    settings = MentionRanker(l2=0.3, losses=losses, rate=1e-9)
    task = Task(settings.rates, encode_mentions(one, vocabulary), gold_numbers(one))
    weights = random_weights(vocabulary, 1)
    squares = Weights.zeros(vocabulary)
    task.descend(weights.copy(), squares, 1)

    def objective():
        return -task.likelihood(weights) * len(task.gold) + 0.3 * sum(
            (each**2).sum() for each in weights
        )

    rng = np.random.default_rng(2)
    checked = 0
    for table, square in zip(weights, squares, strict=True):
        for at in rng.choice(np.flatnonzero(square), 12):
            place = np.unravel_index(at, table.shape)
            kept, values = table[place], []
            for move in (1e-5, -1e-5):
                table[place] = kept + move
                values.append(objective())
            table[place] = kept
            numeric = (values[0] - values[1]) / 2e-5
            assert square[place] == pytest.approx(numeric**2, rel=1e-4, abs=1e-8)
            checked += 1
    assert checked == 36


def test_one_speaker_says_both_or_two_do(spoken):
    document = replace(spoken[0], speakers=("x", "y", "x", "", "y", "x"))
    facts = encode_mentions([document], learn_vocabulary([document], 1)).facts
    told = {(j, k): buckets_of(j, k, facts)[-1] for j in range(6) for k in range(j)}
    same, other = SPEAKERS + 1, SPEAKERS
    assert [told[pair] for pair in ((1, 0), (2, 0), (3, 0), (4, 3), (4, 1))] == [
        other,
        same,
        -1,
        -1,
        same,
    ]


def test_speakers_tell_who_i_am():
    """Two speakers by turns, each of whom says I of themselves."""
    rng = np.random.default_rng(5)
    documents = []
    for _ in range(40):
        said = rng.integers(2, size=8)
        mentions = tuple(Mention(k, 0, 1, 0) for k in range(8))
        clusters = tuple(tuple(np.flatnonzero(said == who).tolist()) for who in set(said.tolist()))
        speakers = tuple("xy"[who] for who in said)
        documents.append(Document("d", (("I", "see"),) * 8, mentions, clusters, None, speakers))
    train, test = Documents(tuple(documents[:30])), Documents(tuple(documents[30:]))
    deaf = [
        Documents(tuple(replace(each, speakers=None) for each in part)) for part in (train, test)
    ]
    right = []
    for first, second in ((train, test), deaf):
        found = MentionRanker(l2=0.1, common=1).fit(first).posteriors(second)
        placed = [d.places(each) for d, each in zip(second, found.mode, strict=True)]
        right.append(cb.corpora.score_clusters(second.spans, placed).conll)
    assert right[0] > 0.95
    assert right[1] < 0.8


def test_it_learns_and_beats_the_rule(model):
    test = made_documents(60, seed=1)
    links = model.posteriors(test)
    found = [d.places(each) for d, each in zip(test, links.mode, strict=True)]
    rule = [d.places(match_heads(d)) for d in test]
    scores = [cb.corpora.score_clusters(test.spans, each).conll for each in (found, rule)]
    assert scores[0] > scores[1] + 0.05
    assert model.history[-1].on_train > model.history[0].on_train


def test_faithful_training_is_calibrated_and_losses_distort(train, model):
    test = made_documents(300, seed=2)
    augmented = MentionRanker(common=2, l2=0.1, losses=DURRETT_KLEIN).fit(train)
    gaps = []
    for each in (model, augmented):
        pairs = cb.ask(each.posteriors(test), test, cb.NewEntity())
        gaps.append(abs(pairs.mean(pairs.q) - pairs.mean(pairs.y)))
    assert gaps[0] < 0.03
    assert gaps[1] > 2 * gaps[0]


def test_the_same_seed_gives_the_same_weights(train, model):
    again = MentionRanker(common=2, l2=0.1).fit(train)
    for mine, theirs in zip(model.weights, again.weights, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    other = MentionRanker(common=2, l2=0.1, seed=1).fit(train)
    assert not np.array_equal(model.weights.pair, other.weights.pair)


def test_dev_keeps_the_best_pass(train):
    dev = made_documents(20, seed=5)
    model = MentionRanker(common=2, l2=0.0, passes=15, rate=2.0).fit(train, dev=dev)
    told = [each.on_dev for each in model.history]
    vocabulary = model.vocabulary
    task = Task(model.settings.rates, encode_mentions(dev, vocabulary), gold_numbers(dev))
    assert task.likelihood(model.weights) == pytest.approx(max(told))


@pytest.mark.parametrize("losses", [None, (0.1, 3.0, 1.0)])
def test_log_likelihood_is_that_of_the_posterior(train, losses):
    """Whatever losses the model was trained with."""
    model = MentionRanker(losses=losses, passes=3).fit(train)
    links, found = model.posteriors(train), []
    for k, document in enumerate(train):
        shares, home = links.antecedents(k), document.entities
        for i in range(len(document.mentions)):
            same = [j for j in range(i) if home[i] is not None and home[j] == home[i]]
            found.append(np.log(shares[i, same or [i]].sum()))
    assert model.log_likelihood(train) == pytest.approx(np.mean(found), rel=1e-9)


def test_l1_leaves_zeros(train):
    sparse = MentionRanker(common=2, l2=0.0, l1=0.5).fit(train)
    dense = MentionRanker(common=2, l2=0.0).fit(train)
    zeros = [np.mean(each.weights.wide[:, :3] == 0) for each in (sparse, dense)]
    assert zeros[0] > zeros[1]


def test_saved_and_loaded(model, tmp_path):
    test = made_documents(3, seed=3)
    again = load_model(model.save(tmp_path / "ranker"))
    assert str(again) == str(model)
    assert again.settings == model.settings
    assert again.history == model.history
    np.testing.assert_array_equal(
        again.posteriors(test).probability, model.posteriors(test).probability
    )


def test_unknown_words_and_documents_without_mentions(model):
    strange = Document("x", (("Zyx", "ran", "home"),), (Mention(0, 0, 1, 0),), ())
    empty = Document("y", (("Nothing", "here"),), (), ())
    links = model.posteriors([strange, empty])
    assert links.lengths.tolist() == [1, 0]
    assert links.mode == [[[0]], []]


def test_kinds():
    words = (("Ada", "'s", "dog", "saw", "Them", "."),)
    plain = Document("x", words, (), ())
    tagged = Document("x", words, (), (), (("NN", "POS", "NNP", "VBD", "PRP", "."),))
    for document, wanted in ((plain, ("proper", "nominal")), (tagged, ("nominal", "proper"))):
        found = [KINDS[kind_of(document, Mention(0, k, k + 1, k))] for k in (0, 2)]
        assert tuple(found) == wanted
    assert KINDS[kind_of(plain, Mention(0, 4, 5, 4))] == "they"
    assert KINDS[kind_of(plain, Mention(0, 3, 5, 4))] == "proper"


def test_bad_settings_and_bad_documents(train):
    for options, message in (
        ({"l2": -1}, "l2 must not be negative"),
        ({"rate": 0}, "rate must be positive"),
        ({"losses": (1, 2)}, "losses must be three numbers"),
        ({"losses": 3}, "losses must be three numbers"),
        ({"passes": 0}, "passes must be"),
    ):
        with pytest.raises(ParameterError, match=message):
            MentionRanker(**options)
    with pytest.raises(InputError, match="train must be Documents, not list"):
        MentionRanker().fit(list(train))
    nobody = Documents((Document("y", (("Nothing",),), (), ()),))
    with pytest.raises(InputError, match="dev must have mentions"):
        MentionRanker().fit(train, dev=nobody)
    model = MentionRanker(passes=1).fit(train)
    with pytest.raises(InputError, match="at least one document"):
        model.posteriors([])
    for bad in (train[0], "text", [train[0], "text"]):
        with pytest.raises(InputError, match=f"a list of Document, not {type(bad).__name__}"):
            model.posteriors(bad)
