"""Tagged text: what taggers are fitted on and asked about."""

from calibrant.corpora.conll import read_conll, read_conllu
from calibrant.corpora.corpus import Corpus

__all__ = ["Corpus", "read_conll", "read_conllu"]
