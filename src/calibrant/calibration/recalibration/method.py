"""The interface of every method of recalibration."""

from abc import ABC, abstractmethod
from typing import ClassVar

from calibrant.calibration.recalibration.cells import Lesson
from calibrant.calibration.recalibration.maps import Map
from calibrant.results.naming import Named


class Method(Named, ABC, abstract=True):
    """A way to learn a map of probabilities."""

    kind: ClassVar[str] = "recalibrator"

    @abstractmethod
    def learn(self, lesson: Lesson) -> Map:
        """The map that fits these pairs, pulled towards leaving predictions as they are."""

    def told(self, fitted: Map) -> str:
        """The fitted map in words; empty if there is nothing short to say."""
        return ""
