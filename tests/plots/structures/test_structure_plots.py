"""Pictures of parses and of mentions: what they say, and that nothing in them overlaps."""

import itertools

import numpy as np
import pytest
from matplotlib.figure import Figure

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.plots import save_figure
from calibrant.plots.structures.lettering import brief

RULES = {
    ("S", "NP", "VP"): 1.0,
    ("VP", "V", "NP"): 0.6,
    ("VP", "VP", "PP"): 0.4,
    ("NP", "D", "N"): 0.5,
    ("NP", "NP", "PP"): 0.3,
    ("PP", "P", "NP"): 1.0,
}
WORDS = {
    ("D", "the"): 1.0,
    ("N", "astronomer"): 0.5,
    ("N", "stars"): 0.3,
    ("N", "$telescope$"): 0.2,
    ("V", "sees"): 1.0,
    ("P", "with"): 0.5,
    ("P", "on"): 0.5,
}
CHAINS = {("NP", "N"): 0.2, ("NP", "NML-TMP-LOC"): 0.1, ("NML-TMP-LOC", "N"): 0.9}
SENTENCES = [
    "the astronomer sees stars with the $telescope$",
    "the astronomer with the $telescope$ on stars sees stars with the $telescope$ on the stars "
    "with stars on the astronomer with the stars",
    "stars sees stars",
]


@pytest.fixture(scope="module")
def tree():
    grammar = cb.models.Grammar(RULES, CHAINS, WORDS, root="S")
    return cb.Tree.from_grammar(grammar, [each.split() for each in SENTENCES])


def document(count, seed=0):
    """Links that are neither sure nor even."""
    rng = np.random.default_rng(seed)
    matrix = np.tril(rng.gamma(0.2, size=(count, count)) + 1e-9)
    return matrix / matrix.sum(axis=1, keepdims=True)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def overlaps(ax):
    """All two texts whose boxes overlap on paper."""
    figure = ax.get_figure()
    figure.draw_without_rendering()
    shown = [text for text in ax.texts if text.get_text()]
    shown += [label for label in (*ax.get_xticklabels(), *ax.get_yticklabels()) if ax.axison]
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown]
    return [
        (a, b)
        for (a, one), (b, other) in itertools.combinations(boxes, 2)
        if one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1
    ]


def cut_off(ax):
    """Texts that leave the figure."""
    figure = ax.get_figure()
    figure.draw_without_rendering()
    shown = [*ax.texts, *((*ax.get_xticklabels(), *ax.get_yticklabels()) if ax.axison else ())]
    page = figure.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown if text.get_text()]
    inside = [page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1) for _, box in boxes]
    return [text for (text, _), each in zip(boxes, inside, strict=True) if not each]


def test_a_parse_has_its_words_labels_and_probabilities(tree):
    ax = cb.plot(tree)
    found = texts(ax)
    assert [word for word in found if word in tree.sentences[0]] == list(tree.sentences[0])
    # both readings have all rules but one in common: 0.4 for the verb, 0.3 for the noun
    assert [found[at + 1] for at, label in enumerate(found) if label == "VP"] == [".57", "1"]
    assert "NP .43" in found
    assert found[-1] == "not in the best parse, but at least 0.1"


def test_brackets_are_what_the_posterior_has_and_the_parse_lacks(tree):
    found = set(texts(cb.plot(tree, sentence=1, floor=0.05)))
    marginals, mine = tree.span_marginals[1], set(tree.mode[1].spans)
    for row, column in np.argwhere(marginals.q >= 0.05):
        place = int(marginals.begin[row]), int(marginals.end[row]), tree.labels[column]
        if place not in mine:
            assert f"{place[2]} {brief(marginals.q[row, column])}" in found


def test_a_sure_parse_has_no_brackets():
    grammar = cb.models.Grammar(
        {("S", "N", "V"): 1.0}, {}, {("N", "dogs"): 1.0, ("V", "run"): 1.0}, "S"
    )
    ax = cb.plot(cb.Tree.from_grammar(grammar, [["dogs", "run"]]))
    assert sorted(texts(ax)) == ["1", "N", "S", "V", "dogs", "run"]


def test_roots_are_no_constituents():
    grammar = cb.models.Grammar(
        {("S", "N", "V"): 1.0}, {("ROOT", "S"): 1.0}, {("N", "dogs"): 1.0, ("V", "run"): 1.0}
    )
    found = texts(cb.plot(cb.Tree.from_grammar(grammar, [["dogs", "run"]])))
    assert found.count("1") == 1
    assert "ROOT" in found


def test_a_sentence_of_the_fallback_is_drawn_by_it(tree):
    other = cb.models.Grammar({("X", "N", "N"): 1.0}, {}, {("N", "stars"): 1.0}, root="X")
    sentences = [tree.sentences[2], ("stars", "stars")]
    both = cb.Tree.from_grammar(tree.grammar, sentences, fallback=other)
    assert sorted(texts(cb.plot(both, sentence=1))) == ["1", "N", "N", "X", "stars", "stars"]
    assert "VP" in texts(cb.plot(both, sentence=0))


@pytest.mark.parametrize("sentence", range(3))
@pytest.mark.parametrize("floor", [0.5, 0.1, 0.001])
def test_nothing_in_a_parse_overlaps_or_is_cut_off(tree, sentence, floor):
    ax = cb.plot(tree, sentence=sentence, floor=floor)
    assert not overlaps(ax)
    assert not cut_off(ax)


def test_other_sentences_are_not_parsed_for_a_picture(tree):
    fresh = cb.Tree.from_grammar(tree.grammar, tree.sentences)
    cb.plot(fresh, sentence=2)
    assert "mode" not in vars(fresh)


