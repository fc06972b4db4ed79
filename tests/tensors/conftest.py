"""Each library of arrays, with and without what it may lean on."""

import pytest
from made_tensors import LIBRARIES

from calibrant.tensors import batches, devices


@pytest.fixture(params=LIBRARIES)
def library(request, monkeypatch):
    """A library that is here; "plain" is without compiled kernels, "alone" without torch."""
    if request.param.startswith("plain"):
        monkeypatch.setattr(devices, "compiles", lambda device: False)
    if request.param.endswith("alone"):
        monkeypatch.setattr(batches, "_torch", lambda: None)
    return request.param
