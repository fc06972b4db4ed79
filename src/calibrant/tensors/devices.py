"""Which sums belong to an array: compiled for CUDA, plain torch, or numpy and cupy."""

from calibrant.tensors.batches import is_tensor
from calibrant.tensors.cells import Array, Grid
from calibrant.tensors.cuda_sums import CudaSums, compiles
from calibrant.tensors.sums import Sums
from calibrant.tensors.torch_sums import TorchSums


def sums_on(grid: Grid, like: Array) -> Sums:
    """Empty sums on the device of this array."""
    if not is_tensor(like):
        return Sums(grid, like)
    return (CudaSums if like.is_cuda and compiles(like.device) else TorchSums)(grid, like)
