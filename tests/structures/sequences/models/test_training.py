"""Seeds, early stopping, and runs that are interrupted and go on."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from made_corpora import made

from calibrant import CalibrantWarning
from calibrant.errors import FileError, ParameterError
from calibrant.kernels import threads as threads_module
from calibrant.structures.sequences import inference
from calibrant.structures.sequences.models.adagrad import Descent
from calibrant.structures.sequences.models.checkpoints import Checkpoint
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.epochs import Epoch
from calibrant.structures.sequences.models.features import Basic, Features
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad

TRAIN, DEV = made(60, seed=1), made(20, seed=2)
FEW = Features(("word", "context"), reach=1)
QUICK = AdaGrad(epochs=6, batch=10, patience=6)


def numbers(model):
    return np.concatenate([model.weights.weight, model.weights.move.ravel()])


@pytest.mark.parametrize("training", [QUICK, LBFGS()], ids=["AdaGrad", "LBFGS"])
def test_a_seed_gives_the_same_weights(training, monkeypatch):
    fitted = []
    for cores in (1, 1, 3, 8):
        threads = ThreadPoolExecutor(cores)
        monkeypatch.setattr(threads_module, "waiting_threads", lambda threads=threads: threads)
        monkeypatch.setattr(inference, "workers", lambda cores=cores: cores)
        fitted.append(CRF(FEW, training=training).fit(TRAIN, dev=DEV))
    for each in fitted[1:]:
        np.testing.assert_array_equal(numbers(each), numbers(fitted[0]))
        assert each.history == fitted[0].history
        found, wanted = each.posteriors(DEV), fitted[0].posteriors(DEV)
        np.testing.assert_array_equal(found.marginals, wanted.marginals)
    other = CRF(FEW, training=training, seed=1).fit(TRAIN, dev=DEV)
    assert (numbers(other) != numbers(fitted[0])).any()


class Judged:
    """In place of the judge of dev sentences: log-likelihoods that are told."""

    def __init__(self, monkeypatch, likely):
        self.seen = []
        monkeypatch.setattr("calibrant.structures.sequences.models.crf.judge_posterior", self.judge)
        self.likely = iter(likely)

    def judge(self, chain, dev):
        self.seen.append(chain.marginals)
        return next(self.likely), 0.5


def test_early_stopping_keeps_the_best_pass(monkeypatch):
    judged = Judged(monkeypatch, [-3.0, -1.0, -2.0, -1.0, -1.5, -0.5])
    model = CRF(training=AdaGrad(epochs=9, batch=10, patience=3)).fit(TRAIN, dev=DEV)
    assert [epoch.number for epoch in model.history] == [1, 2, 3, 4, 5]  # 4 is no better than 2
    np.testing.assert_array_equal(model.posteriors(DEV).marginals, judged.seen[1])


def test_a_log_likelihood_of_zero_is_the_best(monkeypatch):
    judged = Judged(monkeypatch, [-1.0, 0.0, -1.0])
    model = CRF(training=AdaGrad(epochs=9, batch=10, patience=1)).fit(TRAIN, dev=DEV)
    assert len(model.history) == 3
    np.testing.assert_array_equal(model.posteriors(DEV).marginals, judged.seen[1])


def test_without_dev_the_last_pass_is_kept():
    model = CRF(Basic(), training=QUICK).fit(TRAIN)
    assert model.history == tuple(Epoch(n, None, None) for n in range(1, 7))
    assert str(model.history[0]) == "pass 1"
    longer = CRF(Basic(), training=AdaGrad(epochs=7, batch=10)).fit(TRAIN)
    assert (numbers(longer) != numbers(model)).any()


def test_history_says_how_well_dev_is_tagged():
    model = CRF(training=QUICK).fit(TRAIN, dev=DEV)
    first, last = model.history[0], model.history[-1]
    assert first.log_likelihood < last.log_likelihood < 0
    assert 0.5 < last.accuracy <= 1
    assert str(last).startswith("pass 6: dev log-likelihood -0.")


@contextmanager
def interrupted(passes, place):
    """Press Ctrl-C after so many passes: during the next one, or when it is about to be kept."""
    calls = []
    owner, name = (Descent, "_step") if place == "pass" else (Checkpoint, "write")
    whole = getattr(owner, name)
    steps = 7 if place == "pass" else 1  # of a pass of 61 sentences

    def counted(self, *arguments):
        calls.append(1)
        if len(calls) == passes * steps + (3 if place == "pass" else 1):
            raise KeyboardInterrupt
        return whole(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, counted)
        yield


@pytest.mark.parametrize("dev", [DEV, None], ids=["dev", "no dev"])
@pytest.mark.parametrize("place", ["pass", "write"])
@pytest.mark.parametrize("passes", [0, 1, 4])
def test_an_interrupted_run_goes_on(tmp_path, passes, place, dev):
    path = tmp_path / "here.npz"
    whole = CRF(training=QUICK).fit(TRAIN, dev=dev)
    with interrupted(passes, place), pytest.raises(KeyboardInterrupt):
        CRF(training=QUICK).fit(TRAIN, dev=dev, checkpoint=path)
    assert path.exists() == (passes > 0)
    resumed = CRF(training=QUICK).fit(TRAIN, dev=dev, checkpoint=path)
    np.testing.assert_array_equal(numbers(resumed), numbers(whole))
    assert resumed.history == whole.history
    found, wanted = resumed.posteriors(DEV), whole.posteriors(DEV)
    np.testing.assert_array_equal(found.marginals, wanted.marginals)
    assert list(tmp_path.iterdir()) == []


def test_early_stopping_goes_on_too(tmp_path, monkeypatch):
    """The best pass lies before the interruption, the decision to stop after it."""
    path, likely = tmp_path / "here.npz", [-3.0, -1.0, -2.0, -2.5, -1.5]
    training = AdaGrad(epochs=9, batch=10, patience=3)
    judged = Judged(monkeypatch, likely)
    CRF(training=training).fit(TRAIN, dev=DEV)
    Judged(monkeypatch, [*likely[:3], None])
    with interrupted(3, "pass"), pytest.raises(KeyboardInterrupt):
        CRF(training=training).fit(TRAIN, dev=DEV, checkpoint=path)
    Judged(monkeypatch, likely[3:])
    model = CRF(training=training).fit(TRAIN, dev=DEV, checkpoint=path)
    assert [epoch.log_likelihood for epoch in model.history] == likely
    np.testing.assert_array_equal(model.posteriors(DEV).marginals, judged.seen[1])


def test_a_finished_checkpoint_gives_the_model_at_once(tmp_path, monkeypatch):
    path = tmp_path / "here.npz"
    model = CRF(training=QUICK).fit(TRAIN, checkpoint=path, keep_checkpoint=True)
    assert path.exists()
    monkeypatch.setattr(Descent, "_step", None)
    again = CRF(training=QUICK).fit(TRAIN, checkpoint=path)
    np.testing.assert_array_equal(numbers(again), numbers(model))
    assert not path.exists()


def one(words, t):
    return ["one"]


def other(words, t):
    return ["other", words[t][:1]]


other.__name__ = "one"
OTHERS = {
    "features": (CRF(Basic(), training=QUICK), TRAIN, DEV),
    "l2": (CRF(l2=0.2, training=QUICK), TRAIN, DEV),
    "seed": (CRF(training=QUICK, seed=1), TRAIN, DEV),
    "rate": (CRF(training=AdaGrad(0.4, 10, 6, 6)), TRAIN, DEV),
    "train": (CRF(training=QUICK), made(60, seed=3), DEV),
    "dev": (CRF(training=QUICK), TRAIN, made(20, seed=3)),
    "no dev": (CRF(training=QUICK), TRAIN, None),
    "a function": (CRF(Features((), custom=one), training=QUICK), TRAIN, DEV),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_checkpoint_of_something_else_is_refused(tmp_path, name):
    path = tmp_path / "here.npz"
    CRF(training=QUICK).fit(TRAIN, dev=DEV, checkpoint=path, keep_checkpoint=True)
    model, train, dev = OTHERS[name]
    with pytest.raises(FileError, match=r"here.npz is the checkpoint of .* other settings or sent"):
        model.fit(train, dev=dev, checkpoint=path)
    assert path.exists()


def test_a_function_of_the_same_name_is_told_apart(tmp_path):
    path = tmp_path / "here.npz"
    first, second = (CRF(Features((), custom=each), training=QUICK) for each in (one, other))
    first.fit(TRAIN, checkpoint=path, keep_checkpoint=True)
    with pytest.raises(FileError, match="other settings or sentences"):
        second.fit(TRAIN, checkpoint=path)


def test_damaged_checkpoints(tmp_path):
    path = tmp_path / "here.npz"
    crf = CRF(Basic(), training=QUICK)
    crf.fit(TRAIN, checkpoint=path, keep_checkpoint=True)
    with np.load(path) as file:
        arrays = dict(file)
    for name, value in (
        ("best", arrays["best"][:-1]),
        ("square", None),
        ("kept", np.zeros(2)),
        ("history", np.zeros(3)),
    ):
        changed = {**arrays, name: value}
        np.savez(path, **{key: each for key, each in changed.items() if each is not None})
        with pytest.raises(FileError, match=r"here.npz is damaged: .*Delete it\."):
            crf.fit(TRAIN, checkpoint=path)
    path.write_bytes(b"PK nothing")
    with pytest.raises(FileError, match=r"here.npz is damaged"):
        crf.fit(TRAIN, checkpoint=path)


def test_where_a_checkpoint_cannot_be(tmp_path):
    with pytest.raises(ParameterError, match="A checkpoint needs AdaGrad"):
        CRF(training=LBFGS()).fit(TRAIN, checkpoint=tmp_path / "here.npz")
    with pytest.raises(FileError, match="cannot be written: Is a directory"):
        CRF().fit(TRAIN, checkpoint=tmp_path)


def test_too_few_iterations_are_told():
    with pytest.warns(CalibrantWarning, match="did not reach the minimum in 3 iterations"):
        CRF(Basic(), training=LBFGS(iterations=3, warm=0)).fit(TRAIN)


def test_progress(capsys):
    CRF(Basic(), training=QUICK).fit(TRAIN, dev=DEV, progress=True)
    CRF(Basic(), training=LBFGS()).fit(TRAIN, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "6/6" in err
    assert "accuracy" in err
    assert "objective" in err


def test_a_large_corpus_needs_little_memory():
    """250,000 words with all features, in a process of its own; measured: 0.3 GB."""
    status = Path("/proc/self/status")  # getrusage would tell the peak of the process that forked
    if not status.exists():
        pytest.skip("the peak of a process is told by Linux only")
    code = (
        "from made_corpora import large; from calibrant.models import *; "
        "print(CRF(training=AdaGrad(epochs=1)).fit(large(250_000))); "
        f"print(next(line for line in open('{status}') if line.startswith('VmHWM')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(made.__code__.co_filename).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    model, peak, *_ = done.stdout.splitlines()
    assert model.startswith("FittedCRF(25 tags, ")
    assert peak.endswith("kB")
    assert 1e8 < 1024 * int(peak.split()[1]) < 1e9
