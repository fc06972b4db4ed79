"""Models as folders: the way there and back, and folders that are no models."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from made_corpora import made

from calibrant.errors import FileError, InputError
from calibrant.structures.loading import load_model
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.features import Advanced, Basic, Features
from calibrant.structures.sequences.models.hmm import HMM
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad
from calibrant.structures.sequences.reading.corpus import Corpus

TRAIN, OTHER = made(40, seed=1), made(20, seed=2)


def ends(words, t):
    return [words[t][-1:], *(["\ud800"] if t else [])]  # half a pair, as broken tweets have


MODELS = {
    "hmm": HMM(pseudocount=0.5, unknown="one", rare=2),
    "basic": CRF(Basic(), l2=1, training=LBFGS()),
    "advanced": CRF(Advanced().without("shape"), training=AdaGrad(epochs=3, batch=9), seed=4),
    "custom": CRF(Features((), reach=1, custom=ends), training=AdaGrad(epochs=2)),
}


def loaded(folder, name):
    return load_model(folder, custom=ends if name == "custom" else None)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back_as_it_was(tmp_path, name):
    model = MODELS[name].fit(TRAIN)
    folder = model.save(tmp_path / "deep" / "model")
    assert folder == tmp_path / "deep" / "model"
    assert sorted(each.name for each in folder.iterdir()) == ["model.json", "weights.npz"]
    again = loaded(folder, name)
    assert again.settings == model.settings
    assert (again.tags, list(again.vocabulary)) == (model.tags, list(model.vocabulary))
    found, wanted = again.posteriors(OTHER), model.posteriors(OTHER)
    np.testing.assert_array_equal(found.marginals, wanted.marginals)
    assert found.mode == wanted.mode
    assert repr(again) == repr(model)
    assert getattr(again, "history", ()) == getattr(model, "history", ())
    assert [each.name for each in (tmp_path / "deep").iterdir()] == ["model"]


def test_history_is_kept(tmp_path):
    model = CRF(Basic(), training=AdaGrad(epochs=3)).fit(TRAIN, dev=OTHER)
    assert load_model(model.save(tmp_path / "m")).history == model.history


def test_a_function_is_not_saved(tmp_path):
    folder = MODELS["custom"].fit(TRAIN).save(tmp_path / "m")
    with pytest.raises(FileError, match="by a function 'ends', which is not saved: pass it as cus"):
        load_model(folder)
    plain = MODELS["basic"].fit(TRAIN).save(tmp_path / "p")
    with pytest.raises(FileError, match="without custom features: do not pass custom"):
        load_model(plain, custom=ends)
    with pytest.raises(InputError, match="custom must give strings"):
        load_model(folder, custom=lambda words, t: "no list").posteriors([["a"]])


class Counted:
    """A function that is an object, and cannot be copied."""

    def __call__(self, words, t):
        return [words[t]]

    def __deepcopy__(self, memo):
        raise AssertionError


def test_an_object_may_be_the_function(tmp_path):
    model = CRF(Features((), custom=Counted()), training=AdaGrad(epochs=1)).fit(TRAIN)
    again = load_model(model.save(tmp_path / "m"), custom=Counted())
    np.testing.assert_array_equal(
        again.posteriors(OTHER).marginals, model.posteriors(OTHER).marginals
    )


def test_an_older_model_is_replaced_and_nothing_else(tmp_path):
    folder = tmp_path / "m"
    MODELS["hmm"].fit(TRAIN).save(folder)
    MODELS["basic"].fit(TRAIN).save(folder)
    assert repr(load_model(folder)).startswith("FittedCRF")
    (folder / "notes.txt").write_text("mine")
    model = MODELS["hmm"].fit(TRAIN)
    with pytest.raises(FileError, match=r"of a saved model, but it contains .*: notes.txt\."):
        model.save(folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert repr(load_model(folder)).startswith("FittedCRF")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is a file, but a model is saved as a folder"):
        model.save(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    load_model(model.save(tmp_path / "empty"))


def test_a_link_stays_a_link(tmp_path):
    model = MODELS["hmm"].fit(TRAIN)
    model.save(tmp_path / "one")
    (tmp_path / "latest").symlink_to("one")
    model.save(tmp_path / "latest")
    assert (tmp_path / "latest").is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["latest", "one"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_where_nothing_may_be_written(tmp_path):
    model = MODELS["hmm"].fit(TRAIN)
    model.save(tmp_path / "m")
    tmp_path.chmod(0o500)
    try:
        for name in ("m", "other"):
            with pytest.raises(FileError, match="Permission denied"):
                model.save(tmp_path / name)
    finally:
        tmp_path.chmod(0o700)


def test_a_failed_save_keeps_the_older_model(tmp_path, monkeypatch):
    folder = MODELS["hmm"].fit(TRAIN).save(tmp_path / "m")

    def full(path, data):
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.write_bytes", full)
        with pytest.raises(FileError, match="m cannot be written: No space left"):
            MODELS["basic"].fit(TRAIN).save(folder)
    assert repr(load_model(folder)).startswith("FittedHMM")
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


@pytest.fixture(scope="module", params=["hmm", "advanced"])
def saved(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "model"
    return MODELS[request.param].fit(TRAIN).save(folder)


@pytest.fixture
def model(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "model")


def rewrite(folder, **changes):
    about = json.loads((folder / "model.json").read_text())
    kept = {name: value for name, value in (about | changes).items() if value is not None}
    (folder / "model.json").write_text(json.dumps(kept))


def test_newer_formats_are_refused(model):
    rewrite(model, format=4, calibrant="9.0")
    with pytest.raises(FileError, match=r"has format 4, written by calibrant 9\.0; .* Upgrade cal"):
        load_model(model)


def test_format_1(tmp_path):
    """It had no hash, and in two kinds of models words could not be told from classes."""
    folder = MODELS["basic"].fit(TRAIN).save(tmp_path / "crf")
    rewrite(folder, format=1, weights_sha256=None)
    assert repr(load_model(folder)).startswith("FittedCRF")
    folder = MODELS["hmm"].fit(TRAIN).save(tmp_path / "hmm")
    rewrite(folder, format=1, weights_sha256=None)
    with pytest.raises(FileError, match=r"has format 1, .* Train the model again"):
        load_model(folder)


def test_weights_of_another_model_are_refused(tmp_path):
    one, other = (CRF(Basic(), l2=l2).fit(TRAIN) for l2 in (0.1, 1))
    one.save(tmp_path / "one"), other.save(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "weights.npz", tmp_path / "one" / "weights.npz")
    with pytest.raises(FileError, match=r"weights\.npz is damaged or belongs to another model"):
        load_model(tmp_path / "one")
    rewrite(tmp_path / "other", weights_sha256=None)
    with pytest.raises(FileError, match="SHA-256 differs"):
        load_model(tmp_path / "other")


def test_tags_with_half_a_pair_of_surrogates(tmp_path):
    corpus = Corpus((("a", "b"),), (("D", "\ud83d"),))
    model = HMM().fit(corpus)
    assert load_model(model.save(tmp_path / "m")).tags == model.tags


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": None}, "does not state its format"),
        ({"kind": "Oracle"}, "of kind 'Oracle', which this version of calibrant does not know"),
        ({"settings": None}, "is damaged: there is no 'settings'"),
        ({"settings": {"l3": 1}}, "is damaged"),
        ({"settings": []}, "is damaged"),
        ({"tags": ["D"]}, "is damaged: .* (shape|beyond the 1)"),
        ({"tags": None}, "is damaged: there is no 'tags'"),
        ({"tags": [1, 2, 3, 4]}, "is damaged: tags must be a list of strings"),
        ({"tags": ["D", "D", "N", "V"]}, "is damaged: tags must be distinct"),
    ],
)
def test_facts_that_cannot_be(model, change, message):
    rewrite(model, **change)
    with pytest.raises(FileError, match=message):
        load_model(model)


def test_missing_and_damaged_files(model, tmp_path):
    text, numbers = model / "model.json", model / "weights.npz"
    good = numbers.read_bytes()
    with pytest.raises(FileError, match=r"There is no folder .*none"):
        load_model(tmp_path / "none")
    with pytest.raises(FileError, match=r"is not a saved model: it contains no model\.json"):
        load_model(tmp_path)
    rng = np.random.default_rng(0)
    for k in range(30):
        bad = bytearray(good[: len(good) // 2]) if k == 0 else bytearray(good)
        for at in rng.integers(0, len(bad), 4 if k else 0):
            bad[at] ^= 255
        numbers.write_bytes(bytes(bad))
        with pytest.raises(FileError, match="is damaged"):
            load_model(model)
    np.save(tmp_path / "one.npy", np.zeros(3))
    shutil.copy(tmp_path / "one.npy", numbers)
    with pytest.raises(FileError, match=r"weights\.npz is damaged"):
        load_model(model)
    numbers.unlink()
    with pytest.raises(FileError, match=r"is not a whole model: it contains no weights\.npz"):
        load_model(model)
    with pytest.raises(FileError, match="is a file, but a saved model is a folder"):
        load_model(text)
    nested, digits = "[" * 100_000, '{"format": ' + "1" * 5000 + "}"
    for broken in ("{", nested, "{}\udcff", digits, '{"format": 2, "format"', "\0"):
        text.write_bytes(broken.encode("utf-8", "surrogateescape"))
        with pytest.raises(FileError, match=r"model\.json is damaged: [^\n]+\.$"):
            load_model(model)


def test_arrays_that_do_not_fit_are_refused(model):
    """Compiled code would walk off their ends."""
    with np.load(model / "weights.npz") as file:
        arrays = dict(file)
    for name, array in arrays.items():
        wrong = {
            "shorter": array[:-1],
            "longer": np.concatenate([array, array[-1:]]),
            "reversed": array[::-1] if name.endswith(("_ends", "_start")) else array[:0],
            "objects": array.astype("U8"),
            "missing": None,
        }
        if array.dtype.kind == "f":
            wrong["not a number"] = np.full_like(array, np.nan)
        if name == "pair_tag":
            wrong["beyond"] = array + 3
        for what, value in wrong.items():
            changed = {
                key: each for key, each in (arrays | {name: value}).items() if each is not None
            }
            if value is not None and np.array_equal(value, array):
                continue
            np.savez(model / "weights.npz", **changed)
            data = (model / "weights.npz").read_bytes()
            rewrite(model, weights_sha256=hashlib.sha256(data).hexdigest())
            with pytest.raises(FileError, match="is damaged") as caught:
                load_model(model)
            assert str(model) in str(caught.value), (name, what)


def two_models():
    """Two models whose settings tell which weights are theirs: tags of different numbers."""
    return [
        HMM(rare=0).fit(Corpus((words,), (tags,)))
        for words, tags in ((("a", "b"), ("X", "Y")), (("a", "b", "c"), ("X", "Y", "Z")))
    ]


def test_a_reader_never_sees_a_mixture(tmp_path):
    """Settings of one model with weights of another were read in 7 of 1,000 tries."""
    models = two_models()
    folder = models[0].save(tmp_path / "m")
    done = threading.Event()
    failed = []

    def write():
        for k in range(150):
            models[k % 2].save(folder)
        done.set()

    def read():
        while not done.is_set():
            try:
                found = load_model(folder)
                assert found.emit.shape[0] == len(found.tags)
            except BaseException as error:
                failed.append(error)
                return

    threads = [threading.Thread(target=each) for each in (write, read, read)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


SAVER = """
import sys
sys.path[:0] = {path!r}
from test_saving import two_models
models = two_models()
print("ready", flush=True)
for k in range({count}):
    models[k % 2].save({folder!r})
"""


def saver(folder, count):
    """Another process that saves two models by turns."""
    code = SAVER.format(
        path=[str(Path(__file__).parent), *sys.path], count=count, folder=str(folder)
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_killed_save_leaves_the_old_or_the_new_model(tmp_path):
    folder = two_models()[0].save(tmp_path / "m")
    with saver(folder, 10**6) as process:
        for _ in range(20):
            load_model(folder)
        process.send_signal(signal.SIGKILL)
    assert len(load_model(folder).tags) in (2, 3)
    two_models()[1].save(folder)  # what the killed process left is removed
    assert len(load_model(folder).tags) == 3
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


def test_two_writers_leave_nothing_else_behind(tmp_path):
    folder = two_models()[0].save(tmp_path / "m")
    with saver(folder, 50) as one, saver(folder, 50) as other:
        assert [each.wait(60) for each in (one, other)] == [0, 0]
    assert len(load_model(folder).tags) in (2, 3)
    assert [each.name for each in tmp_path.iterdir()] == ["m"]
