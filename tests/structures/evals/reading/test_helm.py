import json

import pytest
from real_data import DATA

import calibrant as cb
from calibrant.errors import FileError, ParameterError

LOGS = DATA / "evals" / "helm"


def stat(name, mean):
    return {"name": {"name": name, "split": "test"}, "count": 1, "mean": mean}


def instance(name, right, **more):
    return {
        "instance_id": name,
        "train_trial_index": 0,
        "stats": [stat("exact_match", right)],
    } | more


def request(name, text, *logprobs, trial=0):
    tokens = [{"text": text, "logprob": each} for each in logprobs]
    references = [{"output": {"text": "yes"}, "tags": ["correct"]}]
    return {
        "instance": {"id": name, "references": references},
        "train_trial_index": trial,
        "result": {"completions": [{"text": text, "tokens": tokens}]},
    }


def write(folder, instances, requests=None, prefix="", subject="law"):
    (folder / f"{prefix}per_instance_stats.json").write_text(json.dumps(instances))
    spec = {"name": f"mmlu:subject={subject},model=org_m", "adapter_spec": {"model": "org/m"}}
    (folder / f"{prefix}run_spec.json").write_text(json.dumps(spec))
    if requests is not None:
        state = {"adapter_spec": {}, "request_states": requests}
        (folder / f"{prefix}scenario_state.json").write_text(json.dumps(state))
    return folder


@pytest.mark.parametrize("prefix", ["", "run__"])
def test_a_run(tmp_path, prefix):
    write(
        tmp_path,
        [
            instance("a", 1.0),
            instance("b", 0.0),
            instance("c", 0.5),
            instance("d", 1.0, perturbation={"name": "typos"}),
        ],
        [request("a", " yes", -0.1), request("b", "no", 0.0), request("c", "x", -1.0, -1.0)],
        prefix,
    )
    evals = cb.read_evals(tmp_path)
    assert evals.frame["model"].unique().to_list() == ["org/m"]
    assert evals.frame["task"].unique().to_list() == ["mmlu:subject=law"]
    assert evals.frame["correct"].to_list() == [True, False, None]
    assert evals.frame["answer"].to_list() == ["yes", "no", "x"]
    assert evals.frame["gold"].to_list() == ["yes"] * 3
    assert evals.set_aside() == {"unscored": 1}
    assert evals.frame["sequence"].to_list() == pytest.approx([0.904837, None, 0.135335], abs=1e-6)
    assert "not read: 1 perturbed instance" in evals.notes
    assert any(note.endswith("(placeholders) or missing in 1 answer") for note in evals.notes)


def test_folders_of_runs_and_metrics(tmp_path):
    for name in "xy":
        (tmp_path / name).mkdir()
        write(tmp_path / name, [instance("a", 1.0)], subject=name)
    assert len(cb.read_evals(tmp_path)) == 2
    with pytest.raises(ParameterError, match="Its metrics: exact_match"):
        cb.read_evals(tmp_path, metric="f1")


def test_a_run_that_is_read_twice_is_refused(tmp_path):
    for name in "xy":
        (tmp_path / name).mkdir()
        write(tmp_path / name, [instance("a", 1.0)])
    with pytest.raises(FileError, match=r"x.*and.*y.*question a of mmlu:subject=law occurs twice"):
        cb.read_evals(tmp_path)


def test_bad_runs(tmp_path):
    path = tmp_path / "per_instance_stats.json"
    for text, message in (
        ("{}", "a list of instances was expected"),
        ('[{"stats": []}]', "instance 1: no instance_id"),
        ("[", "not JSON"),
    ):
        path.write_text(text)
        with pytest.raises(FileError, match=message):
            cb.read_evals(path)


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not here")
def test_real_runs_hold_placeholders_only():
    evals = cb.read_evals(LOGS)
    assert evals.kinds == ()
    assert any("placeholders" in note for note in evals.notes)
    for path in sorted(LOGS.glob("*__per_instance_stats.json")):
        rows = json.loads(path.read_text())
        own = [
            each["mean"]
            for row in rows
            for each in row["stats"]
            if each["name"]["name"] == "exact_match" and not row.get("perturbation")
        ]
        assert cb.read_evals(path).accuracy == pytest.approx(sum(own) / len(own))
