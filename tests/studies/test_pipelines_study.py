import json
from dataclasses import replace

import numpy as np
import pytest
from enumeration import all_sequences, named, random_chain
from made_sentences import made_sentences
from made_trees import load

import calibrant as cb
from calibrant.corpora import Corpus
from calibrant.pairs.tallies import Tallies
from calibrant.structures.coreference.documents import Document, Documents, Mention
from calibrant.studies.coreference.rankers import Resolved
from calibrant.studies.pipelines.counting import Case, count_rows, coverage_row, rectified_row
from calibrant.studies.pipelines.documents import Names, documents_in, genre_of, month_of
from calibrant.studies.pipelines.plan import FAITHFUL, PIPELINES
from calibrant.studies.pipelines.study import run_pipelines_study
from calibrant.studies.pipelines.tagged_trees import (
    evidence_grammar,
    scaled_evidence,
    tag_grammar,
)
from calibrant.studies.progress import Progress

NAMES = {"O": list("xyz"), "B-PER": ["Ada", "Bob"], "I-PER": ["Lee"], "B-LOC": ["Rome", "Bob"]}
DOCUMENTS = [
    "weblog-a_20050101000000_ENG_20050101_000000",
    "newsgroup-b_f3a1_ENG_20050212_000000",
    "email-c1",
]


