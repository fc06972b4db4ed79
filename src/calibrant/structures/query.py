"""What every query is."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.results.naming import Named


class Query(Named, ABC, abstract=True):
    """A family of yes/no questions: what the posterior says, and what is true.

    Which questions are asked is decided without looking at the gold answers; otherwise the
    answers would be biased.
    """

    kind: ClassVar[str] = "query"
    about: ClassVar[type]  # the posterior that it asks

    def check_about(self, posterior: type) -> None:
        """Refuse a kind of posterior that it does not ask."""
        if not issubclass(posterior, self.about):
            raise ParameterError(
                f"{self!r} asks about {self.about.__name__}, not about {posterior.__name__}."
            )

    @abstractmethod
    def pairs(self, posterior: Any, gold: object, group: object = None) -> Pairs:  # noqa: ANN401
        """The answers: the probability of yes, and whether it is yes."""
