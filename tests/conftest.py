"""Fixtures that many tests share, and pages that need corpora."""

import os

import pytest
from hypothesis import settings
from made_pairs import set_a, set_b, set_c
from real_data import DATA

import calibrant as cb

# compiled kernels may be compiled inside a test, which no deadline should punish
settings.register_profile("calibrant", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("calibrant")


PAGES = {"taggers.md": "pos/ark-twpos-v0.3"}  # of the docs, and the corpora that they need


def pytest_collection_modifyitems(items):
    """Leave out pages whose corpora are not here."""
    for item in items:
        needed = PAGES.get(item.path.name)
        if needed and not (DATA / needed).exists():
            item.add_marker(pytest.mark.skip(reason=f"{needed} is not here"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Tell such pages where corpora are."""
    if item.path.name not in PAGES:
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "CALIBRANT_DATA", str(DATA))
        return (yield)


@pytest.fixture(scope="session")
def a():
    return cb.Pairs(*set_a())


@pytest.fixture(scope="session")
def b():
    return cb.Pairs(*set_b())


@pytest.fixture(scope="session")
def c():
    return cb.Pairs(*set_c())