def load_names():
    sentences = made_sentences(NAMES, 360, seed=3)
    words, tags = ([tuple(word[k] for word in each) for each in sentences] for k in (0, 1))
    documents = [f"{DOCUMENTS[k % 3]}{k // 30}" for k in range(360)]
    parts = [("train", "dev", "test")[k // 30 % 3] for k in range(360)]
    return Names(Corpus(tuple(words), tuple(tags), tuple(documents)), tuple(parts))


def resolve(ranker, progress):
    generator = np.random.default_rng(1)
    links = cb.Links.from_scores([generator.normal(size=(12, 12)) for _ in range(8)])
    drawn = links.sample(1, seed=2)
    words = (tuple("w" * 12),)
    mentions = tuple(Mention(0, k, k + 1, k) for k in range(12))
    documents = tuple(
        Document(f"d{k}", words, mentions, tuple(tuple(each) for each in clusters))
        for k, (clusters,) in enumerate(drawn)
    )
    return Resolved("made", Documents(documents), {FAITHFUL: links}, {})


PLAN = replace(
    PIPELINES,
    tagger=cb.models.CRF(),
    load_trees=load,
    load_names=load_names,
    resolve=resolve,
    longest=8,
    every=6,
    few=(1, 3),
    size=20,
    counted={("weblog", "newsgroup"): ("email",), ("email",): ("weblog", "newsgroup")},
    draws=4,
    shares=(0.5,),
)


@pytest.mark.filterwarnings("ignore:The groups are worth only")
def test_the_study(tmp_path):
    said = []
    found = run_pipelines_study(PLAN, tmp_path / "out", Progress(say=said.append))
    coverage, rectified, parsing, counts = (each.records() for each in found.sections)
    assert {row["what"] for row in coverage} >= {"PER", "LOC", "entities", "PER in email"}
    assert {row["by"] for row in coverage} == {"document", "genre", "month"}
    for row in coverage:
        mine = [
            each
            for each in counts
            if (each["trained"], each["what"], each["by"])
            == (row["trained on"], row["what"], row["by"])
        ]
        assert row["numbers"] == len(mine)
        assert row["true"] == sum(each["true"] for each in mine)
        inside = [each["low"] <= each["true"] <= each["high"] for each in mine]
        assert row["covered"] == pytest.approx(np.mean(inside))
    months = {each["name"] for each in counts if each["by"] == "month"}
    assert months == {"2005-01", "2005-02"}
    assert all(row["labelled"] < row["documents"] for row in rectified)
    names = [row["tags"] for row in parsing]
    assert names[:3] == ["the parser's own words", "gold tags", "all tags in one chart"]
    assert names[3:] == [
        *("best 1 tag sequences", "best 3 tag sequences"),
        *("1 sampled tag sequences", "3 sampled tag sequences"),
    ]
    assert parsing[3]["parses"] == 1
    files = ["coverage.csv", "rectified.csv", "parsing.csv", "counts.csv", "report.md"]
    figures = ["months.png", "excerpts.svg", "parsing.png"]
    assert all((tmp_path / "out" / name).stat().st_size > 0 for name in (*files, *figures))
    facts = json.loads((tmp_path / "out" / "results.json").read_text())
    assert facts["study"] == "pipelines"
    assert any("rectified intervals cover" in each for each in found.findings)
    assert any(each.startswith("Parsing: ") for each in found.findings)


def test_all_tags_in_one_chart_are_sums_over_tag_sequences():
    """P(tree) ∝ Σ over tags of P(tree, tags) times the evidence of every tag."""
    fitted = cb.models.PCFG().fit(load("gum", "train"))
    words = ["the", "dog", "sees"]
    chain = random_chain([3], ["DT", "NN", "VB"], seed=1)
    train = Corpus((("a", "b", "c", "d"),), (("DT", "NN", "NN", "VB"),))
    evidence = scaled_evidence(chain, train, 0.0)
    assert evidence[0][0]["NN"] == pytest.approx(chain.marginals[0, 1] * 2)
    soft = evidence_grammar(fitted.fallback, evidence)
    tree = cb.Tree.from_grammar(soft, [words], entries=[["0:0", "0:1", "0:2"]])
    hard = tag_grammar(fitted.fallback)
    q = total = 0.0
    for path, _ in zip(*all_sequences(chain, 0), strict=True):
        tags = named(chain, path)
        one = cb.Tree.from_grammar(hard, [words], entries=[tags])
        weight = np.exp(one.log_partition[0])
        weight *= np.prod([evidence[0][t][tag] for t, tag in enumerate(tags)])
        total += weight
        q += weight * one.constituent(0, 0, 2, "NP")
    assert tree.constituent(0, 0, 2, "NP") == pytest.approx(q / total)
    assert tree.log_partition[0] == pytest.approx(np.log(total))


def test_coverage_of_a_calibrated_model_by_simulation():
    generator = np.random.default_rng(4)
    pmf = generator.dirichlet(np.ones(6), size=400)
    gold = [generator.choice(6, p=each) for each in pmf]
    by = {"document": [f"d{k}" for k in range(400)], "all": np.full(400, "x")}
    best = pmf.argmax(axis=1)
    tallies = Tallies(pmf=list(pmf), best=best, gold=gold, group=np.arange(400), by=by)
    case = Case("it", "made", tallies, ["document", "all"])
    row = coverage_row(count_rows(case, "document", 0.9))
    assert row.covered >= 0.9 - 3 * (0.09 / 400) ** 0.5
    assert row.gold == sum(gold)
    (total,) = count_rows(case, "all", 0.9)
    assert total.found.expected == pytest.approx(tallies.expected.sum())
    found = rectified_row(replace(PLAN, draws=30), case, 0.25)
    assert found.labelled == 100
    assert found.covered >= 0.7
    assert found.naive_error == pytest.approx(abs(best.sum() - sum(gold)))


def test_names_of_documents(tmp_path):
    path = tmp_path / "made.iob2"
    rows = "1\tAda\tB-PER\n\n"
    path.write_text(f"# sent_id = {DOCUMENTS[0]}-0001\n{rows}# sent_id = email-c1-p0002\n{rows}")
    assert documents_in(path) == [DOCUMENTS[0], "email-c1"]
    assert genre_of(DOCUMENTS[1]) == "newsgroup"
    assert month_of(DOCUMENTS[1]) == "2005-02"
    assert month_of("email-c1") == ""
