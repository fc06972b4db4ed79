import numpy as np
import pytest
from made_spacy import gold_docs, spacy, trained

from calibrant.errors import InputError, ParameterError
from calibrant.outputs import spacy_entities, spacy_spans

pytestmark = pytest.mark.libraries

spacy()


def test_all_suggestions_count():
    """Scores of every n-gram and type, those under the threshold too."""
    nlp = trained("spancat")
    docs = gold_docs(nlp)
    pairs = spacy_spans(nlp, docs, docs, floor=0)
    grams = sum(2 * len(doc) - 1 for doc in docs)
    assert len(pairs) == grams * 2
    assert pairs.groups == len(docs)
    assert pairs.y.sum() == sum(len(doc.ents) for doc in docs)
    raw = nlp.get_pipe("spancat").predict([doc.copy() for doc in docs])[1]
    np.testing.assert_allclose(np.sort(pairs.q), np.sort(raw.ravel()), atol=1e-6)


def test_the_threshold_hides_what_was_improbable():
    """The trap: stored scores are all above one half."""
    nlp = trained("spancat")
    docs = gold_docs(nlp)
    texts = [" ".join(token.text for token in doc) for doc in docs]
    stored = np.concatenate([doc.spans["sc"].attrs["scores"] for doc in nlp.pipe(texts)])
    assert stored.min() >= 0.5
    pairs = spacy_spans(nlp, texts, docs)
    assert np.sum(pairs.q < 0.5) > len(stored)
    np.testing.assert_allclose(np.sort(pairs.q[pairs.q >= 0.5]), np.sort(stored), atol=1e-6)


def test_gold_as_tuples():
    nlp = trained("spancat")
    docs = gold_docs(nlp, 10)
    spans = [[(each.start, each.end, each.label_) for each in doc.ents] for doc in docs]
    assert spacy_spans(nlp, docs, spans) == spacy_spans(nlp, docs, docs)
    assert spacy_spans(nlp, docs, spans, group=["a"] * 5 + ["b"] * 5).groups == 2


def test_single_labels():
    """The column of the negative class is no type; the rest of a row sums to less than 1."""
    nlp = trained("spancat_singlelabel")
    docs = gold_docs(nlp, 10)
    scores = nlp.get_pipe("spancat_singlelabel").predict([doc.copy() for doc in docs])[1]
    assert scores.shape[1] == 3
    pairs = spacy_spans(nlp, docs, docs, pipe="spancat_singlelabel", floor=0)
    assert len(pairs) == 2 * len(scores)
    np.testing.assert_allclose(np.sort(pairs.q), np.sort(scores[:, :2].ravel()), atol=1e-6)


def shares(nlp, docs):
    """The shares that spaCy gives for documents as they are."""
    ner = nlp.get_pipe("ner")
    beams = ner.beam_parse(docs, beam_width=16, beam_density=1e-4)
    found = [share for each in ner.scored_ents(beams) for share in each.values()]
    del beams  # before the documents
    return np.sort(found)


def test_shares_of_a_beam():
    nlp = trained("ner")
    docs = gold_docs(nlp)
    pairs = spacy_entities(nlp, docs, docs, floor=0)
    assert pairs.groups == len(docs)
    texts = [" ".join(token.text for token in doc) for doc in docs]
    expected = shares(nlp, [nlp.make_doc(text) for text in texts])
    np.testing.assert_allclose(np.sort(pairs.q), expected.clip(0, 1), atol=1e-6)
    assert spacy_entities(nlp, texts, docs, floor=0) == pairs


def test_entities_of_the_document_would_lead_the_beam():
    """The trap: spaCy respects entities that are there, so gold documents give themselves away."""
    nlp = trained("ner")
    docs = gold_docs(nlp)
    led = shares(nlp, [doc.copy() for doc in docs])
    pairs = spacy_entities(nlp, docs, docs, floor=0)
    assert len(led) < len(pairs)
    assert led.mean() > pairs.q.mean() + 0.05


def test_shares_depend_on_the_width_of_the_beam():
    """The trap: they are shares of the analyses that were kept, not marginals of a model."""
    nlp = trained("ner")
    docs = gold_docs(nlp, 20)
    narrow = spacy_entities(nlp, docs, docs, beam_width=2, floor=0)
    wide = spacy_entities(nlp, docs, docs, beam_width=32, floor=0)
    assert len(narrow) < len(wide)
    assert narrow.q.sum() != pytest.approx(wide.q.sum(), rel=1e-3)


def test_what_is_refused():
    nlp = trained("tagger", "ner")
    docs = gold_docs(nlp, 2)
    with pytest.raises(InputError, match="a component with a beam, such as 'ner', not 'tagger'"):
        spacy_entities(nlp, docs, docs, pipe="tagger")
    with pytest.raises(InputError, match="the spans of each of the 2 documents"):
        spacy_entities(nlp, docs, [])
    with pytest.raises(ParameterError, match=r"beam_density must lie in \[0, 1\)"):
        spacy_entities(nlp, docs, docs, beam_density=1.0)
    with pytest.raises(InputError, match=r"gold\[0\] must hold \(begin, end, type\)"):
        spacy_entities(nlp, docs, [[(0, 1)], []])
    with pytest.raises(InputError, match="No span has a score of at least 1: lower the floor"):
        spacy_spans(trained("spancat"), docs, docs, floor=1)
