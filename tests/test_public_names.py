import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import calibrant


def test_names_are_written_once_and_found():
    """The stub is what type checkers read, and where names are imported from on first use."""
    stub = ast.parse(Path(calibrant.__file__).with_suffix(".pyi").read_text())
    stated = [alias.name for node in stub.body for alias in node.names]
    assert sorted(calibrant.__all__) == sorted(stated)
    assert len(stated) == len(set(stated)) <= 75
    for name in calibrant.__all__:
        assert getattr(calibrant, name) is not None
    assert set(calibrant.__all__) <= set(dir(calibrant))


@pytest.mark.parametrize("module", ["corpora", "models", "numbers", "outputs"])
def test_namespaces_export_what_they_list(module):
    found = import_module(f"calibrant.{module}")
    public = {name for name in vars(found) if not name.startswith("_")}
    assert set(found.__all__) <= public
    assert found.__all__ == list(dict.fromkeys(found.__all__))


def test_unknown_names():
    with pytest.raises(AttributeError, match=r"no attribute 'scoer'. Did you mean score\?"):
        calibrant.scoer  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'zzz'\.$"):
        calibrant.zzz  # noqa: B018
    assert not hasattr(calibrant, "scores")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("calibration.hypotheses", "Cox"),
        ("plots", "CalibrationDisplay"),
        ("plots", "Sweep"),
        ("corpora", "read_conll"),
        ("models", "CRF"),
        ("numbers", "PIT"),
        ("outputs", "word_labels"),
    ],
)
def test_other_names_are_reached_through_their_packages(module, name):
    assert name not in calibrant.__all__
    assert hasattr(import_module(f"calibrant.{module}"), name)


def test_help_names_every_verb():
    verbs = {name for name in calibrant.__all__ if not name[0].isupper()}
    verbs = {name for name in verbs if getattr(calibrant, name).__class__.__name__ == "function"}
    assert len(verbs) == 18
    assert all(f"`{verb}`" in calibrant.__doc__ for verb in verbs)


def test_importing_loads_nothing_heavy():
    code = "import calibrant, sys; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "scipy", "numba", "polars", "matplotlib"} & set(done.stdout.split())


def test_everything_can_be_imported_at_once():
    code = "from calibrant import *; print(CalibScore(), __version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"CalibScore {calibrant.__version__}"
