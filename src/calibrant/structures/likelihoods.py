"""The likelihood of gold structures under any posterior, and the questions to judge it by."""

from typing import Any

from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.coreference.gold import document_groups
from calibrant.structures.coreference.links import Links
from calibrant.structures.coreference.queries import NewEntity, SameEntity
from calibrant.structures.coreference.tempering import LinksLikelihood
from calibrant.structures.gold import sentence_groups
from calibrant.structures.query import Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import EveryTag
from calibrant.structures.sequences.tempering import ChainLikelihood
from calibrant.structures.spans import are_spans, types_of
from calibrant.structures.tempering.likelihood import Likelihood
from calibrant.structures.trees.likelihoods.grammar_trees import TreeLikelihood
from calibrant.structures.trees.likelihoods.span_trees import SpanLikelihood
from calibrant.structures.trees.queries import HasConstituent
from calibrant.structures.trees.span_scores import SpanTree
from calibrant.structures.trees.tree import Tree

Temperable = Chain | Tree | Links


def likelihood_of(posterior: Temperable, gold: object, separate: bool = False) -> Likelihood:
    """The likelihood of gold structures as a function of one temperature, or of separate ones."""
    if isinstance(posterior, Chain):
        return ChainLikelihood.of_gold(posterior, gold, separate)
    if isinstance(posterior, SpanTree):
        return SpanLikelihood.of_gold(posterior, gold, separate)
    if isinstance(posterior, Tree):
        return TreeLikelihood.of_gold(posterior, gold, separate)
    if isinstance(posterior, Links):
        return LinksLikelihood.of_gold(posterior, gold, separate)
    raise InputError(
        f"Temperatures are for a Chain, a Tree or Links, not for {type(posterior).__name__}."
    )


def groups_of(posterior: Temperable, gold: object, group: object = None) -> NDArray[Any]:
    """The group of every sentence or document, as queries take it."""
    if isinstance(posterior, Links):
        return document_groups(posterior, group)
    return sentence_groups(posterior, gold, group)


def usual_queries(posterior: Temperable) -> tuple[Query, ...]:
    """The questions that temperatures are judged by."""
    if isinstance(posterior, Tree):
        return (HasConstituent(),)
    if isinstance(posterior, Links):
        return (SameEntity(), NewEntity())
    spans = types_of(posterior.tags) if are_spans(posterior.tags) else ()
    return (EveryTag(), *(HasSpan(each) for each in spans))
