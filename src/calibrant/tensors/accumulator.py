"""Calibration inside evaluation loops."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.results.wording import counted
from calibrant.tensors.batches import is_tensor, pair_batch, row_batches
from calibrant.tensors.cells import ALL_FOLDS, FINEST, Array, Grid, finest
from calibrant.tensors.checking import check_values, loaded
from calibrant.tensors.devices import sums_on
from calibrant.tensors.rows import pairs_of
from calibrant.tensors.sums import Aside, Filled, Sums, device_of, library_of


class Accumulator:
    """Sums of predictions and observations, batch by batch, on their own device.

    Add the batches of an evaluation loop, then take `pairs()` and score them like any others.
    Arrays of numpy, torch, cupy and jax are summed where they are, and adding a batch does not
    make a GPU wait. Memory does not depend on how many pairs there are.

    Predictions that agree to a factor of 1 + 2^−bits, or whose distances from 1 do, share a
    cell. A cell counts its pairs with y = 0 and y = 1 and adds up the predictions of both, in
    integers: float32 predictions are summed exactly, float64 ones to 2^−24 of the width of a
    cell. So results do not depend on the order of batches, the device or the number of
    processes. Predictions closer to 0 or 1 than 2^−64 (5e-20) count as 2^−64, except 0 and 1.
    q² is not summed, so `Brier` is too small, by at most 2^(−2·bits − 6): 1.5e-8 at 10 bits.
    Calibration errors treat the members of a cell as ties.

    Types and shapes are checked at once. Values are checked on the device, and errors are raised
    by `pairs`, `merge`, `state_dict` and `all_reduce`.

    Parameters
    ----------
    bits
        There are 2^bits cells for each factor of two, up to 10 bits. The sums take 4.2 MB at 10
        bits, and 8.4 MB more on a GPU. Default: 10, or as many as fit into 0.6 GB with folds.
    folds
        With groups, the number of folds that they are put into by a hash: a power of two up to
        4096. `pairs()` then has the folds as groups. 4096 folds take 537 MB, at 5 bits.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> from calibrant.tensors import Accumulator
    >>> accumulator = Accumulator()
    >>> for seed in range(10):
    ...     batch = cb.synthetic.sample(20_000, cb.synthetic.inward(0.05), seed=seed)
    ...     accumulator.add(batch.y, batch.q)
    >>> accumulator
    Accumulator(bits=10: 200000 pairs on cpu)
    >>> print(cb.score(accumulator.pairs()))
    CalibScore 0.0489 [0.0473, 0.0505]
    """

    def __init__(self, bits: int | None = None, folds: int | None = None) -> None:
        if folds is not None:
            folds = whole_number("folds", folds, 2, ALL_FOLDS)
            if folds & (folds - 1):
                raise ParameterError(f"folds must be a power of two, but it is {folds}.")
        self.folds = folds
        self.bits = finest(folds or 1) if bits is None else whole_number("bits", bits, 0, FINEST)
        self._grid = Grid(self.bits, folds or 1)
        self._sums: Sums | None = None
        self._moves = True  # until the first batch says where

    def add(self, y: object, q: object, group: object = None) -> None:
        """Add pairs: what happened (0 or 1), and the predicted probabilities that it would.

        Arrays of any shape that agree. `group` holds a whole number for each pair: the sentence,
        document or question it came from. It is needed if the accumulator has folds.
        """
        self._check_group(group)
        batch = pair_batch(y, q, group)
        if batch.q.shape[0]:
            self._on(batch.q).add(*batch)

    def add_logits(
        self, logits: object, labels: object, every: bool = False, group: object = None
    ) -> None:
        """Add rows of logits and their true labels; the softmax is computed here, not stored.

        A row gives one pair: whether the most probable label (the first of several) is right,
        and its probability. With `every`, each label gives a pair: whether it is the true one,
        and its probability. The last axis of `logits` is that of the labels. Rows whose label is
        −100 are skipped. Softmax is computed in float32, or in float64 for float64 logits.
        """
        self._check_group(group)
        for batch in row_batches(logits, labels, group):
            if batch.logits.shape[0]:
                self._on(batch.logits).add_logits(batch.logits, batch.labels, every, batch.group)

    def merge(self, other: "Accumulator") -> None:
        """Add what another accumulator has summed, on any device."""
        if not isinstance(other, Accumulator):
            raise InputError(
                f"An Accumulator was expected, not {type(other).__name__}: add pairs to `pairs()`."
            )
        if (self.bits, self.folds) != (other.bits, other.folds):
            raise InputError(
                f"Accumulators can be merged if bits and folds agree, but one has {self._kind()} "
                f"and the other {other._kind()}."
            )
        self._check_values()
        other._check_values()
        if other._sums is not None:
            self._take_in(other._sums.filled(), other.skipped)

    def pairs(self) -> Pairs:
        """What was added, as compressed pairs: one row for each cell (of each fold).

        Raises an error if a value was not a probability or an observation.
        """
        self._check_values()
        if self._sums is None or self.n == 0:
            raise InputError("There must be at least one pair, but none was added.")
        return pairs_of(self._grid, self._sums.filled())

    @property
    def n(self) -> int:
        """The number of pairs added, without what was refused or skipped; reads the device."""
        return 0 if self._sums is None else self._sums.count()

    @property
    def skipped(self) -> int:
        """The number of rows with the label −100; reads the device."""
        return 0 if self._sums is None else int(self._sums.aside()[Aside.SKIPPED])

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        place = "" if self._sums is None else f" on {self._sums.device}"
        return f"Accumulator({self._kind()}: {counted(self.n, 'pair')}{place})"

    def state_dict(self) -> dict[str, Any]:
        """What was summed, for a checkpoint: numbers, and a matrix of integers.

        The matrix has a column for each sum that is not 0; it is a tensor if tensors were added.
        """
        self._check_values()
        sums = self._sums
        kept: Any = np.empty((3, 0), np.int64) if sums is None else np.stack(sums.filled())
        if sums is not None and is_tensor(sums.state):
            kept = sums.xp.from_numpy(kept)
        return {"bits": self.bits, "folds": self.folds, "sums": kept, "skipped": self.skipped}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace what was summed by what `state_dict` returned; bits and folds must agree."""
        filled = loaded(self._grid, state, self.folds)
        self._sums, self._moves = None, True
        self._take_in(filled, whole_number("skipped", state["skipped"], 0))

    def all_reduce(self, process_group: Any = None) -> "Accumulator":  # noqa: ANN401
        """The sums over all processes of torch.distributed, as a new accumulator in each.

        This is one all-reduce of one tensor. All processes must call it, also those that added
        nothing. This accumulator does not change, so calling it again counts nothing twice.
        """
        import torch
        from torch import distributed

        total = Accumulator(self.bits, self.folds)
        if self._sums is None:
            nccl = distributed.get_backend(process_group) == "nccl"
            sums = total._on(torch.empty(0, device="cuda" if nccl else "cpu"))
        else:
            sums = total._on(self._sums.state)
            sums.join(self._sums)
        tensor = sums.state if is_tensor(sums.state) else torch.from_numpy(sums.state)  # in place
        distributed.all_reduce(tensor, group=process_group)
        total._check_values()
        return total

    def _kind(self) -> str:
        return f"bits={self.bits}" + ("" if self.folds is None else f", folds={self.folds}")

    def _on(self, like: Array) -> Sums:
        """The sums, on the device of this batch."""
        if self._sums is None:
            self._sums = sums_on(self._grid, like)
        elif not self._sums.holds(like):
            if not self._moves:
                raise InputError(
                    f"The sums are on {self._sums.device} ({self._sums.library}), but this batch "
                    f"is on {device_of(like)} ({library_of(like)}). Use an accumulator for each "
                    "device and library, and merge them."
                )
            filled, skipped = self._sums.filled(), self.skipped
            self._sums = sums_on(self._grid, like)
            self._take_in(filled, skipped)
        self._moves = False
        return self._sums

    def _take_in(self, filled: Filled, skipped: int) -> None:
        if self._sums is None:  # on the host, until the first batch
            self._sums = Sums(self._grid, np.empty(0))
        self._sums.take_in(filled, skipped)

    def _check_group(self, group: object) -> None:
        if group is not None and self.folds is None:
            raise ParameterError(
                "To keep groups, make the accumulator with Accumulator(folds=4096)."
            )
        if group is None and self.folds is not None:
            raise InputError(f"An accumulator with folds={self.folds} needs a group for each row.")

    def _check_values(self) -> None:
        if self._sums is not None:
            check_values(self._sums)
