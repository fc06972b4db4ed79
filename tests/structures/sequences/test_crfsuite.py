"""Models that CRFsuite saved, against its own marginals, and files that are no such models."""

import pickle
import time

import numpy as np
import pycrfsuite
import pytest
import sklearn_crfsuite
from real_data import DATA

from calibrant.errors import FileError, InputError
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.crfsuite import read_model
from calibrant.structures.sequences.reading.conll import read_conll

TWEETS = DATA / "pos" / "ark-twpos-v0.3"
TAGS = ["D", "Nöun", "V"]


def made(count=40, seed=0):
    """Sentences of every kind of attribute."""
    rng = np.random.default_rng(seed)
    words = ["the", "dog", "größe", "a:b", "x --> y", ""]
    sentences, gold = [], []
    for _ in range(count):
        length = int(rng.integers(1, 8))
        drawn = rng.choice(words, length)
        sentences.append(
            [
                {"w": str(w), "n": float(rng.normal()), "b": bool(len(w) > 3), "in": ["p", str(w)]}
                if rng.random() < 0.7
                else [f"w:{w}", f"w:{w}", "twice"]
                for w in drawn
            ]
        )
        gold.append([TAGS[min(words.index(w) // 2, 2)] for w in drawn])
    return [*sentences, []], [*gold, []]


def train(path, sentences, gold, **parameters):
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params(parameters)
    for each, tags in zip(sentences, gold, strict=True):
        trainer.append(each, tags)
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.crf"
    return path, train(path, *made(), c1=0.05, c2=0.1, max_iterations=30)


def differences(chain, tagger, sentences):
    """The largest differences of marginals, and of log probabilities of best sequences."""
    rows, logs = [], []
    for k, each in enumerate(sentences):
        tagger.set(each)
        rows += [[tagger.marginal(tag, t) for tag in chain.tags] for t in range(len(each))]
        if each:
            best = tagger.tag()
            logs.append(np.log(chain.probability(k, best) / tagger.probability(best)))
    return np.abs(chain.marginals - rows).max(), np.abs(logs).max()


def test_a_file_gives_the_marginals_of_its_tagger(small):
    path, tagger = small
    sentences = made(seed=1)[0]
    chain = Chain.from_crfsuite(path, sentences)
    assert list(chain.tags) == tagger.labels()
    assert max(differences(chain, tagger, sentences)) < 1e-12
    assert Chain.from_crfsuite(str(path), sentences).mode == chain.mode
    assert chain.mode == [tagger.tag(each) for each in sentences]


def test_a_tagger_gives_them_to_six_decimals(small):
    _, tagger = small
    sentences = made(seed=1)[0]
    assert max(differences(Chain.from_crfsuite(tagger, sentences), tagger, sentences)) < 1e-5


def test_weights_are_those_that_the_tagger_prints(small):
    path, tagger = small
    weights, info = read_model(path), tagger.info()
    assert weights.tags == tuple(info.labels)
    assert weights.attributes == {name: int(k) for name, k in info.attributes.items()}
    names = list(weights.attributes)
    found = {
        (names[a], weights.tags[t]): w
        for a, t, w in zip(weights.at, weights.tag, weights.weight, strict=True)
    }
    assert found.keys() == info.state_features.keys()
    for key, weight in info.state_features.items():
        assert found[key] == pytest.approx(weight, abs=5.1e-7)
    code = {tag: k for k, tag in enumerate(weights.tags)}
    assert len(info.transitions) == np.count_nonzero(weights.move)
    for (one, other), weight in info.transitions.items():
        assert weights.move[code[one], code[other]] == pytest.approx(weight, abs=5.1e-7)


def test_names_that_a_tagger_cannot_print(tmp_path):
    path = tmp_path / "arrow.crf"
    sentences = [[["a --> b"], ["line\nbreak"]]]
    tagger = train(path, sentences, [["X --> Y", "Z"]])
    assert max(differences(Chain.from_crfsuite(path, sentences), tagger, sentences)) < 1e-12
    with pytest.raises(InputError, match="holds a line break or an arrow: pass the path"):
        Chain.from_crfsuite(tagger, sentences)


def test_scikit_learns_way(small):
    sentences, gold = made()
    crf = sklearn_crfsuite.CRF(c1=0.05, max_iterations=20)
    with pytest.raises(InputError, match="CRF has no model yet: fit it first"):
        Chain.from_crfsuite(crf, sentences)
    crf.fit(sentences, gold)
    for model in (crf, pickle.loads(pickle.dumps(crf))):
        chain = Chain.from_crfsuite(model, sentences)
        wanted = [
            [token[tag] for tag in chain.tags]
            for each in crf.predict_marginals(sentences)
            for token in each
        ]
        np.testing.assert_allclose(chain.marginals, wanted, atol=1e-12)


@pytest.mark.parametrize("algorithm", ["l2sgd", "ap", "arow"])
def test_other_ways_to_train(tmp_path, algorithm):
    sentences, gold = made(20, seed=2)
    path = tmp_path / "other.crf"
    trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": 5}, verbose=False)
    for each, tags in zip(sentences, gold, strict=True):
        trainer.append(each, tags)
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    assert max(differences(Chain.from_crfsuite(path, sentences), tagger, sentences)) < 1e-10


def test_a_model_without_attributes(tmp_path):
    path = tmp_path / "empty.crf"
    tagger = train(path, [[["a"], ["b"]]], [["X", "Y"]], c1=100.0)
    assert tagger.info().attributes == {}
    assert Chain.from_crfsuite(path, [[["a"]]]).marginals.tolist() == [[0.5, 0.5]]


def looks(words):
    """Sixteen attributes for each word or more."""
    return [
        {
            "w": w.lower(),
            "s1": w[-1:],
            "s2": w[-2:],
            "s3": w[-3:],
            "p1": w[:1],
            "p2": w[:2],
            "p3": w[:3],
            "length": len(w) / 10,
            "title": w.istitle(),
            "upper": w.isupper(),
            "digit": any(letter.isdigit() for letter in w),
            "bias": 1.0,
            "is": {"name": w.startswith("@"), "topic": w.startswith("#")},
            "prev": words[t - 1].lower() if t else "<s>",
            "next": words[t + 1].lower() if t + 1 < len(words) else "</s>",
            "has": [letter for letter in w if not letter.isalnum()],
        }
        for t, w in enumerate(words)
    ]


def test_tweets(tmp_path):
    if not TWEETS.exists():
        pytest.skip("pos/ark-twpos-v0.3 is not here")
    corpus, test = read_conll(TWEETS / "oct27.train"), read_conll(TWEETS / "oct27.test")
    path = tmp_path / "tweets.crf"
    tagger = train(path, map(looks, corpus.words), corpus.tags, c2=0.5, max_iterations=40)
    sentences = list(map(looks, test.words))
    Chain.from_crfsuite(path, sentences[:1])  # compiles
    before = time.perf_counter()
    chain = Chain.from_crfsuite(path, sentences)
    assert time.perf_counter() - before < 10  # about 0.2 on an idle machine
    assert max(differences(chain, tagger, sentences)) < 1e-10
    marginals, logs = differences(Chain.from_crfsuite(tagger, sentences), tagger, sentences)
    assert marginals < 1e-5
    assert logs < 1e-4
    right = np.concatenate(
        [np.array(a) == np.array(b) for a, b in zip(chain.mode, test.tags, strict=True)]
    )
    assert right.mean() > 0.85


def test_other_things_than_models(tmp_path):
    with pytest.raises(FileError, match=r"There is no file .*nowhere"):
        Chain.from_crfsuite(tmp_path / "nowhere.crf", [[]])
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        Chain.from_crfsuite(tmp_path, [[]])
    other = tmp_path / "other.txt"
    for content in (b"", b"lC", b"the dog\n" * 100):
        other.write_bytes(content)
        with pytest.raises(
            FileError, match=r"is not a CRFsuite model: it does not begin with lCRF"
        ):
            Chain.from_crfsuite(other, [[]])
    with pytest.raises(InputError, match="The tagger has no model: open one first"):
        Chain.from_crfsuite(pycrfsuite.Tagger(), [[]])
    with pytest.raises(InputError, match=r"must be the path of a CRFsuite model.* type int"):
        Chain.from_crfsuite(3, [[]])


def test_a_model_cut_short(small, tmp_path):
    data, path = small[0].read_bytes(), tmp_path / "cut.crf"
    for size in [*range(4, 200), *range(200, len(data), 37), len(data) - 1]:
        path.write_bytes(data[:size])
        with pytest.raises(FileError, match="is a damaged CRFsuite model"):
            Chain.from_crfsuite(path, [[]])
    path.write_bytes(data + b"more")  # as CRFsuite, which looks no further either
    assert len(Chain.from_crfsuite(path, [[]])) == 1


def outcome(path):
    """The probabilities of a word, or what is wrong with the file, in one line."""
    try:
        return Chain.from_crfsuite(path, [[["w:dog", "twice"]]]).marginals.sum()
    except FileError as error:
        return str(error)


@pytest.mark.parametrize("value", [0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_wrong_numbers_anywhere(small, tmp_path, value):
    """Every number is replaced in turn: an error in one sentence, or a model."""
    data, path = bytearray(small[0].read_bytes()), tmp_path / "wrong.crf"
    found = []
    for at in [*range(4, 400, 4), *range(400, len(data) - 4, 56)]:
        kept = data[at : at + 4]
        data[at : at + 4] = value.to_bytes(4, "little")
        path.write_bytes(data)
        data[at : at + 4] = kept
        found.append(outcome(path))
    refused = [each for each in found if isinstance(each, str)]
    assert len(refused) > 10
    assert all("damaged" in each and "\n" not in each for each in refused)
    assert [each for each in found if not isinstance(each, str)] == pytest.approx(
        np.ones(len(found) - len(refused))
    )


def test_flipped_bits(small, tmp_path):
    rng = np.random.default_rng(8)
    data, path = np.frombuffer(small[0].read_bytes(), np.uint8), tmp_path / "flipped.crf"
    for _ in range(300):
        wrong = data.copy()
        where = rng.integers(4, data.size, int(rng.integers(1, 20)))
        wrong[where] ^= np.uint8(1) << rng.integers(0, 8, where.size).astype(np.uint8)
        path.write_bytes(wrong.tobytes())
        found = outcome(path)
        assert "damaged" in found if isinstance(found, str) else found == pytest.approx(1)


def test_names_that_overlap(small, tmp_path):
    """A small file must not ask for much memory by names that share their bytes."""
    data = bytearray(small[0].read_bytes())
    base = int.from_bytes(data[36:40], "little")
    size, table = (int.from_bytes(data[base + k : base + k + 4], "little") for k in (4, 20))
    count = int.from_bytes(data[24:28], "little")
    last = data.rindex(b"\0", base, base + size)
    for k in range(count):
        cell = base + table + 4 * k
        at = base + int.from_bytes(data[cell : cell + 4], "little")
        data[at + 4 : at + 8] = (last + 1 - at - 8).to_bytes(4, "little")
    path = tmp_path / "overlap.crf"
    path.write_bytes(data)
    with pytest.raises(FileError, match="the names of its attributes overlap"):
        read_model(path)
