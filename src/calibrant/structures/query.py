"""What every query is."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from numpy.typing import NDArray

from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.results.naming import Named

Keys = dict[str, NDArray[Any]]  # columns with a value for each pair


class Query(Named, ABC, abstract=True):
    """A family of yes/no questions: what the posterior says, and what is true.

    Which questions are asked is decided without looking at the gold answers; otherwise the
    pairs would be biased.
    """

    kind: ClassVar[str] = "query"
    about: ClassVar[type]  # the posterior that it asks

    def check_about(self, posterior: type) -> None:
        """Refuse a type of posterior that it cannot ask."""
        if not issubclass(posterior, self.about):
            raise ParameterError(
                f"{self!r} asks about {self.about.__name__}, not about {posterior.__name__}."
            )

    @abstractmethod
    def pairs(self, posterior: Any, gold: object, group: object = None) -> Pairs:  # noqa: ANN401
        """The answers: the probability of yes, and whether it is yes."""

    def keys(self, posterior: Any) -> Keys:  # noqa: ANN401
        """Which question each pair is the answer to: columns in the order of `pairs`.

        Two models that were asked about the same data can be joined by them. Everything is
        counted from 0. Empty for queries that do not say.
        """
        return {}
