"""What other libraries return, as posteriors and pairs.

Classifiers, CRF layers, antecedents and charts have constructors of their own:
`Pairs.from_estimator`, `Labels.from_logits`, `Labels.from_cats`, `Chain.from_flair`,
`Links.from_scores`, `Tree.from_spans`. Here is what needs more than one array.
"""

from calibrant.structures.labels.categories import category_pairs
from calibrant.structures.labels.spacy_tags import spacy_tags
from calibrant.structures.labels.words import WordLabels, word_labels
from calibrant.structures.sequences.spacy_spans import spacy_entities, spacy_spans

__all__ = [
    "WordLabels",
    "category_pairs",
    "spacy_entities",
    "spacy_spans",
    "spacy_tags",
    "word_labels",
]
