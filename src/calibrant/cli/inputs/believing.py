"""What a saved model believes about a corpus: tags, trees, or the entities of mentions."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from calibrant.cli.answers import Believed
from calibrant.cli.inputs.corpora import CorpusReader
from calibrant.cli.inputs.structures import (
    DocumentReader,
    note_fallback,
    read_trees,
    short_sentences,
)
from calibrant.cli.options import note

if TYPE_CHECKING:
    from calibrant.structures.loading import Fitted
    from calibrant.structures.query import Query
    from calibrant.structures.sequences.reading.corpus import Corpus


def check_queries(queries: "Iterable[Query]", fitted: "Fitted") -> None:
    """Refuse queries that the model cannot answer, before any long computation."""
    from calibrant.structures.coreference.links import Links
    from calibrant.structures.coreference.models.ranker import FittedMentionRanker
    from calibrant.structures.sequences.chain import Chain
    from calibrant.structures.trees.models.pcfg import FittedPCFG
    from calibrant.structures.trees.queries import HasConstituent, PredictedConstituent
    from calibrant.structures.trees.tree import Tree, column_of

    kinds: dict[type, type] = {FittedPCFG: Tree, FittedMentionRanker: Links}
    for query in queries:
        query.check_about(kinds.get(type(fitted), Chain))
        if isinstance(query, HasConstituent | PredictedConstituent) and query.label is not None:
            column_of(query.label, cast("FittedPCFG", fitted).labels)


def believed_of(
    fitted: "Fitted", corpus: str, sentences: CorpusReader, documents: DocumentReader
) -> Believed:
    """Read the gold standard in the format that the model needs, and compute its posterior."""
    from calibrant.structures.coreference.models.ranker import FittedMentionRanker
    from calibrant.structures.trees.models.pcfg import FittedPCFG

    if isinstance(fitted, FittedPCFG):
        _refuse({**sentences.given, **documents.given}, "a parser, which reads trees in brackets")
        trees, numbers = short_sentences(corpus, read_trees(corpus), fitted.settings.longest)
        tree = fitted.posteriors(trees, progress=True)
        note_fallback(tree)
        return Believed(tree, trees, numbers)
    if isinstance(fitted, FittedMentionRanker):
        other = {name: value for name, value in sentences.given.items() if name != "word"}
        _refuse(other, "a mention ranker, which reads documents with mentions")
        texts = documents._replace(word=sentences.word)(corpus)
        return Believed(fitted.posteriors(texts), texts)
    _refuse(documents.given, "a tagger, which reads tagged sentences")
    tagged = sentences(corpus)
    _check_tags(tagged, corpus, fitted.tags)
    return Believed(fitted.posteriors(tagged), tagged)


def _refuse(options: Mapping[str, Any], what: str) -> None:
    from calibrant.errors import ParameterError

    for name in options:
        raise ParameterError(f"--{name.replace('_', '-')} does not fit: the model is {what}.")


def _check_tags(gold: "Corpus", name: str, tags: tuple[str, ...]) -> None:
    """Refuse a corpus with a different tag set; report tags that the model does not know."""
    from calibrant.errors import InputError

    strange = sorted(set(gold.tag_set) - set(tags))
    if not strange:
        return
    shown = ", ".join(strange[:3]) + (", ..." if len(strange) > 3 else "")
    if len(strange) == len(gold.tag_set):
        raise InputError(
            f"{name}: the model knows none of its tags ({shown}); it knows tags such as "
            f"{', '.join(tags[:3])}. Are the tags in another column (--tag)?"
        )
    words = sum(tag in strange for sentence in gold.tags for tag in sentence)
    note(
        f"{name}: {words} of {gold.tokens} words have tags that the model does not know ({shown}). "
        "The model gives these tags probability 0."
    )
