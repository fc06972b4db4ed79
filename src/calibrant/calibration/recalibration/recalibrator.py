"""`Recalibrator`: a map of probabilities, and what it gains on unseen groups."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.calibration.curves import Curve
from calibrant.calibration.recalibration.classes.maps import ClassMap
from calibrant.calibration.recalibration.drawn import Band
from calibrant.calibration.recalibration.maps import Map
from calibrant.checks.arrays import Label, as_array, numeric
from calibrant.checks.matrices import as_matrix, checked_rows
from calibrant.errors import CalibrantWarning, InputError
from calibrant.pairs import Pairs
from calibrant.results.digits import p_text
from calibrant.results.estimate import Estimate, Estimates
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
USE, LEAVE, UNKNOWN = "use it", "do not", "cannot tell"
SMALL = 0.01  # share of the loss: a gain that is certainly smaller is not worth a map
OUTSIDE = 0.05  # share of predictions outside the range of those learnt from, before a warning
APART = 0.25  # largest difference of distribution functions, before a warning
QUANTILES = 101
LISTED = 8  # classes that messages name


@runtime_checkable
class Classified(Protocol):
    """The probabilities of classes, such as `Labels`."""

    @property
    def probabilities(self) -> NDArray[Any]: ...  # noqa: D102
    @property
    def names(self) -> tuple[Label, ...]: ...  # noqa: D102
    def with_probabilities(self, probabilities: object, /) -> Self: ...  # noqa: D102


Rows = TypeVar("Rows", bound=Classified)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recalibrator(Tabular):
    """A map of probabilities with the evidence for it.

    All numbers are of pairs that the maps had not learnt from: groups (or rows, without groups) are
    divided into folds, and each fold is mapped by what was learnt from the others. The map itself
    is learnt from all pairs.

    Attributes
    ----------
    method
        The printed form of the method; "none" if predictions are best left as they are.
    map
        The map, of single probabilities or of rows of classes.
    told
        Its numbers in words.
    before, after
        The loss, the calibration error and the refinement of predictions as they are, and of those
        mapped by what was learnt from other folds. Of classes: the loss of whole rows, the
        calibration errors over all classes and of the top label, and the accuracy.
    change
        The loss after minus that before, with a paired interval: below 0 is a gain.
    p_value
        Of "nothing changes"; NaN without an interval.
    choices
        How many folds chose each method, if there was a choice.
    quantiles
        Quantiles of the predictions that the map was learnt from; of classes, of the largest
        probability of each row.
    curves
        Calibration curves before and after, of pairs that the maps had not seen; of classes, those
        of the top label.
    band
        The map with a band from the maps of the folds; None for maps of classes.
    signature
        What reproduces the numbers, in one line.
    column
        The column of predictions that was named on the command line; empty if none was.
    """

    method: str
    map: Map | ClassMap
    told: str
    before: Estimates
    after: Estimates
    change: Estimate
    p_value: float
    choices: Mapping[str, int]
    quantiles: tuple[float, ...]
    curves: Mapping[str, Curve]
    band: Band | None
    signature: str
    column: str = ""

    @property
    def verdict(self) -> str:
        """What to do: "use it", "do not" or "cannot tell"."""
        found = verdict_of(self.change, self.before[0].value)
        return LEAVE if self.method == "none" and self.change.low is not None else found

    @property
    def sentence(self) -> str:
        """The verdict and its evidence, in one or two sentences."""
        e = self.change
        rule = self.before[0].score
        if self.method == "none":
            return f"Do not recalibrate: no method lowers {rule} on unseen {self._units}."
        shown = f"{e.text('value')} {e.interval}".strip()
        if e.low is None:
            return f"Cannot tell without an interval: {rule} changes by {shown}."
        evidence = f"{rule} changes by {shown} on unseen {self._units} ({p_text(self.p_value)})"
        if self.verdict == USE:
            return f"Use it: {evidence}."
        if self.verdict == LEAVE:
            if e.low is not None and e.low > 0:
                return f"Do not use it: it makes predictions worse. {evidence}."
            return f"Do not use it: there is nothing to gain. {evidence}."
        return f"Cannot tell: {evidence}. More {self._units} would tell."

    @property
    def _units(self) -> str:
        return "groups" if self.change.groups else "rows"

    @overload
    def apply(self, q: Pairs) -> Pairs: ...
    @overload
    def apply(self, q: Rows) -> Rows: ...
    @overload
    def apply(self, q: ArrayLike) -> Float: ...
    def apply(self, q: Any) -> Any:
        """The recalibrated predictions, of pairs, of `Labels` or of an array.

        A map of classes takes `Labels` with the same classes, in any order, or a matrix with a
        column for each class in the order of `map.classes`.
        """
        if isinstance(self.map, ClassMap):
            return self._apply_rows(self.map, q)
        if isinstance(q, Classified):
            raise InputError(
                "This map was learnt from pairs, so it cannot keep the sums of rows of classes: "
                "learn one with recalibrate(labels, gold=...)."
            )
        if isinstance(q, Pairs):
            self.compare_range(q.q)
            self._refer_to_evidence(q)
            return q.with_predictions(self.map(q.q))
        given = numeric(as_array(q, "q"), "q")
        if not given.size:
            raise InputError("There are no predictions to recalibrate.")
        mapped = self.map(given)
        self.compare_range(given)
        return mapped

    def _refer_to_evidence(self, pairs: Pairs) -> None:
        """Warn if pairs are those that the map was learnt from."""
        if pairs.n == self.change.n and quantiles_of(pairs.q) == self.quantiles:
            warnings.warn(
                "The map was learnt from these pairs, so they cannot tell how good it is: see the "
                "change that recalibrate measured on pairs that its maps had not seen.",
                CalibrantWarning,
                stacklevel=3,
            )

    def _apply_rows(self, learnt: ClassMap, q: Any) -> Any:  # noqa: ANN401
        """Recalibrated rows of classes."""
        if isinstance(q, Pairs):
            raise InputError(
                "This map was learnt from rows of classes: give Labels, or a matrix of them."
            )
        if not isinstance(q, Classified):
            matrix = as_matrix(q)
            if matrix.shape[1] != len(learnt.classes):
                raise InputError(
                    f"The map is for {len(learnt.classes)} classes ({listed(learnt.classes)}), but "
                    f"there are {matrix.shape[1]} columns."
                )
            rows = checked_rows(matrix, learnt.classes)
            self.compare_range(rows.max(axis=1))
            return learnt(rows)
        order = columns_of(learnt.classes, q.names)
        rows = np.asarray(q.probabilities, np.float64)[:, order]
        self.compare_range(rows.max(axis=1))
        return q.with_probabilities(learnt(rows)[:, np.argsort(order)])

    def compare_column(self, name: str | None) -> None:
        """Warn if predictions have another name than those that the map was learnt from."""
        if self.column and name and name != self.column:
            warnings.warn(
                f"The map was learnt from the column {self.column!r}, but these predictions are "
                f"{name!r}. Is this another model or task?",
                CalibrantWarning,
                stacklevel=2,
            )

    def compare_range(self, q: ArrayLike) -> None:
        """Warn if predictions are unlike those that the map was learnt from."""
        given = np.sort(np.asarray(q, np.float64).ravel())
        low, high = self.quantiles[0], self.quantiles[-1]
        outside = float(np.mean((given < low) | (given > high)))
        share = np.searchsorted(given, self.quantiles, side="right") / given.size
        before = np.searchsorted(given, self.quantiles, side="left") / given.size
        wanted = np.linspace(0, 1, len(self.quantiles))
        apart = float(np.max(np.maximum(before - wanted, wanted - share)))
        if outside > OUTSIDE:
            what = f"{100 * outside:.0f} % of them are outside {low:.3g} to {high:.3g}"
        elif apart > APART and given.size >= QUANTILES:
            what = "they are distributed differently"
        else:
            return
        warnings.warn(
            f"These predictions are unlike those that the map was learnt from: {what}. Is this "
            "another model or task?",
            CalibrantWarning,
            stacklevel=3,
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text: before, after and the change."""
        level = f"{100 * self.change.level:g} % interval"
        header = ["", "before", level, "after", level]
        rows = [
            [a.score, a.text("value"), a.interval, b.text("value"), b.interval]
            for a, b in zip(self.before, self.after, strict=True)
        ]
        return header, rows

    def __str__(self) -> str:
        told = f" ({self.told})" if self.told else ""
        return f"{self.method}{told}\n{self.render()}\n\n{self.sentence}"

    def __repr__(self) -> str:
        return f"<Recalibrator {self.method}: {self.verdict}>"

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The evidence by name."""
        return {
            "method": self.method,
            "told": self.told,
            "verdict": self.verdict,
            "before": [each.to_dict() for each in self.before],
            "after": [each.to_dict() for each in self.after],
            "change": self.change.to_dict(),
            "p_value": None if isnan(self.p_value) else self.p_value,
            "choices": dict(self.choices),
            "signature": self.signature,
        }

    def to_frame(self) -> "polars.DataFrame":
        """One row per number, before and after."""
        import polars

        rows = [
            {"when": when} | each.to_dict()
            for when, found in (("before", self.before), ("after", self.after))
            for each in found
        ]
        return polars.DataFrame([*rows, {"when": "change"} | self.change.to_dict()])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the map and its evidence as JSON."""
        from calibrant.calibration.recalibration.saved import write_map

        write_map(self, fspath(path))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Recalibrator":
        """Read a map that was saved; one that was changed since then is refused."""
        from calibrant.calibration.recalibration.saved import read_map

        return read_map(fspath(path))


def quantiles_of(q: NDArray[np.floating]) -> tuple[float, ...]:
    """What is kept of the predictions that a map was learnt from."""
    return tuple(np.quantile(q, np.linspace(0, 1, QUANTILES)).tolist())


def verdict_of(change: Estimate, loss: float) -> str:
    """Whether a change of a loss is a gain, is none, or cannot be told."""
    low, high = change.low, change.high
    if low is None or high is None:
        return UNKNOWN
    if high < 0:
        return USE
    return LEAVE if low >= -SMALL * loss else UNKNOWN


def columns_of(wanted: tuple[Label, ...], given: tuple[Label, ...]) -> NDArray[np.int64]:
    """Where the classes of a map are among those given; they must be the same."""
    strange = [each for each in (*given, *wanted) if (each in wanted) != (each in given)]
    if strange:
        raise InputError(
            f"The map was learnt for {len(wanted)} classes ({listed(wanted)}), but there are "
            f"{len(given)} ({listed(given)}): {strange[0]!r} is not in both."
        )
    return np.array([given.index(each) for each in wanted])


def listed(classes: tuple[Label, ...]) -> str:
    """The first few classes."""
    return ", ".join(map(str, classes[:LISTED])) + (", ..." if len(classes) > LISTED else "")
