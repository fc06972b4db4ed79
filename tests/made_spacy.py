"""Tiny pipelines of spaCy, trained in a second on made sentences."""

import warnings
from functools import lru_cache

import numpy as np
import pytest

NAMES, PLACES, VERBS = ["Ada", "Bob", "Eve", "Lee"], ["Rome", "Oslo", "Bonn"], ["sees", "likes"]


def spacy():
    """The library, or a skipped test with the reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it imports
        return pytest.importorskip("spacy", reason="spaCy is not installed")


def sentences(count, seed=0):
    """Words, tags and entities: Ada sees Bob in Rome."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        one, other = rng.choice(NAMES, 2)
        words = [one, rng.choice(VERBS), other]
        tags, spans = ["N", "V", "N"], [(0, 1, "PER"), (2, 3, "PER")]
        if rng.random() < 0.6:
            words += ["in", rng.choice(PLACES)]
            tags += ["P", "N"]
            spans.append((4, 5, "LOC"))
        found.append(([str(word) for word in words], tags, spans))
    return found


@lru_cache(None)
def trained(*pipes, shared=False):
    """A pipeline with these components, fitted on 40 sentences; `shared` gives them one tok2vec."""
    library = spacy()
    from spacy.tokens import Doc
    from spacy.training import Example

    library.util.fix_random_seed(0)
    nlp = library.blank("en")
    if shared:
        nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
    for name in pipes:
        config = {}
        if shared and name == "tagger":
            config = {"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}}
        if name.startswith("spancat"):
            sizes = {"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 2]}
            config = {"suggester": sizes}
        nlp.add_pipe(name, config=config)
    examples = []
    for words, tags, spans in sentences(40):
        has = any(type_ == "LOC" for _, _, type_ in spans)
        gold = Doc(nlp.vocab, words=words, tags=tags)
        gold.set_ents([library.tokens.Span(gold, a, b, label=type_) for a, b, type_ in spans])
        gold.spans["sc"] = list(gold.ents)
        gold.cats = {"place": float(has), "none": float(not has)}
        examples.append(Example(Doc(nlp.vocab, words=words), gold))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nlp.initialize(lambda: examples)
        rate = nlp.resume_training()
        for _ in range(6):
            nlp.update(examples, sgd=rate)
    return nlp


def gold_docs(nlp, count=60, seed=1):
    """New sentences as documents with gold tags, entities, spans and categories."""
    library = spacy()
    from spacy.tokens import Doc

    docs = []
    for words, tags, spans in sentences(count, seed):
        doc = Doc(nlp.vocab, words=words, tags=tags)
        doc.set_ents([library.tokens.Span(doc, a, b, label=type_) for a, b, type_ in spans])
        doc.spans["sc"] = list(doc.ents)
        docs.append(doc)
    return docs
