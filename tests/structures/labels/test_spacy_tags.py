import numpy as np
import pytest
from made_spacy import gold_docs, sentences, spacy, trained

import calibrant as cb
from calibrant.errors import InputError
from calibrant.outputs import category_pairs, spacy_tags

pytestmark = pytest.mark.libraries

spacy()


def gold_tags(docs):
    return [[token.tag_ for token in doc] for doc in docs]


@pytest.mark.parametrize("shared", [False, True])
def test_the_best_tags_are_those_of_spacy(shared):
    nlp = trained("tagger", shared=shared)
    docs = gold_docs(nlp)
    words = spacy_tags(nlp, docs)
    done = [nlp(" ".join(token.text for token in doc)) for doc in docs]
    assert words.labels.mode.tolist() == [token.tag_ for doc in done for token in doc]
    assert words.sentence.tolist() == [k for k, doc in enumerate(docs) for _ in doc]
    pairs = cb.ask(words.labels, words.gold(gold_tags(docs)), cb.TopLabel(), group=words.sentence)
    assert pairs.groups == len(docs)
    assert pairs.y.mean() > 0.9


def test_logits_are_not_probabilities():
    """The trap: what the model of a tagger returns looks like a matrix of beliefs."""
    nlp = trained("tagger")
    docs = gold_docs(nlp, 5)
    raw = np.concatenate(nlp.get_pipe("tagger").model.predict([doc.copy() for doc in docs]))
    assert raw.min() < 0
    with pytest.raises(InputError, match="probabilities must lie in"):
        cb.Labels(raw)
    powers = np.exp(raw.astype(np.float64))
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(spacy_tags(nlp, docs).labels.probabilities, expected, rtol=1e-6)


def test_a_layer_that_normalises_is_recognised():
    """The same model, told to return probabilities: no second softmax."""
    nlp = trained("tagger")
    docs = gold_docs(nlp, 5)
    plain = spacy_tags(nlp, docs).labels.probabilities
    layer = next(
        each for each in nlp.get_pipe("tagger").model.walk() if "softmax_normalize" in each.attrs
    )
    layer.attrs["softmax_normalize"] = True
    try:
        same = spacy_tags(nlp, docs).labels.probabilities
    finally:
        layer.attrs["softmax_normalize"] = False
    np.testing.assert_allclose(same, plain, atol=1e-6)


def test_the_components_before_must_run():
    """The trap: a tagger that listens to a shared tok2vec sees zeros, without any error."""
    nlp = trained("tagger", shared=True)
    docs = gold_docs(nlp, 20)
    fresh = [doc.copy() for doc in docs]
    blind = np.concatenate(nlp.get_pipe("tagger").model.predict(fresh))
    assert np.ptp(blind, axis=0).max() < 1e-6  # the same for every word
    assert np.ptp(spacy_tags(nlp, docs).labels.probabilities, axis=0).max() > 0.5


def test_gold_annotations_do_not_reach_the_model():
    nlp = trained("tagger", "ner")
    docs = gold_docs(nlp, 5)
    texts = [" ".join(words) for words, _, _ in sentences(5, 1)]
    one, other = spacy_tags(nlp, docs), spacy_tags(nlp, texts)
    np.testing.assert_allclose(one.labels.probabilities, other.labels.probabilities, atol=1e-6)
    assert docs[0][0].tag_ == "N"  # as before


def test_categories():
    """Exclusive ones are labels; those of textcat_multilabel are refused."""
    nlp = trained("textcat")
    texts = [" ".join(words) for words, _, _ in sentences(30, 2)]
    cats = [doc.cats for doc in nlp.pipe(texts)]
    labels = cb.Labels.from_cats(cats)
    raw = nlp.get_pipe("textcat").predict([nlp.make_doc(text) for text in texts])
    np.testing.assert_allclose(labels.probabilities, raw, atol=1e-6)
    nlp = trained("textcat_multilabel")
    cats = [doc.cats for doc in nlp.pipe(texts)]
    with pytest.raises(InputError, match="several labels can be true at once"):
        cb.Labels.from_cats(cats)
    truth = [{"place"} if " in " in text else {"none"} for text in texts]
    pairs = category_pairs(cats, truth)
    assert (len(pairs), pairs.groups) == (60, 30)


def test_what_is_refused():
    nlp = trained("tagger", "ner")
    with pytest.raises(
        InputError, match=r"component of nlp \(tagger, ner\).* Did you mean 'tagger"
    ):
        spacy_tags(nlp, ["Ada"], pipe="taggr")
    with pytest.raises(InputError, match="a list with at least one document"):
        spacy_tags(nlp, "Ada sees Bob")
    with pytest.raises(InputError, match="docs has none"):
        spacy_tags(nlp, [""])
