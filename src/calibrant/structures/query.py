"""The interface of every query."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray

from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.results.naming import Named

Keys = dict[str, NDArray[Any]]  # columns with a value for each pair


class Query(Named, ABC, abstract=True):
    """A family of yes/no questions about a posterior.

    The choice of questions must not depend on the gold answers; otherwise the pairs would be
    biased.
    """

    kind: ClassVar[str] = "query"
    about: ClassVar[type]  # the type of posterior it applies to

    def check_about(self, posterior: type) -> None:
        """Refuse a type of posterior that the query does not apply to."""
        if not issubclass(posterior, self.about):
            raise ParameterError(
                f"{self!r} asks about {self.about.__name__}, not about {posterior.__name__}."
            )

    @abstractmethod
    def pairs(self, posterior: Any, gold: object, group: object = None) -> Pairs:  # noqa: ANN401
        """Answer the questions: the probability of yes, and whether the gold answer is yes."""

    def tallies(
        self,
        posterior: Any,  # noqa: ANN401
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """How many answers of each sentence or document are yes: what `count` adds up."""
        raise UnsupportedError(
            f"{self!r} asks about the model's own answers or about all labels at once, so the "
            "number of its yes answers is no number of things in a text: count LabelIs, TagIs, "
            "TagPair, HasSpan, HasConstituent, NewEntity, Singleton, SameEntity or Holds."
        )

    def keys(self, posterior: Any) -> Keys:  # noqa: ANN401
        """Columns that identify the question of each pair, in the order of `pairs`.

        Use them to join the answers of two models. Everything is counted from 0. Empty for queries
        without such columns.
        """
        return {}
