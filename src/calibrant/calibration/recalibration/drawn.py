"""What figures of a map show: the curves before and after it, and the map with its band."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves import AdaptiveBins, Curve
from calibrant.calibration.recalibration.maps import Map, expit, logits
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
POINTS = 101
ARRAYS = ("q", "p", "n", "se", "low", "high", "distribution", "upper")


@dataclass(frozen=True, eq=False)
class Band:
    """A map over the range of the predictions that it was learnt from, with a band."""

    q: Float
    p: Float
    low: Float
    high: Float

    def to_dict(self) -> dict[str, list[float]]:
        """The points, as lists."""
        return {name: getattr(self, name).tolist() for name in ("q", "p", "low", "high")}

    @classmethod
    def from_dict(cls, stored: dict[str, list[float]]) -> "Band":
        """The band that `to_dict` has stored."""
        return cls(**{name: np.array(values) for name, values in stored.items()})


def band_of(learnt: Map, others: Sequence[Map], q: NDArray[np.floating], level: float) -> Band:
    """The band of a map from those learnt without each fold: the jackknife, on logits."""
    from scipy.special import stdtrit

    at = np.linspace(float(q.min()), float(q.max()), POINTS)
    x = logits(at)
    middle, without = learnt.on_logits(x), np.array([each.on_logits(x) for each in others])
    many = len(others)
    spread = np.sqrt((many - 1) / many * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    half = float(stdtrit(many - 1, (1 + level) / 2)) * spread
    return Band(at, expit(middle), expit(middle - half), expit(middle + half))


@dataclass(frozen=True, eq=False)
class Steps:
    """A binned curve as a function that other processes can be given."""

    p: Float
    upper: Float

    def __call__(self, q: Float) -> Float:
        """The frequency of the bin of each prediction."""
        return np.asarray(self.p[np.minimum(np.searchsorted(self.upper, q), self.p.size - 1)])


def drawn_curve(pairs: Pairs, level: float) -> Curve:
    """The default curve, without its pairs."""
    found = AdaptiveBins().fit(pairs, level)
    assert found.upper is not None  # it has bins
    return replace(found, pairs=None, estimate=Steps(found.p, found.upper))


def curve_to_dict(curve: Curve) -> dict[str, Any]:
    """The points of a binned curve, as lists."""
    arrays = {name: getattr(curve, name).tolist() for name in ARRAYS}
    return arrays | {
        "level": curve.level,
        "signature": curve.signature,
        "support": list(curve.support),
    }


def curve_from_dict(stored: dict[str, Any]) -> Curve:
    """The curve that `curve_to_dict` has stored."""
    arrays = {name: np.array(stored[name], np.float64) for name in ARRAYS}
    low, high = stored["support"]
    return Curve(
        **{name: arrays[name] for name in ARRAYS if name != "upper"},  # type: ignore[arg-type]
        upper=arrays["upper"],
        level=stored["level"],
        signature=stored["signature"],
        estimate=Steps(arrays["p"], arrays["upper"]),
        support=(low, high),
    )
