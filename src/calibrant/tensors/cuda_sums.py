"""Sums of tensors on NVIDIA GPUs, by kernels that are compiled on first use."""

import warnings
from functools import cache
from importlib.resources import files
from typing import Any

from calibrant.errors import CalibrantWarning
from calibrant.tensors.cells import PLACES, Array, Grid
from calibrant.tensors.sums import IGNORED, Aside
from calibrant.tensors.torch_sums import TorchSums

THREADS = 256
BLOCKS = 132 * 16  # several for each multiprocessor of the largest GPUs
OLDEST = (8, 0)  # compute capability: earlier ones lack sums within a warp
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

    block = 1 << 24
    copies = 4

    def __init__(self, grid: Grid, like: Array) -> None:
        super().__init__(grid, like)
        self.pack = (63 - (PLACES - grid.bits)) // 2
        self._none = self.xp.empty(0, dtype=self.xp.int64, device=like.device)  # a null pointer
        self._packed = self._none
        self._pending = 0

    def add(self, y: Array, q: Array, group: Array | None) -> None:
        """Add pairs: flat tensors of equal length."""
        xp = self.xp
        predicted = q if q.dtype == xp.float64 else q.float()
        observed = y if _name(y) in C_TYPES else y.float()
        packs = predicted.dtype == xp.float32 and self.grid.folds == 1
        room = (1 << self.pack) - 1 if packs else LAUNCH
        for start in range(0, q.shape[0], room):
            part = slice(start, start + room)
            number = self._none if group is None else group[part].contiguous()
            batch = observed[part].contiguous(), predicted[part].contiguous(), number
            self._launch(*batch, packed=self._room_for(batch[1]) if packs else self._none)

    def _launch(self, y: Array, q: Array, group: Array, packed: Array) -> None:
        kernel = self._kernel("add_pairs", REAL=C_TYPES[_name(q)], OBSERVED=C_TYPES[_name(y)])
        inputs = (q, y, group, q.shape[0])
        outputs = (self.state[0], self.state[1], packed, self.copies, self.examples)
        blocks = min(BLOCKS, -(-q.shape[0] // THREADS))
        with self.xp.cuda.device(q.device):
            kernel((blocks, 1, 1), (THREADS, 1, 1), (*inputs, *outputs))

    def _room_for(self, q: Array) -> Array:
        """The packed words, unpacked before if a count could overflow."""
        if self._pending + q.shape[0] >= 1 << self.pack:
            self.settle()
        if self._packed is self._none:
            self._packed = self.state.new_zeros((self.copies, self.state.shape[1]))
        self._pending += q.shape[0]
        return self._packed

    def settle(self) -> None:
        """Unpack the counts and places into the state."""
        if self._pending:
            self.state[0] += (self._packed & ((1 << self.pack) - 1)).sum(0)
            self.state[1] += (self._packed >> self.pack).sum(0) << self.grid.bits
            self._packed.zero_()
            self._pending = 0

    def add_logits(self, logits: Array, labels: Array, every: bool, group: Array | None) -> None:
        """Add rows of logits: the top label of each, or every label."""
        if _name(logits) not in LOGITS:
            super().add_logits(logits, labels, every, group)
            return
        x = logits if logits.stride(1) == 1 else logits.contiguous()
        number = self._none if group is None else group.contiguous()
        kinds = {_name(x).upper(): 1} | ({"EVERY": 1} if every else {})
        inputs = (x, x.stride(0), x.shape[1], labels.contiguous(), number)
        with self.xp.cuda.device(x.device):
            self._kernel("add_rows", **kinds)(
                (x.shape[0], 1, 1),
                (THREADS, 1, 1),
                (*inputs, self.state[0], self.state[1], self.examples),
            )

    def _kernel(self, name: str, **defined: object) -> Any:  # noqa: ANN401
        grid = {"BITS": self.grid.bits, "FOLDS": self.grid.folds, "PACK": self.pack}
        aside = {f"ASIDE_{each.name}": int(each) for each in Aside}
        sizes = {"SLOTS": f"{self.grid.slots}u", "ASIDES": len(Aside), "IGNORED": IGNORED}
        everything = grid | aside | sizes | defined
        return _compiled(name, self.device, tuple(everything.items()))


def _name(tensor: Array) -> str:
    return str(tensor.dtype).removeprefix("torch.")


@cache
def _compiled(name: str, device: str, defined: tuple[tuple[str, object], ...]) -> Any:  # noqa: ANN401
    """A kernel of `cells.cu`, compiled for this device by the compiler that torch brings."""
    import torch

    lines = "".join(f"#define {key} {value}\n" for key, value in defined)
    source = files("calibrant.tensors").joinpath("cells.cu").read_text("utf-8")
    with torch.cuda.device(device):
        return torch.cuda._compile_kernel(lines + source, name)


@cache
def compiles(device: Any) -> bool:  # noqa: ANN401
    """Whether kernels can be compiled for this device; if not, plain torch takes their place."""
    import torch

    if torch.version.cuda is None or torch.cuda.get_device_capability(device) < OLDEST:
        return False
    try:
        with torch.cuda.device(device):
            torch.cuda._compile_kernel('extern "C" __global__ void nothing() {}', "nothing")
    except (AttributeError, ImportError, OSError, RuntimeError) as error:
        warnings.warn(
            f"torch {torch.__version__} cannot compile kernels here ({error}), so sums are made in "
            "plain torch, which is several times slower.",
            CalibrantWarning,
            stacklevel=2,
        )
        return False
    return True
