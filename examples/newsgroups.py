"""A text classifier with twenty classes: which of its probabilities can be trusted?

    python examples/newsgroups.py [FOLDER]

Cross-validated posteriors of a classifier of the 20 Newsgroups test set (cleanlab/label-errors,
Apache-2.0), 7532 documents, from the folder $CALIBRANT_DATA/posteriors.
"""

import sys
from pathlib import Path

import numpy as np
from data_folder import data_file

import calibrant as cb
from calibrant.plots import save_figure

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
arrays = np.load(data_file("posteriors/20news_test.npz"), allow_pickle=False)
groups = [
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
]

posterior = cb.Labels(arrays["probs"], classes=groups)
gold = np.array(groups)[arrays["labels"]]
print("Is its answer right?", cb.score(cb.ask(posterior, gold, cb.TopLabel())))
found = cb.score_classes(posterior, gold)
print(found)
print(f"The curves are in {save_figure(cb.plot(found)[0], folder / 'newsgroups.png').name}.")
