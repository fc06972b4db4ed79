import json
from dataclasses import replace

import polars
import pytest
from made_evals import SUBJECTS, TEXT, chains_log, stated_log, truthful_log
from real_data import DATA

import calibrant as cb
from calibrant.cli.main import app
from calibrant.structures.evals.evals import _options
from calibrant.studies.language_models import chains, logs
from calibrant.studies.language_models import plan as plans
from calibrant.studies.language_models.plan import LANGUAGE_MODELS
from calibrant.studies.language_models.stated import models, sure
from calibrant.studies.language_models.study import run_language_models
from calibrant.studies.progress import QUIET, Progress

needs_logs = pytest.mark.skipif(
    not (DATA / "evals" / logs.STATED).exists(), reason="the logs of language models are not here"
)
PLAN = replace(
    LANGUAGE_MODELS,
    stated={"big": "big.csv", "small": "small.csv"},
    chains={"deep": "deep.jsonl"},
    truthful={"true": "true.csv"},
    counts=(1, 2, 5),
)


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "evals"
    for name in (logs.STATED, logs.CHAINS, logs.TRUTHFUL):
        (folder / name).mkdir(parents=True)
    stated_log(folder / logs.STATED / "big.csv", 1)
    stated_log(folder / logs.STATED / "small.csv", 2)
    chains_log(folder / logs.CHAINS / "deep.jsonl", 3)
    truthful_log(folder / logs.TRUTHFUL / "true.csv", 4)
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path / "data"))
    return folder


def test_the_study(data, tmp_path):
    said, steps = [], []

    def track(items, total, what):
        steps.append((what, total))
        yield from items

    found = run_language_models(PLAN, tmp_path / "out", Progress(track, said.append))
    tables = json.loads((tmp_path / "out" / "results.json").read_text())["tables"]
    assert [(row["model"], row["confidence"]) for row in tables["stated"]] == [
        (model, kind) for model in ("big", "small") for kind in ("stated", "tokens")
    ]
    evals = cb.read_evals(data / logs.STATED / "big.csv")
    expected = cb.score_evals(evals, kind="stated").rows[0]
    row = tables["stated"][0]
    assert row["CalibScore"] == expected.estimate.value
    assert row["CalibScore high"] == expected.estimate.high
    assert row["signature"] == expected.estimate.signature
    assert row["accuracy"] == expected.accuracy
    assert row["mean confidence"] == pytest.approx(expected.mean)

    scored = evals.scored
    high = scored.filter(scored["stated"] >= 0.9)
    assert tables["sure"][0]["answers"] == high.height
    assert tables["sure"][0]["right"] == pytest.approx(high["correct"].mean())
    assert [row["subject"] for row in tables["subjects"][::2]] == SUBJECTS * 2
    assert {row["chains"] for row in tables["chains-by-number"]} == {1, 2, 5}
    assert [row["confidence"] for row in tables["chains"]] == list(chains.KINDS)
    assert [row["set aside"] for row in tables["truthful"]] == [1, 1]
    assert len(found.findings) == 2 + 2 + 2 + 1 + 1 + 2
    assert [what for what, _ in steps] == ["Stated confidence", "Subjects", "Chains of thought"]
    assert said[0] == "640 answers of 2 models to MMLU-Pro"

    names = {path.name for path in (tmp_path / "out").iterdir()}
    for figure in ("stated", "subjects", "chains", "chains-by-number"):
        assert (tmp_path / "out" / f"{figure}.png").stat().st_size > 10_000
    assert "signature" in polars.read_csv(tmp_path / "out" / "chains.csv").columns
    assert "signature" not in (tmp_path / "out" / "report.md").read_text().split("##")[1]
    for name in names - {each for each in names if each.endswith("png")}:
        assert TEXT not in (tmp_path / "out" / name).read_text()


def test_missing_logs_are_told_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path / "data"))
    with pytest.raises(cb.CalibrantError, match="Set CALIBRANT_DATA to a folder that contains"):
        app(["study", "language-models", "-o", str(tmp_path / "out")], standalone_mode=False)
    assert list(tmp_path.iterdir()) == []


def test_the_command(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(plans, "LANGUAGE_MODELS", replace(PLAN, counts=(1, 5)))
    words = ["study", "language-models", "-o", str(tmp_path / "out"), "--format", "json"]
    app(words, standalone_mode=False)
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["model"] == "big"
    assert "at least 90 % sure" in err


@needs_logs
def test_real_logs_give_known_numbers(monkeypatch):
    """Stated and token confidence as an earlier program measured them, to two digits."""
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    wanted = {
        ("gpt-4.1", "stated"): 0.215,
        ("gpt-4.1", "tokens"): 0.09,
        ("gpt-4o", "tokens"): 0.13,
        ("gemma-2-9b", "stated"): 0.47,
        ("gemma-2-9b", "tokens"): 0.40,
    }
    used = {name: LANGUAGE_MODELS.stated[name] for name, _ in wanted}
    evals = {name: logs.read_stated(p) for name, p in logs.find_logs(logs.STATED, used).items()}
    assert all(len(each) == 12_032 for each in evals.values())
    found = {(row.model, row.kind): row.judged for row in models(evals, QUIET).rows}
    for key, value in wanted.items():
        assert found[key].calibration.value == pytest.approx(value, abs=0.006)
        assert found[key].excess.low > 0
    rows = {row.model: row for row in sure(evals, 0.9).rows}
    assert rows["gemma-2-9b"].accuracy.value == pytest.approx(0.489, abs=0.001)


@needs_logs
def test_real_chains_vote_as_their_source_says(monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    right = {"Fleming-R1-7B": 0.737, "DeepSeek-R1-8B": 0.746, "Llama-3.1-8B": 0.624}
    files = {name: LANGUAGE_MODELS.chains[name] for name in right}
    for model, path in logs.find_logs(logs.CHAINS, files).items():
        votes = chains.naive(logs.read_chains(path, model)).pairs
        assert votes.mean(votes.y) == pytest.approx(right[model], abs=0.0005)


@needs_logs
def test_real_softmax_gives_the_logged_mass_of_true_answers(monkeypatch):
    """MC2 of the logs is the probability of all true answers together."""
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    for model, path in logs.find_logs(logs.TRUTHFUL, LANGUAGE_MODELS.truthful).items():
        evals, mc1 = logs.read_truthful(path, model)
        options = _options(evals.frame)
        mass = float((options.probabilities() * options.correct).sum()) / len(evals)
        frame = polars.read_csv(path)
        name = next(each for each in frame.columns if each.endswith(" MC2"))
        assert mass == pytest.approx(frame[name].mean(), abs=1e-6)
        assert mc1 < evals.accuracy
