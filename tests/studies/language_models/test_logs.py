import gzip

import numpy as np
import pytest
from made_evals import chains_log, stated_log, truthful_log

from calibrant.errors import FileError
from calibrant.studies.language_models import logs


def test_logs_are_found_plain_or_gzipped(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    folder = tmp_path / "evals" / logs.STATED
    folder.mkdir(parents=True)
    stated_log(folder / "a.csv", 1)
    (folder / "b.csv.gz").write_bytes(gzip.compress((folder / "a.csv").read_bytes()))
    found = logs.find_logs(logs.STATED, {"one": "a.csv", "two": "b.csv"})
    one, two = (logs.read_stated(path) for path in found.values())
    assert one.frame.drop("model").equals(two.frame.drop("model"))
    with pytest.raises(FileError, match=r"no log .*c\.csv\. Set CALIBRANT_DATA .*mmlu-pro-conf"):
        logs.find_logs(logs.STATED, {"three": "c.csv"})


def test_stated_logs(tmp_path):
    stated_log(tmp_path / "log.csv", 1)
    evals = logs.read_stated(tmp_path / "log.csv")
    assert evals.kinds == ("perplexity", "stated")
    assert evals.set_aside() == {"unparsed": 16}
    assert evals.pairs("stated").groups == 8


def test_chains(tmp_path):
    chains_log(tmp_path / "log.jsonl", 1)
    evals = logs.read_chains(tmp_path / "log.jsonl", "made")
    assert len(evals) == 60 * 5
    assert {"choice", "agreement", "majority"} <= set(evals.kinds)
    assert evals.pairs("choice", group="question").groups == 60


@pytest.mark.parametrize(
    "row",
    [
        '{"doc": {"id": 1}}',
        '{"doc": {"id": 1, "Label": "A"}, "preds": [7], "pred_logliks": [[0, 1, 2, 3]]}',
        '{"doc": {"id": 1, "Label": "A"}, "preds": [1, 2], "pred_logliks": [[0, 1, 2, 3]]}',
    ],
)
def test_wrong_chains_are_refused(row, tmp_path):
    (tmp_path / "log.jsonl").write_text(row)
    with pytest.raises(FileError, match=r"log\.jsonl, line 1: fields doc"):
        logs.read_chains(tmp_path / "log.jsonl", "made")


def test_the_most_probable_answer_is_chosen_and_placeholders_are_set_aside(tmp_path):
    scores = truthful_log(tmp_path / "log.csv", 1)
    evals, mc1 = logs.read_truthful(tmp_path / "log.csv", "made")
    assert evals.set_aside() == {logs.PLACEHOLDER: 1}
    kept = np.delete(scores, 2, axis=0)
    pairs = evals.pairs("choice", group=None)
    np.testing.assert_array_equal(pairs.y, kept.argmax(axis=1) < 2)
    mass = np.exp(kept - kept.max(axis=1, keepdims=True))
    np.testing.assert_allclose(pairs.q, mass.max(axis=1) / mass.sum(axis=1))
    assert mc1 == np.mean(scores[:, 0] > scores[:, 2:].max(axis=1))
    assert "choice_per_character" in evals.kinds


def test_other_tables_are_refused(tmp_path):
    (tmp_path / "log.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match=r"log\.csv: columns id, Category"):
        logs.read_truthful(tmp_path / "log.csv", "made")
