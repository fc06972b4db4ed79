"""Sums of tensors of torch, in plain torch: on any device."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.tensors.cells import Array
from calibrant.tensors.sums import Sums


class TorchSums(Sums):
    """The same sums, where torch differs from numpy."""

    def _there(self) -> dict[str, Any]:
        return {"device": self.device}

    def _deposit(self, slot: Array, place: Array) -> None:
        self.state[0].index_add_(0, slot, self.xp.ones_like(slot))
        self.state[1].index_add_(0, slot, place)

    def to_host(self, array: Array) -> NDArray[Any]:
        """A numpy array of the same numbers."""
        return np.asarray(array.cpu().numpy())
