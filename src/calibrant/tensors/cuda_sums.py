"""Sums of tensors on NVIDIA GPUs, by kernels that are compiled on first use."""

import warnings
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from calibrant.errors import CalibrantWarning
from calibrant.tensors.cells import PLACES, Array, Grid
from calibrant.tensors.sums import IGNORED, Aside
from calibrant.tensors.torch_sums import TorchSums

Kernel = Callable[..., None]
THREADS = 256
MANY_THREADS = 1024
BLOCKS = 132 * 16  # several for each multiprocessor of the largest GPUs
LAUNCH = 1 << 30  # pairs at a time: their number must be a C int
LOGITS = ("bfloat16", "float16", "float32")
C_TYPES = {
    "bool": "unsigned char",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "float32": "float",
    "float64": "double",
}


class CudaSums(TorchSums):
    """The same sums on an NVIDIA GPU, in one pass over the arrays.

    What bounds the speed is the rate of atomic additions. So single-precision predictions
    without folds are counted in packed 64-bit words first, with one addition for each pair:
    `pack` bits for the count, the others for the sum of places. They are unpacked into the state
    before a count could overflow.
    """

    copies = 4

    def __init__(self, grid: Grid, like: Array) -> None:
        super().__init__(grid, like)
        self.pack = (63 - (PLACES - grid.bits)) // 2
        self._none = self.xp.empty(0, dtype=self.xp.int64, device=like.device)  # a null pointer
        self._packed = self._none
        self._pending = 0

    @property
    def room(self) -> int:
        """The most pairs that packed words can count."""
        return (1 << self.pack) - 1

    def add(self, y: Array, q: Array, group: Array | None) -> None:
        """Add pairs: flat tensors of equal length."""
        predicted = q if q.dtype == self.xp.float64 else q.float()
        observed = y if _name(y) in C_TYPES else y.float()
        packs = self._packs(predicted)
        size = self.room if packs else LAUNCH
        for start in range(0, q.shape[0], size):
            part = slice(start, start + size)
            self._add_part(observed[part], predicted[part], _part(group, part), packs)

    def _add_part(self, y: Array, q: Array, group: Array | None, packs: bool) -> None:
        kernel = self._kernel("add_pairs", REAL=C_TYPES[_name(q)], OBSERVED=C_TYPES[_name(y)])
        words = self._words_for(q.shape[0]) if packs else self._none
        inputs = (q.contiguous(), y.contiguous(), self._numbers(group), q.shape[0])
        blocks = min(BLOCKS, -(-q.shape[0] // THREADS))
        self._launch(kernel, blocks, THREADS, inputs, words)

    def add_logits(self, logits: Array, labels: Array, every: bool, group: Array | None) -> None:
        """Add rows of logits: the top label of each, or every label."""
        if _name(logits) not in LOGITS:
            super().add_logits(logits, labels, every, group)
            return
        x = logits if logits.stride(1) == 1 else logits.contiguous()
        # bfloat16 is counted in shared memory, and a top label is one addition a row
        packs = every and _name(x) != "bfloat16" and self._packs(x) and x.shape[1] <= self.room
        size = self.room // x.shape[1] if packs else LAUNCH
        for start in range(0, x.shape[0], size):
            part = slice(start, start + size)
            self._add_rows_part(x[part], labels[part], every, _part(group, part), packs)

    def _add_rows_part(
        self, x: Array, labels: Array, every: bool, group: Array | None, packs: bool
    ) -> None:
        kinds = {_name(x).upper(): 1} | ({"EVERY": 1} if every else {})
        kernel = self._kernel("add_rows", **kinds)
        words = self._words_for(x.numel()) if packs else self._none
        inputs = (x, x.stride(0), x.shape[1], labels.contiguous(), self._numbers(group))
        threads = MANY_THREADS if packs else THREADS  # of the few rows that fit at a time
        self._launch(kernel, x.shape[0], threads, inputs, words)

    def _launch(
        self, kernel: Kernel, blocks: int, threads: int, inputs: tuple[Any, ...], words: Array
    ) -> None:
        outputs = (self.state[0], self.state[1], words, self.copies, self.examples)
        with self.xp.cuda.device(self.device):
            kernel((blocks, 1, 1), (threads, 1, 1), (*inputs, *outputs))

    def _packs(self, values: Array) -> bool:
        """Whether places of these values are short enough, and the words few enough, to pack."""
        return self.grid.folds == 1 and values.dtype != self.xp.float64

    def _numbers(self, group: Array | None) -> Array:
        return self._none if group is None else group.contiguous()

    def _words_for(self, many: int) -> Array:
        """The packed words, unpacked before if a count could overflow."""
        if self._pending + many > self.room:
            self.settle()
        if self._packed is self._none:
            self._packed = self.state.new_zeros((self.copies, self.state.shape[1]))
        self._pending += many
        return self._packed

    def settle(self) -> None:
        """Unpack the counts and places into the state."""
        if self._pending:
            self.state[0] += (self._packed & self.room).sum(0)
            self.state[1] += (self._packed >> self.pack).sum(0) << self.grid.bits
            self._packed.zero_()
            self._pending = 0

    def _kernel(self, name: str, **defined: object) -> Kernel:
        grid = {"BITS": self.grid.bits, "FOLDS": self.grid.folds, "PACK": self.pack}
        aside = {f"ASIDE_{each.name}": int(each) for each in Aside}
        sizes = {"SLOTS": f"{self.grid.slots}u", "ASIDES": len(Aside), "IGNORED": IGNORED}
        everything = grid | aside | sizes | defined
        return _compiled(name, self.device, tuple(everything.items()))


def _name(tensor: Array) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _part(group: Array | None, part: slice) -> Array | None:
    return None if group is None else group[part]


@cache
def _compiled(name: str, device: str, defined: tuple[tuple[str, object], ...]) -> Kernel:
    """A kernel of `cells.cu`, compiled for this device by the compiler that torch brings."""
    import torch

    lines = "".join(f"#define {key} {value}\n" for key, value in defined)
    source = files("calibrant.tensors").joinpath("cells.cu").read_text("utf-8")
    with torch.cuda.device(device):
        kernel: Kernel = torch.cuda._compile_kernel(lines + source, name)
    return kernel


@cache
def compiles(device: Any) -> bool:  # noqa: ANN401
    """Whether kernels can be compiled for this device; if not, plain torch takes their place."""
    import torch

    if torch.version.cuda is None:  # AMD
        return False
    try:
        with torch.cuda.device(device):
            torch.cuda._compile_kernel('extern "C" __global__ void nothing() {}', "nothing")
    except (AttributeError, ImportError, OSError, RuntimeError) as error:
        warnings.warn(
            f"torch {torch.__version__} cannot compile kernels here ({error}), so sums are made in "
            "plain torch, which is more than ten times slower.",
            CalibrantWarning,
            stacklevel=2,
        )
        return False
    return True
