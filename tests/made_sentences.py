"""Sentences that tests make themselves."""

import numpy as np


def made_sentences(words, count, seed):
    """Random sentences: the words of each tag, tags that follow each other as BIO would."""
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        before, sentence = "O", []
        for _ in range(rng.integers(1, 9)):
            allowed = [tag for tag in words if not tag.startswith("I-") or before[1:] == tag[1:]]
            before = str(rng.choice(allowed))
            sentence.append((str(rng.choice(words[before])), before))
        sentences.append(sentence)
    return sentences
