"""The interface of every method of recalibration."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from calibrant.results.naming import Named

if TYPE_CHECKING:
    from calibrant.calibration.recalibration.cells import Lesson
    from calibrant.calibration.recalibration.classes.maps import ClassMap
    from calibrant.calibration.recalibration.classes.multinomial import ClassLesson
    from calibrant.calibration.recalibration.maps import Map
    from calibrant.checks.arrays import Label


class Method(Named, ABC, abstract=True):
    """A way to learn a map of probabilities."""

    kind: ClassVar[str] = "recalibrator"


class PairMethod(Method, abstract=True):
    """A way to learn a map of the probability of one event."""

    @abstractmethod
    def learn(self, lesson: "Lesson") -> "Map":
        """The map that fits these pairs, pulled towards leaving predictions as they are."""

    def told(self, fitted: "Map") -> str:
        """The fitted map in words; empty if there is nothing short to say."""
        return ""


class RowMethod(Method, abstract=True):
    """A way to learn a map of the probabilities of many classes at once."""

    @abstractmethod
    def learn_rows(self, lesson: "ClassLesson", classes: "tuple[Label, ...]") -> "ClassMap":
        """The map that fits these rows, pulled towards leaving them as they are."""

    @abstractmethod
    def told_rows(self, fitted: "ClassMap") -> str:
        """The fitted map in words."""
