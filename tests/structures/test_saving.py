"""Models as folders: the way there and back, and folders that are no models."""

import json
import os
import shutil

import numpy as np
import pytest
from made_corpora import made

from calibrant.errors import FileError, InputError
from calibrant.structures.loading import load_model
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.features import Advanced, Basic, Features
from calibrant.structures.sequences.models.hmm import HMM
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad

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
    with pytest.raises(FileError, match="without features of your own: leave custom out"):
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
    with pytest.raises(FileError, match=r"that of a model alone, but it has .*: notes.txt\."):
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

    def full(*arguments, **arrays):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("numpy.savez_compressed", full)
        with pytest.raises(OSError, match="No space left"):
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
    rewrite(model, format=2, calibrant="9.0")
    with pytest.raises(FileError, match=r"has format 2, written by calibrant 9\.0; .* Upgrade cal"):
        load_model(model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": None}, "does not tell its format"),
        ({"kind": "Oracle"}, "of kind 'Oracle', which this calibrant does not know"),
        ({"settings": None}, "is damaged: there is no 'settings'"),
        ({"settings": {"l3": 1}}, "is damaged"),
        ({"settings": []}, "is damaged"),
        ({"tags": ["D"]}, "is damaged: .* (shape|beyond the 1)"),
        ({"tags": None}, "is damaged: there is no 'tags'"),
    ],
)
def test_facts_that_cannot_be(model, change, message):
    rewrite(model, **change)
    with pytest.raises(FileError, match=message):
        load_model(model)


def test_missing_and_damaged_files(model, tmp_path):
    text, numbers = model / "model.json", model / "weights.npz"
    good = numbers.read_bytes()
    with pytest.raises(FileError, match="none does not exist: a saved model is a folder"):
        load_model(tmp_path / "none")
    with pytest.raises(FileError, match="is not a model's folder"):
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
    with pytest.raises(FileError, match=r"There is no file .*weights\.npz"):
        load_model(model)
    for broken in ("{", "[" * 100_000):
        text.write_text(broken)
        with pytest.raises(FileError, match=r"model\.json is damaged"):
            load_model(model)


def test_arrays_that_do_not_fit_are_refused(model):
    """Compiled code would walk off their ends."""
    with np.load(model / "weights.npz") as file:
        arrays = dict(file)
    for name, array in arrays.items():
        wrong = {
            "shorter": array[:-1], "longer": np.concatenate([array, array[-1:]]),
            "reversed": array[::-1] if name.endswith(("_ends", "_start")) else array[:0],
            "objects": array.astype("U8"), "missing": None,
        }  # fmt: skip
        if array.dtype.kind == "f":
            wrong["not a number"] = np.full_like(array, np.nan)
        if name == "pair_tag":
            wrong["beyond"] = array + 3
        for what, value in wrong.items():
            changed = {
                key: each for key, each in (arrays | {name: value}).items() if each is not None
            }
            np.savez(model / "weights.npz", **changed)
            with pytest.raises(FileError, match="is damaged") as caught:
                load_model(model)
            assert str(model) in str(caught.value), (name, what)