@pytest.mark.parametrize("count", [1, 2, 5, 8, 9, 16, 17, 40, 100])
def test_nothing_among_mentions_overlaps_or_is_cut_off(count):
    names = list(itertools.islice(itertools.cycle(["it", "her oldest friend's dog", "Ada"]), count))
    ax = cb.plot(cb.Links.from_probabilities([document(count)]), words=names)
    assert not overlaps(ax)
    assert not cut_off(ax)


def test_arcs_are_pairs_that_reach_the_floor():
    links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.02, 0.08, 0.9]]])
    ax = cb.plot(links, words=["Ada", "she", "Bob"])
    # 0.02 + 0.08 · 0.6 = 0.068 and 0.08 + 0.02 · 0.6 = 0.092 are below 0.1
    assert texts(ax)[:-1] == ["Ada", "A · new 1", "she", "A · new .40", "Bob", "new .90", ".60"]
    (line,) = ax.get_lines()
    assert line.get_linestyle() == "-"
    more = cb.plot(links, floor=0.05)
    assert texts(more)[-4:-1] == [".60", ".07", ".09"]
    assert [line.get_linestyle() for line in more.get_lines()] == ["-", "--", "--"]


def test_many_mentions_make_a_matrix():
    links = cb.Links.from_probabilities([document(3), document(12)])
    ax = cb.plot(links, document=1)
    shown, new = (mesh.get_array() for mesh in ax.collections)
    below = np.tril_indices(12, -1)
    np.testing.assert_array_equal(shown[below], links.pair_probabilities(1)[below])
    assert shown.mask.sum() == 12 * 13 // 2
    np.testing.assert_array_equal(new[:, 0], links.new_probabilities(1))
    frames = [patch for patch in ax.patches if not patch.get_fill()]
    sizes = [len(cluster) for cluster in links.mode[1]]
    assert len(frames) == sum(size * (size - 1) // 2 for size in sizes)


def test_a_document_has_the_texts_of_its_mentions():
    words = (("Ada", "met", "her", "friend"),)
    mentions = tuple(cb.corpora.Mention(0, *place) for place in ((0, 1, 0), (2, 4, 3), (2, 3, 2)))
    text = cb.corpora.Document("letter", words, mentions, ((0, 2),))
    links = cb.Links.from_probabilities([[[1, 0, 0], [0.1, 0.9, 0], [0.7, 0.2, 0.1]]])
    assert {"Ada", "her friend", "her"} <= set(texts(cb.plot(links, words=text)))


def test_axes_that_are_passed_are_used(tree):
    links = cb.Links.from_probabilities([document(4), document(12)])
    axes = Figure(figsize=(10, 8), dpi=300).subplots(2, 2).ravel()
    drawn = [(tree, {}), (tree, {"sentence": 1}), (links, {}), (links, {"document": 1})]
    for ax, (what, asked) in zip(axes, drawn, strict=True):
        assert cb.plot(what, ax=ax, **asked) is ax
    for ax in axes:
        assert not overlaps(ax)
    assert max(text.get_size() for text in axes[1].texts) < 5  # in too little room letters shrink


def test_structures_are_saved(tmp_path, tree):
    links = cb.Links.from_probabilities([document(4), document(12)])
    for ax in (cb.plot(tree), cb.plot(links), cb.plot(links, document=1)):
        path = save_figure(ax, tmp_path / "figure.svg")
        assert path.read_text("utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"sentence": 3}, "sentence must be a whole number from 0 to 2, but it is 3"),
        ({"sentence": -1}, "from 0 to 2"),
        ({"floor": 0}, r"floor must lie in \(0, 1\], but it is 0"),
        ({"document": 0}, "document is for links, not for trees: leave it out"),
        ({"words": ["a"]}, "words is for links, not for trees"),
        ({"panels": True}, "panels is for curves, pairs and class scores, not for trees"),
    ],
)
def test_what_a_tree_refuses(tree, asked, message):
    with pytest.raises(ParameterError, match=message):
        cb.plot(tree, **asked)


def test_long_sentences_are_refused_with_advice(tree):
    words = ["the", "stars", "sees", "the", *["stars", "with", "the"] * 13, "stars"]
    long = cb.Tree.from_grammar(tree.grammar, [tree.sentences[0], words])
    with pytest.raises(
        InputError, match=r"at most 40 words .* sentence 1 has 44: print\(tree.mode"
    ):
        cb.plot(long, sentence=1)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"document": 2}, ParameterError, "document must be a whole number from 0 to 1"),
        ({"sentence": 0}, ParameterError, "sentence is for trees, not for links"),
        ({"count": 3}, ParameterError, "count is for class scores, not for links"),
        ({"words": ["a", "b"]}, InputError, "Document 0 has 3 mentions, but words has 2 texts"),
        ({"words": "abc"}, InputError, "or the Document that has them, not str"),
        ({"document": 1}, InputError, "at most 100 mentions can be drawn, but document 1 has 101"),
    ],
)
def test_what_links_refuse(asked, error, message):
    links = cb.Links.from_probabilities([document(3), document(101)])
    with pytest.raises(error, match=message):
        cb.plot(links, **asked)


def test_a_document_without_mentions():
    with pytest.raises(InputError, match="no mentions"):
        cb.plot(cb.Links.from_probabilities([[]]))


def test_other_plots_refuse_options_of_structures():
    with pytest.raises(ParameterError, match="sentence is for trees, not for pairs: leave it out"):
        cb.plot(cb.synthetic.calibrated(100), sentence=0)


@pytest.mark.parametrize(
    ("q", "text"),
    [
        *((0, "<.01"), (0.0049, "<.01"), (0.005, ".01"), (0.5, ".50")),
        *((0.994, ".99"), (0.996, "1"), (1, "1")),
    ],
)
def test_probabilities_in_two_digits(q, text):
    assert brief(q) == text
