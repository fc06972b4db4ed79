"""Where the tests of `calibrant.tensors` run: numpy, and torch, cupy and jax where they are."""

import importlib.util

import numpy as np
import pytest

HAS = {name: importlib.util.find_spec(name) is not None for name in ("torch", "cupy", "jax")}


def has_cuda():
    if not HAS["torch"]:
        return False
    import torch

    return torch.cuda.is_available()


CUDA = has_cuda()
NO_TORCH = pytest.mark.skipif(not HAS["torch"], reason="torch is not installed")
NO_CUDA = pytest.mark.skipif(not CUDA, reason="there is no CUDA device")
NO_CUPY = pytest.mark.skipif(not (CUDA and HAS["cupy"]), reason="there is no cupy with CUDA")
NO_JAX = pytest.mark.skipif(not HAS["jax"], reason="jax is not installed")
LIBRARIES = [
    "numpy",
    pytest.param("torch", marks=NO_TORCH),
    pytest.param("cuda", marks=NO_CUDA),
    pytest.param("plain cuda", marks=NO_CUDA),
    pytest.param("cupy", marks=NO_CUPY),
    pytest.param("cupy alone", marks=NO_CUPY),
    pytest.param("jax", marks=NO_JAX),
    pytest.param("jax alone", marks=NO_JAX),
]


def given(library, array, dtype=None):
    """The array, in this library."""
    if library == "numpy":
        return array if dtype in (None, "bfloat16") else array.astype(dtype)
    if library in ("torch", "cuda", "plain cuda"):
        import torch

        device = "cpu" if library == "torch" else "cuda"
        tensor = torch.from_numpy(np.ascontiguousarray(array)).to(device)
        return tensor if dtype is None else tensor.to(getattr(torch, dtype))
    if library.startswith("cupy"):
        import cupy

        return cupy.asarray(array)
    import jax.numpy

    return jax.numpy.asarray(array)
