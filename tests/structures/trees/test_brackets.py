import gzip

import pytest
from real_data import DATA

from calibrant import CalibrantWarning
from calibrant.errors import FileError, InputError, ParameterError, UnknownName
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.brackets import read_brackets
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.treebank import Treebank

PRETTY = """
(ROOT
  (S
    (NP-SBJ-1 (PRP We))
    (VP (VBP go)
      (NP=2 (-NONE- *T*-1)))
    (. .)))
( (S (NP|X (NN dog)) (VP (-LRB- -LRB-) (VB run))) )
(TOP (FRAG (UH yes)))
(NP (NN end))
"""
READ = [
    "(ROOT (S (NP (PRP We)) (VP (VBP go)) (. .)))",
    "(ROOT (S (NP (NN dog)) (VP (-LRB- -LRB-) (VB run))))",
    "(ROOT (FRAG (UH yes)))",
    "(ROOT (NP (NN end)))",
]


def test_reading(tmp_path):
    plain, zipped = tmp_path / "doc.ptb", tmp_path / "other.tree.gz"
    plain.write_text(PRETTY)
    zipped.write_bytes(gzip.compress(PRETTY.encode()))
    one, both = read_brackets(plain), read_brackets([plain, zipped])
    assert [str(tree) for tree in one.trees] == READ
    assert one.documents is None
    assert one.name == "doc.ptb"
    assert [str(tree) for tree in both.trees] == READ * 2
    assert both.documents == ("doc",) * 4 + ("other",) * 4
    assert repr(both) == "Treebank(2 files: 8 sentences, 16 words, 5 labels)"
    whole = read_brackets(plain, functions=True, empty=True).trees[0]
    assert str(whole) == (
        "(ROOT (S (NP-SBJ-1 (PRP We)) (VP (VBP go) (NP=2 (-NONE- *T*-1))) (. .)))"
    )


