import json

from process import called

from calibrant.corpora import read_brackets
from calibrant.models import PCFG

TREES = """(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ runs))))
( (S (NP-SBJ (DT the) (JJ old) (NN cat)) (VP (VBZ runs))) )"""


def test_parsers_are_asked_about_trees(tmp_path):
    path = tmp_path / "small.ptb"
    path.write_text(TREES)
    PCFG(rare=0, longest=3).fit(read_brackets(path)).save(tmp_path / "model")
    done = called("ask", tmp_path / "model", path, "HasConstituent('NP')", "--format", "json")
    assert done.returncode in (0, None), done.stderr
    (row,) = json.loads(done.stdout)
    assert row["n"] == 1
    assert "1 of 2 sentences have more than 3 words" in done.stderr
