import ast
import subprocess
import sys
from pathlib import Path

import pytest

import calibrant


def test_names_are_found_where_they_are_said_to_be():
    """What type checkers read and what is imported on first use must agree."""
    tree = ast.parse(Path(calibrant.__file__).read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    stated = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert stated.pop("synthetic") == "calibrant"
    assert stated == calibrant._HOME
    assert sorted(calibrant.__all__) == sorted([*stated, "synthetic"])
    for name in calibrant.__all__:
        assert getattr(calibrant, name) is not None
    assert set(calibrant.__all__) <= set(dir(calibrant))


def test_unknown_names():
    with pytest.raises(AttributeError, match="has no attribute 'scoer'"):
        calibrant.scoer  # noqa: B018


def test_importing_loads_nothing_heavy():
    code = "import calibrant, sys; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "scipy", "numba", "polars", "matplotlib"} & set(done.stdout.split())


def test_everything_can_be_imported_at_once():
    code = "from calibrant import *; print(CalibScore(), __version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"CalibScore {calibrant.__version__}"
