"""A part-of-speech tagger with fifty tags: which of their probabilities can be trusted?

    python examples/spacy_tagger.py [FOLDER]

Softmax outputs of spaCy's en_core_web_sm 2.2.5 on the development part of UD English EWT, 25,147
tokens of 2001 sentences, from the folder $CALIBRANT_DATA/posteriors.
"""

import sys
from pathlib import Path

import numpy as np
from data_folder import data_file

import calibrant as cb
from calibrant.plots import save_figure

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
arrays = np.load(
    data_file("posteriors/spacy-en_core_web_sm-2.2.5_ud-ewt-dev.npz"), allow_pickle=False
)
gold, lengths = arrays["gold"], arrays["sentence_lengths"]
sentence = np.repeat(np.arange(lengths.size), lengths)

# 34 tokens have the tag GW, which the tagger does not know: it gives them probability 0.
posterior = cb.Labels(arrays["probs"], classes=arrays["tagset"]).including(gold)
for query in (cb.TopLabel(), cb.EveryLabel()):
    print(f"{query}: {cb.score(cb.ask(posterior, gold, query, group=sentence))}")
found = cb.score_classes(posterior, gold, group=sentence)
print(found)
print(f"The curves are in {save_figure(cb.plot(found)[0], folder / 'spacy_tagger.png').name}.")
