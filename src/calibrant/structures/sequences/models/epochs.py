"""Passes of training, and the state of training between them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


class Epoch(NamedTuple):
    """A pass of training: its number, and the results on dev after it."""

    number: int
    log_likelihood: float | None  # per word of dev, natural logarithms
    accuracy: float | None  # of dev

    def __str__(self) -> str:
        return f"pass {self.number}" + (f": {self.on_dev}" if self.on_dev else "")

    @property
    def on_dev(self) -> str:
        """The results on dev as text; empty without dev sentences."""
        if self.log_likelihood is None or self.accuracy is None:
            return ""
        return f"dev log-likelihood {self.log_likelihood:.4f}, accuracy {100 * self.accuracy:.2f} %"


Judge = Callable[[Float], tuple[float, float] | None]  # log-likelihood and accuracy on dev


@dataclass
class State:
    """The state of training after some passes: everything needed to continue."""

    values: Float
    square: Float
    best: Float
    history: list[Epoch]
    kept: int = 0  # the pass that `best` is from

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Convert the state to arrays for saving."""
        told = [(e.number, e.log_likelihood, e.accuracy) for e in self.history]
        return {
            "values": self.values,
            "square": self.square,
            "best": self.best,
            "history": np.array(told, np.float64).reshape(-1, 3),
            "kept": np.array(self.kept),
        }

    @classmethod
    def of_arrays(cls, arrays: dict[str, NDArray[Any]]) -> "State":
        """Restore a state from `arrays`."""
        history = [
            Epoch(int(n), *(None if np.isnan(x) else float(x) for x in row))
            for n, *row in arrays["history"]
        ]
        values, square, best = (arrays[name] for name in ("values", "square", "best"))
        return cls(values, square, best, history, int(arrays["kept"]))