def test_files_of_one_name_are_different_documents(tmp_path):
    paths = [tmp_path / "a" / "1.ptb", tmp_path / "b" / "1.ptb"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("(NN end)")
    assert read_brackets(paths).documents == tuple(map(str, paths))


def test_words_with_spaces(tmp_path):
    path = tmp_path / "a.ptb"
    path.write_text("(ROOT (NP (NN a b c)))")
    assert read_brackets(path, join="_").words == (("a_b_c",),)


def test_trees_without_words_are_left_out(tmp_path):
    path = tmp_path / "a.ptb"
    path.write_text("(ROOT (NP (-NONE- *)))\n(ROOT (NP (NN a)))")
    with pytest.warns(CalibrantWarning, match="1 tree without words was left out"):
        assert len(read_brackets(path)) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S\n (NP (NN a))", r"line 1: the bracket opened here is never closed \(1 are open"),
        ("(S (NN a)))", "line 1: a bracket is closed that was not opened"),
        ("(S (NN a))\nword", "line 2: 'word' is outside"),
        ("(S (NN a b))", "NN must have one word, but it has 'a' and 'b'"),
        ("(S (NN a) b)", "the word 'b' is beside a bracket"),
        ("(S\n(NN a (X b)))", "line 2: a bracket opens beside the word 'a'"),
        ("(S (NP ))", r"\(NP\) is empty"),
        ("(S ())", r"\(\) is empty"),
        ("(S ((NN a)))", "a label must follow the bracket"),
        ("(" * 500, "a label must follow the bracket"),
        ("(S " * 500, "nested deeper than 400"),
        ("  \n", "contains no tree in brackets"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = tmp_path / "bad.ptb"
    path.write_text(text)
    with pytest.raises(FileError, match=message):
        read_brackets(path)
    with pytest.raises(FileError, match="There is no file"):
        read_brackets(tmp_path / "none")


def test_sentences_that_are_not_there():
    bank = Treebank((Parse.from_text("(NN a)"), Parse.from_text("(NN b)")), ("x", "y"))
    assert bank.take([1]).documents == ("y",)
    for number in (2, -1, 0.5):
        with pytest.raises(ParameterError, match="number must be a whole number from 0 to 1"):
            bank.take([number])


def test_parses():
    text = "(S (NP (DT the) (NN dog)) (VP (VBZ runs)))"
    tree = Parse.from_text(text)
    assert str(tree) == text
    assert Parse.from_text(str(tree)) == tree
    assert hash(Parse.from_text(text)) == hash(tree)
    assert tree.size == 3
    assert tree.tags == ("DT", "NN", "VBZ")
    with pytest.raises(InputError, match="must contain one tree, but it contains 2"):
        Parse.from_text("(A a)(B b)")
    with pytest.raises(InputError, match="Line 2 of the tree"):
        Parse.from_text("(A a)\n)")
    with pytest.raises(InputError, match="has neither"):
        Parse("NP")
    with pytest.raises(InputError, match="has both"):
        Parse("NP", (tree,), "word")
    with pytest.raises(InputError, match=r"trees\[1\] is str"):
        Treebank((tree, "(S)"))


def f1(gold, said):
    found = bracket_f1([Parse.from_text(gold)], [Parse.from_text(said)])
    return found.gold, found.predicted, found.right


def test_f1_by_hand():
    gold = "(ROOT (S (NP (PRP We)) (VP (VBP go) (PRT (RP on)) (ADVP (RB now))) (. .)))"
    assert f1(gold, gold) == (5, 5, 5)
    # PRT counts as ADVP; a full stop that is attached elsewhere makes no difference
    said = "(TOP (S (NP (PRP We)) (VP (VBP go) (ADVP (RP on)) (ADVP (RB now)) (. .))))"
    assert f1(gold, said) == (5, 5, 5)
    # two brackets over the same words, one of them said: 4 of 5, and 4 said
    assert f1("(ROOT (S (VP (VB Go))))", "(ROOT (VP (VB Go)))") == (2, 1, 1)
    assert f1("(ROOT (NP (NP (NN a))))", "(ROOT (NP (NN a)))") == (2, 1, 1)
    # brackets that hold punctuation only have no words left
    assert f1("(ROOT (NP (NN a) (PRN (, ,))))", "(ROOT (NP (NN a) (, ,)))") == (1, 1, 1)
    # the five marks go, brackets, hyphens and $ stay
    marks = "(, ,) (: -) (`` x) ('' x) (. ?)"
    gold = f"(ROOT (S {marks} (NP (-LRB- x) ($ $) (CD 3) (HYPH -) (NN a))))"
    said = f"(ROOT (S (NP {marks} (-LRB- x)) (NP ($ $) (CD 3) (HYPH -) (NN a))))"
    assert f1(gold, said) == (2, 3, 1)
    assert f1(gold, f"(ROOT (S (NP {marks} (-LRB- x) ($ $) (CD 3) (HYPH -) (NN a))))") == (2, 2, 2)
    assert f1("(ROOT (S (NP (-NONE- *)) (VP (VB Go))))", "(ROOT (S (-NONE- *) (VP (VB Go))))") == (
        2,
        2,
        2,
    )
    # PRT and ADVP are one label either way, and nothing else is
    assert f1("(ROOT (ADVP (RB up)))", "(ROOT (PRT (RP up)))") == (1, 1, 1)
    assert f1("(ROOT (ADJP (RB up)))", "(ROOT (ADVP (RP up)))") == (1, 1, 0)
    # roots are no brackets, whatever they are called and wherever they stand
    for root in ("TOP", "S1", "ROOT"):
        assert f1(f"({root} (NP (NN a)))", "(NP (NN a))") == (1, 1, 1)
    # tags are no brackets: a wrong one costs nothing
    assert f1("(ROOT (NP (NN a)))", "(ROOT (NP (VB a)))") == (1, 1, 1)
    # the gold tags tell what is punctuation
    assert f1("(ROOT (S (NP (NN a)) (: -)))", "(ROOT (S (NP (NN a)) (NP (NN -))))") == (2, 2, 2)
    found = bracket_f1(
        [Parse.from_text("(ROOT (S (VP (VB Go))))")] * 2,
        [Parse.from_text("(ROOT (VP (VB Go)))")] * 2,
    )
    assert found.f1 == pytest.approx(2 / 3)
    assert found.types["VP"].recall == 1
    with pytest.raises(InputError, match="same words"):
        f1("(NP (NN a))", "(NP (NN a) (NN b))")
    with pytest.raises(InputError, match=r"same words, .* sentence 0 .* is 'a' of 1 and 'b' of 1"):
        f1("(NP (NN a))", "(NP (NN b))")
    for bad in (["(NP (NN a))"], Parse.from_text("(NP (NN a))"), 3):
        with pytest.raises(InputError, match="a treebank or a list of Parse"):
            bracket_f1(bad, bad)


@pytest.mark.parametrize(
    ("name", "part", "folder", "documents", "sentences"),
    [("gum", "test", "gum-open/const", 18, 700), ("craft", "dev", "const/craft", 7, 1000)],
)
def test_real_treebanks(name, part, folder, documents, sentences, monkeypatch):
    if not (DATA / folder).is_dir():
        pytest.skip(f"{folder} is not here")
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    found = load_treebank(name, part)
    assert len(found) > sentences
    assert len(set(found.documents)) == documents
    for tree in found.trees[:200]:
        assert tree.label == "ROOT"
        assert Parse.from_text(str(tree)) == tree
        assert not any("-" in span.type for span in tree.spans)


def test_named_treebanks_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    with pytest.raises(FileError, match=r"no files .* in gum-open/const .*github.com/amir"):
        load_treebank("gum", "test")
    with pytest.raises(UnknownName, match=r"Did you mean test\?"):
        load_treebank("gum", "tset")


def test_parts_are_those_of_lists(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    folder = tmp_path / "const" / "craft"
    folder.mkdir(parents=True)
    for k in range(6):
        (folder / f"{k:02}.tree").write_text("( (NP (NN a)) )")
    for part, names in {"train": "05\n00\n03\n", "dev": "01\n"}.items():
        (folder / f"ids-{part}.txt").write_text(names)
    with pytest.raises(FileError, match=r"no file .*ids-test.txt. It must list the documents"):
        load_treebank("craft", "train")
    (folder / "ids-test.txt").write_text("99\n")
    assert load_treebank("craft", "train").documents == ("00", "03", "05")
    (folder / "ids-dev.txt").write_text("01\n07\n08\n")
    with pytest.warns(CalibrantWarning, match="2 of 3 documents of craft dev .* such as 07"):
        assert len(load_treebank("craft", "dev")) == 1
    (folder / "ids-dev.txt").write_bytes(b"01\n\xff\n")
    with pytest.raises(FileError, match=r"ids-dev\.txt, line 2: not UTF-8"):
        load_treebank("craft", "dev")
    (folder / "ids-dev.txt").write_text("01\n")
    assert len(load_treebank("craft", "dev")) == 1
    with pytest.raises(FileError, match="no document of part test among 6 files"):
        load_treebank("craft", "test")


def test_deep_trees_are_written():
    tree = Parse("NN", (), "a")
    for _ in range(5000):
        tree = Parse("NP", (tree,))
    assert str(tree) == "(NP " * 5000 + "(NN a)" + ")" * 5000
