"""Tagged text: what taggers are fitted on and asked about."""

from calibrant.corpora.conll import read_conll
from calibrant.corpora.conllu import read_conllu
from calibrant.corpora.corpus import Corpus
from calibrant.corpora.exact_match import SpanF1, span_f1
from calibrant.corpora.faults import Place
from calibrant.corpora.named import NamedCorpora, load_corpus, locate_corpus, named_corpora
from calibrant.corpora.schemes import Repairs, check_scheme, convert_scheme, repair_scheme

__all__ = [
    "Corpus",
    "NamedCorpora",
    "Place",
    "Repairs",
    "SpanF1",
    "check_scheme",
    "convert_scheme",
    "load_corpus",
    "locate_corpus",
    "named_corpora",
    "read_conll",
    "read_conllu",
    "repair_scheme",
    "span_f1",
]
