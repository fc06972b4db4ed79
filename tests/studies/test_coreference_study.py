import json

import numpy as np
import pytest

from calibrant.structures.coreference.models.ranker import MentionRanker
from calibrant.structures.coreference.queries import draw_answers
from calibrant.studies.coreference.plan import CoreferencePlan
from calibrant.studies.coreference.rankers import resolve_litbank
from calibrant.studies.coreference.study import run_coreference
from calibrant.studies.progress import QUIET, Progress

NAMES = ("Ada", "Bob", "Eve")


def made_text(rng, sentences=10):
    """Words and entities: a name or a pronoun that mostly continues the latest one."""
    found, latest = [], 0
    for s in range(sentences):
        again = s > 0 and rng.random() < 0.5
        entity = latest if again and rng.random() < 0.8 else int(rng.integers(3))
        found.append(("he" if again else NAMES[entity], entity))
        latest = entity
    return found


def write_ontogum(folder, rng):
    for place in ("coref-ontogum", "const"):
        (folder / place).mkdir(parents=True)
    rows = ["doc\tgenre\tsplit"]
    for part, count in (("train", 25), ("dev", 5), ("test", 12)):
        for k in range(count):
            name, text = f"{part}_{k}", made_text(rng)
            rows.append(f"{name}\tmade\t{part}")
            lines, trees = ["# begin document"], []
            for s, (word, entity) in enumerate(text):
                lines += [f"{2 * s}\t{word}\t({entity})", f"{2 * s + 1}\tran\t_"]
                tag = "PRP" if word == "he" else "NNP"
                trees.append(f"(ROOT (S (NP ({tag} {word})) (VP (VBD ran))))")
            text = "\n".join([*lines, "# end document", ""])
            (folder / "coref-ontogum" / f"{name}.conll").write_text(text)
            (folder / "const" / f"{name}.ptb").write_text("\n".join(trees))
    (folder / "splits.tsv").write_text("\n".join(rows) + "\n")


def write_litbank(folder, rng):
    (folder / "conll").mkdir(parents=True)
    names = [f"novel_{k}" for k in range(20)]
    for name in names:
        lines = [f"#begin document ({name}); part 0"]
        for word, entity in made_text(rng):
            lines += [f"{name}\t0\t0\t{word}\t_\t({entity})", f"{name}\t0\t1\tran\t_\t", ""]
        (folder / "conll" / f"{name}.conll").write_text("\n".join([*lines, "#end document", ""]))
    for fold in range(10):
        test, dev = names[2 * fold : 2 * fold + 2], names[2 * fold - 2 : 2 * fold or None]
        parts = {"test": test, "dev": dev, "train": [n for n in names if n not in [*test, *dev]]}
        place = folder / "tenfold" / str(fold)
        place.mkdir(parents=True)
        for part, chosen in parts.items():
            (place / f"{part}.ids").write_text("".join(f"{name}.tsv\n" for name in chosen))


PLAN = CoreferencePlan(
    rankers={
        "faithful": MentionRanker(l2=0.1, passes=4, common=2),
        "loss-augmented": MentionRanker(l2=0.1, passes=4, common=2, losses=(0.1, 3, 1)),
    },
    strengths=(0.1, 1.0),
    samples=(10, 100),
    size=50,
    above_size=30,
)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Small corpora under the names of real ones."""
    rng = np.random.default_rng(0)
    write_ontogum(tmp_path / "gum-open", rng)
    write_litbank(tmp_path / "coref" / "litbank", rng)
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    return tmp_path


def test_the_study_writes_tables_figures_and_findings(small):
    said = []
    study = run_coreference(PLAN, small / "out", Progress(say=said.append))
    names = {path.name for path in (small / "out").iterdir()}
    assert {"report.md", "results.json", "curves.png", "curves-above.svg"} <= names
    found = json.loads((small / "out" / "results.json").read_text())
    tables = found["tables"]
    systems = {row["system"] for row in tables["systems"]}
    assert systems == {"faithful", "loss-augmented", "head match"}
    assert [row["pairs"] for row in tables["calibration"]] == [
        *(540, 540),
        *(765, 765),
        *(900, 900),
    ]  # of 12, 17 and 20 documents of 10 mentions
    assert [row["samples"] for row in tables["sampled"]] == ["exact", 10, 100] * 3
    gaps = [row["rms difference"] for row in tables["sampled"]]
    assert gaps[0] == 0 < gaps[2] < gaps[1]
    assert [row["recall"] for row in tables["mentions"]] == [100.0] * 2
    assert len(tables["l2"]) == 6
    assert any("CoNLL score" in sentence for sentence in study.findings)
    assert any("OntoGUM, faithful: CoNLL" in text for text in said)


def test_folds_are_pooled_in_order(small):
    made = {"faithful": MentionRanker(l2=0.1, passes=1)}
    (found,) = resolve_litbank(made, QUIET)
    assert found.found.names == tuple(f"novel_{k}" for k in range(20))
    links = found.links["faithful"]
    assert links.lengths.tolist() == [10] * 20
    shares = draw_answers(links, 2000) / 2000
    exact = np.concatenate([links.pair_rows(k) for k in range(20)])
    assert np.abs(shares - exact).max() < 0.06
