"""Pages that need a real corpus are left out where it is not here."""

import os
from pathlib import Path

import pytest

NEEDS = {"taggers.md": "pos/ark-twpos-v0.3"}
DATA = Path(os.environ.get("CALIBRANT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def pytest_collection_modifyitems(items):
    for item in items:
        needed = NEEDS.get(item.path.name)
        if needed and not (DATA / needed).exists():
            item.add_marker(pytest.mark.skip(reason=f"{needed} is not here"))


@pytest.fixture(autouse=True)
def _data(monkeypatch, request):
    if request.path.name in NEEDS:
        monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
