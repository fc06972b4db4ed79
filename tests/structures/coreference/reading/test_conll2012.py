import gzip

import pytest
from real_data import DATA

from calibrant.corpora import load_documents, read_brackets, read_coreference
from calibrant.errors import FileError, ParameterError, UnknownName
from calibrant.structures.coreference.documents import Mention
from calibrant.structures.coreference.noun_phrases import find_mentions, mention_recall
from calibrant.structures.named.ontogum_litbank import litbank_fold, read_litbank, read_ontogum
from calibrant.structures.trees.heads import Heads

LETTER = """#begin document (letter); part 000
letter 0 0 Ada (1)
letter 0 1 met -
letter 0 2 her (2|(1)
letter 0 3 friend 2)

letter 0 0 She (1)
letter 0 1 laughed -

#end document
#begin document (note); part 001
note 1 0 Rain -
#end document
"""


def written(folder, text, name="made.conll"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_of_conll_2012(tmp_path):
    documents = read_coreference(written(tmp_path, LETTER))
    letter, note = documents
    assert documents.names == ("letter", "note, part 1")
    assert letter.words == (("Ada", "met", "her", "friend"), ("She", "laughed"))
    assert letter.mentions == (
        Mention(0, 0, 1, 0),
        Mention(0, 2, 4, 3),
        Mention(0, 2, 3, 2),
        Mention(1, 0, 1, 0),
    )
    assert letter.clusters == ((0, 2, 3), (1,))
    assert letter.entities == (0, 1, 0, 0)
    assert (note.mentions, documents.entities[1]) == ((), ())
    packed = tmp_path / "made.conll.gz"
    packed.write_bytes(gzip.compress(LETTER.encode()))
    assert read_coreference(packed).spans == documents.spans


def test_tabs_empty_cells_and_other_columns(tmp_path):
    text = "# begin document\n0\tAda\t(1(2)\n1\t#\t\n2\tLovelace\t1)\n# end document\n"
    (document,) = read_coreference(written(tmp_path, text), word=1)
    assert document.name == "made"
    assert document.words == (("Ada", "#", "Lovelace"),)
    assert [each.span[1:] for each in document.mentions] == [(0, 3), (0, 1)]


def test_mentions_of_different_entities_may_cross(tmp_path):
    text = "a (1\nb (2\nc 1)\nd 2)\n"
    (document,) = read_coreference(written(tmp_path, text), word=0)
    assert [each.span[1:] for each in document.mentions] == [(0, 3), (1, 4)]


def test_words_bracketed_twice(tmp_path):
    path = written(tmp_path, "a (1(3\nb 3)1)\nc (3)\n")
    with pytest.raises(FileError, match=r"line 1.*'a b' is a mention of entity 1 and of entity 3"):
        read_coreference(path, word=0)
    (document,) = read_coreference(path, word=0, repeated="first")
    assert document.spans == [[(0, 0, 2)], [(0, 2, 3)]]


def test_the_line_of_words_bracketed_twice_where_comments_part_words(tmp_path):
    text = "x 0 0 a -\n# a comment\nx 0 1 b (1)|(2)\n"
    with pytest.raises(FileError, match="line 3, document 'made': words must be bracketed once"):
        read_coreference(written(tmp_path, text))


def test_hashtags_and_spaces_that_do_not_break(tmp_path):
    text = "# sent_id = 1\n#Ada (1)\n#here -\n# -\n\n10\u00a0000 (2)\n#Ada (1)\n"
    for word in (0, -2):
        (document,) = read_coreference(written(tmp_path, text), word=word)
        assert document.words == (("#Ada", "#here", "#"), ("10\u00a0000", "#Ada"))
        assert document.clusters == ((0, 2), (1,))


BAD = {
    "unopened": ("a 0)\n", r"line 1, document 'made': '0\)' closes a mention of entity 0"),
    "unclosed": ("a (0\nb -\n", r"line 1, document 'made': '\(0' opens .* not closed"),
    "next sentence": ("a (0\n\nb 0)\n", "line 1.*not closed in its sentence"),
    "wrong entity": ("a (0\nb 1)\n", r"line 2.*'1\)' closes a mention of entity 1"),
    "no brackets": ("a (0)\nb x\n", "line 2.*must look like .* the cell is 'x'"),
    "no mentions": ("a -\n", "has no mentions in column -1"),
    "no words": ("#begin document (x)\n#end document\n", "line 1: document 'x' has no words"),
    "no documents": ("\n\n", "contains no document"),
    "no end": ("#begin document (x)\na (0)\n", "'x', begun on line 1, has no #end document"),
    "two begins": ("#begin document (x)\na (0)\n#begin document (y)\n", "line 3: document 'x'"),
    "two ends": ("#end document\n", "line 1: #end document without a #begin document"),
    "after the end": (
        "#begin document (x)\na (0)\n#end document\nb -\n",
        "line 4: only #begin document may follow the #end document of line 3, but .* is 'b -'",
    ),
    "after the end and a gap": (
        "#begin document (x)\na (0)\n\n#end document\n\nb -\n",
        "line 6: only #begin document may follow the #end document of line 4, but .* is 'b -'",
    ),
    "before the first": (
        "a (0)\n#begin document (x)\nb -\n#end document\n",
        "line 2: all words must follow a line #begin document, .* from line 1 on",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_bad_files(text, message, tmp_path):
    with pytest.raises(FileError, match=message):
        read_coreference(written(tmp_path, text), word=0)


def test_too_few_columns_and_unknown_policies(tmp_path):
    with pytest.raises(
        FileError, match=r"line 1.*columns 3 and -1 are needed, but the line has 2 columns"
    ):
        read_coreference(written(tmp_path, "a (0)\n"))
    with pytest.raises(UnknownName, match="Did you mean first"):
        read_coreference(written(tmp_path, "a (0)\n"), word=0, repeated="frist")


TREE = """(ROOT (S (NP-SBJ (NP (NNP Ada) (POS 's)) (NN friend))
 (VP (VBD met) (NP-2 (-NONE- *T*)) (NP (NP (DT the) (NN king)) (, ,) (NP=1 (DT a) (NN man))
 (PP (IN of) (NP (PRP$ his) (NN word))))) (. .)))
(NP (NNP Rain) (-LRB- -LRB-))"""
MENTIONS_OF_TREE = [
    "Ada 's friend",
    "Ada 's",
    "the king , a man of his word",
    "the king",
    "a man",
    "his word",
    "his",
]


def test_mentions_from_trees(tmp_path):
    path = written(tmp_path, TREE, "made.ptb")
    for functions in (False, True):
        first, second = read_brackets(path, functions=functions).trees
        found = find_mentions([first, second])
        texts = [
            " ".join((first, second)[each.sentence].words[each.begin : each.end]) for each in found
        ]
        assert texts == [*MENTIONS_OF_TREE, "Rain -LRB-"]
        heads = [(first, second)[each.sentence].words[each.head] for each in found]
        assert heads == ["friend", "Ada", "king", "king", "man", "word", "his", "Rain"]
        for each in found:
            assert each.head == Heads((first, second)[each.sentence]).of_words(*each[1:3])


def bits_of(tree):
    """The parse bits of a tree, one for each word."""
    if tree.word is not None:
        return ["*"]
    bits = [bit for child in tree.children for bit in bits_of(child)]
    bits[0], bits[-1] = f"({tree.label}{bits[0]}", bits[-1]
    bits[-1] += ")"
    return bits


def full_rows(trees, mentions, bits=None):
    """Lines of CoNLL-2012, of twelve columns."""
    lines = ["#begin document (x); part 000"]
    for tree in trees:
        rows = zip(tree.words, tree.tags, bits or bits_of(tree), strict=True)
        lines += [
            f"x 0 {k} {word} {tag} {bit} - - - Ada * {mentions.get(word, '-')}"
            for k, (word, tag, bit) in enumerate(rows)
        ]
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def test_trees_and_tags_of_conll_2012(tmp_path):
    trees = read_brackets(written(tmp_path, TREE, "made.ptb")).trees
    path = written(tmp_path, full_rows(trees, {"a": "(1", "man": "1)", "his": "(1)", "met": "(2)"}))
    (gold,) = read_coreference(path)
    assert gold.tags == tuple(tree.tags for tree in trees)
    assert [gold.text(k) for k in range(3)] == [("met",), ("a", "man"), ("his",)]
    assert gold.entities == (0, 1, 1)
    assert gold.mentions[1].head == gold.mentions[1].end - 1
    (found,) = read_coreference(path, mentions_from="trees")
    assert [" ".join(found.text(k)) for k in range(7)] == MENTIONS_OF_TREE
    assert list(found.mentions) == find_mentions(trees)
    assert found.entities == (None, None, None, None, 0, None, 0, None)
    assert gold.speakers == found.speakers == ("Ada", "Ada")
    (bare,) = read_coreference(path, tag=None, parse=None, speaker=None)
    assert bare.tags is None
    assert bare.speakers is None
    assert bare.spans == gold.spans


def test_heads_of_gold_mentions_are_those_of_the_tree(tmp_path):
    path = written(tmp_path, "a DT (NP(NP* (1\nday NN *) -\nlong JJ (ADJP*)) 1)\n")
    (told,) = read_coreference(path, word=0, tag=1, parse=2)
    assert told.mentions == (Mention(0, 0, 3, 1),)
    assert read_coreference(path, word=0)[0].mentions[0].head == 2  # a guess
    (dash,) = read_coreference(written(tmp_path, "a NN * (1)\n"), word=0, tag=1, parse=2)
    assert dash.tags == (("NN",),)  # and no tree, as all cells are *


BAD_BITS = {
    "never closed": (["(S(NP*", "*)"], "line 2, document 'x': the bracket opened here is never"),
    "never opened": (["(S*", "*))"], "line 3, document 'x': a bracket is closed that was not"),
    "two trees": (["(NP*)", "(NP*)"], r"line 3, document 'x': a sentence must have one tree"),
    "no star": (["(NP*", ")"], r"line 3, document 'x': parse bits must look like .* is '\)'"),
    "a dash": (["(NP*", "-"], r"line 3, document 'x': parse bits must look .* is '-'"),
    "no label": (["((NP*", "*))"], r"line 2, document 'x': parse bits must look"),
}


@pytest.mark.parametrize(("bits", "message"), BAD_BITS.values(), ids=BAD_BITS.keys())
def test_bad_parse_bits(bits, message, tmp_path):
    tree = read_brackets(written(tmp_path, "(NP (NN a) (NN b))", "made.ptb")).trees[0]
    path = written(tmp_path, full_rows([tree], {"a": "(1)"}, bits))
    with pytest.raises(FileError, match=message):
        read_coreference(path)
    assert read_coreference(path, parse=None).mentions == 1


def test_mentions_of_trees_that_are_not_there(tmp_path):
    path = written(tmp_path, LETTER)
    with pytest.raises(FileError, match="line 1, document 'letter': mentions should come from tre"):
        read_coreference(path, mentions_from="trees")
    with pytest.raises(UnknownName, match="Did you mean trees"):
        read_coreference(path, mentions_from="tree")
    with pytest.raises(
        FileError, match="columns 3, -1 and 7 are needed, but the line has 5 columns"
    ):
        read_coreference(path, parse=7)


def test_corpora_that_are_not_there(monkeypatch, tmp_path):
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    with pytest.raises(FileError, match=r"no folder coref/litbank in .* litbank is not downloaded"):
        load_documents("litbank", "all")
    with pytest.raises(UnknownName, match="Did you mean litbank"):
        load_documents("litbnak", "all")
    with pytest.raises(UnknownName, match=r"no part of litbank 'test-10'\. Did you mean test-1"):
        load_documents("litbank", "test-10")
    with pytest.raises(UnknownName, match=r"no origin of mentions 'tree'\. Did you mean trees"):
        load_documents("ontogum", "test", mentions_from="tree")
    with pytest.raises(ParameterError, match="must be 'gold' for litbank, which has no trees"):
        load_documents("litbank", "all", mentions_from="trees")
    with pytest.raises(FileError, match=r"no file .*splits.tsv"):
        read_ontogum(tmp_path, "dev")


TREES = "(S (NP (NN a)) (VP (VB b)))"
HEADER = "doc\tgenre\tsplit\n"
WORDS = "# begin document\n0\ta\t(1)\n1\tb\t_\n# end document\n"
BAD_ONTOGUM = {
    "no columns": ("doc\tpart\nx\tdev\n", WORDS, r"splits.tsv, line 1: .* 'doc', 'part'"),
    "an empty table": ("", WORDS, r"splits.tsv, line 1: the table must have columns doc"),
    "a short row": (HEADER + "x\n", WORDS, r"splits.tsv, line 2: .* 3 columns, but it has 1"),
    "no such part": (HEADER + "x\ty\ttrain\n", WORDS, "lists no document of part dev"),
    "no document": (HEADER + "x\ty\tdev\n", "", "must contain one document, but it has 0"),
    "two documents": (HEADER + "x\ty\tdev\n", WORDS * 2, "must contain one document, but it has 2"),
    "another word": (
        HEADER + "x\ty\tdev\n",
        WORDS.replace("b\t", "c\t"),
        "line 3: the word is 'c', but 'b' in the tree",
    ),
    "a word less": (
        HEADER + "x\ty\tdev\n",
        WORDS.replace("1\tb\t_\n", ""),
        "has 1 word, but its trees have 2",
    ),
}


@pytest.mark.parametrize(("table", "text", "message"), BAD_ONTOGUM.values(), ids=BAD_ONTOGUM.keys())
def test_bad_files_of_ontogum(table, text, message, tmp_path):
    for place in ("const", "coref-ontogum"):
        (tmp_path / place).mkdir()
    written(tmp_path, table, "splits.tsv")
    written(tmp_path / "const", TREES, "x.ptb")
    written(tmp_path / "coref-ontogum", text, "x.conll")
    with pytest.raises(FileError, match=message):
        read_ontogum(tmp_path, "dev")


def test_speakers_of_ontogum(tmp_path):
    for place in ("const", "coref-ontogum", "dep"):
        (tmp_path / place).mkdir()
    written(tmp_path, HEADER + "x\ty\tdev\n", "splits.tsv")
    written(tmp_path / "const", f"{TREES}\n{TREES}", "x.ptb")
    written(
        tmp_path / "coref-ontogum", WORDS.replace("# end", "2\ta\t(1)\n3\tb\t_\n# end"), "x.conll"
    )
    assert read_ontogum(tmp_path, "dev")[0][0].speakers is None
    spoken = "# speaker = Ada\n1\ta\n2\tb\n\n# text = a b\n1\ta\n2\tb\n"
    written(tmp_path / "dep", spoken, "x.conllu")
    gold, found = read_ontogum(tmp_path, "dev")
    assert gold[0].speakers == found[0].speakers == ("Ada", "")
    written(tmp_path / "dep", spoken + "\n1\ta\n", "x.conllu")
    with pytest.raises(FileError, match=r"x\.conllu has 3 sentences, but there are 2 trees"):
        read_ontogum(tmp_path, "dev")


def test_bad_folds_of_litbank(tmp_path):
    documents = read_coreference(written(tmp_path, LETTER))
    folder = tmp_path / "tenfold" / "0"
    folder.mkdir(parents=True)
    for text, message in (
        ("", "train.ids must list documents"),
        ("letter.tsv\nnovel.tsv\n", "train.ids, line 2: .*'novel'"),
    ):
        written(folder, text, "train.ids")
        with pytest.raises(FileError, match=message):
            litbank_fold(tmp_path, documents, 0)


@pytest.mark.skipif(not (DATA / "gum-open").is_dir(), reason="OntoGUM is not here")
def test_ontogum(monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    found = load_documents("ontogum", "dev")
    gold = load_documents("ontogum", "dev", mentions_from="gold")
    assert (gold.mentions, found.mentions) == (1961, 4649)
    assert len(gold) == len(found) == 18
    recall = mention_recall(list(gold), list(found))
    assert recall == (1762, 1961, 1762, 4649)


@pytest.mark.skipif(not (DATA / "coref" / "litbank").is_dir(), reason="LitBank is not here")
def test_litbank(monkeypatch):
    folder = DATA / "coref" / "litbank"
    documents = read_litbank(folder)
    assert len(documents) == 100
    assert documents.mentions == 29_103  # as published
    folds = [litbank_fold(folder, documents, fold) for fold in range(10)]
    assert sorted(name for fold in folds for name in fold["test"].names) == sorted(documents.names)
    assert all(len(fold["train"]) == 80 for fold in folds)
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    assert load_documents("litbank", "test-3").spans == folds[3]["test"].spans
