"""CONTRIBUTING.md is true: its paths exist, its tree is complete, its skeleton works."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
TEXT = (TOP / "CONTRIBUTING.md").read_text("utf-8")
SOURCE = TOP / "src" / "calibrant"
PROSE = re.sub(r"^```.*?^```$", "", TEXT, flags=re.M | re.S)
CODE = re.search(r"^```python\n(.*?)^```$", TEXT, re.M | re.S)[1]


def tree():
    """The paths that the drawing shows, relative to the top; indentation is nesting."""
    drawing = re.search(r"^```text\n(.*?)^```$", TEXT, re.M | re.S)[1]
    folders, found = {}, []
    for line in drawing.splitlines():
        name = line.split()[0]
        depth = len(line) - len(line.lstrip())
        parent = folders.get(depth - 2, Path())
        folders[depth] = parent / name
        found.append(parent / name)
    return found


def named():
    """Whatever looks like a path in backticks: folders with a slash, files with an ending."""
    words = re.findall(r"`(?:python )?([\w./-]+)(?: --\w+)?`", PROSE)
    return sorted({word for word in words if "/" in word or re.search(r"\.(pyi?|md|toml)$", word)})


@pytest.mark.parametrize("path", tree(), ids=str)
def test_the_tree_exists(path):
    assert (TOP / path).exists()


@pytest.mark.parametrize("path", named())
def test_paths_in_the_text_exist(path):
    places = (TOP, SOURCE, SOURCE / "calibration", SOURCE / "structures")
    assert any((place / path).exists() for place in places)


def test_there_are_paths():
    assert len(tree()) > 30
    assert len(named()) > 20


@pytest.mark.parametrize("folder", ["", "calibration", "structures"])
def test_every_folder_is_drawn(folder):
    drawn = {TOP / path for path in tree()}
    folders = {each.parent for each in (SOURCE / folder).glob("*/__init__.py")}
    assert folders
    assert folders <= drawn


def test_every_module_at_the_root_is_drawn():
    drawn = {path.stem for path in tree() if path.parent == Path("src/calibrant")}
    assert {path.stem for path in SOURCE.glob("*.py")} <= drawn


def test_every_dependency_has_a_line():
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    stated = [*project["dependencies"], *(each for extra in extras for each in extra)]
    rows = re.findall(r"^\| ([\w, -]+) \|", TEXT[TEXT.index("## Dependencies") :], re.M)
    listed = {name for row in rows for name in row.split(", ")} - {"package"}
    assert listed == {re.match(r"[\w-]+", each)[0] for each in stated}


def test_layers_are_those_of_the_contract():
    contracts = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    first = [re.findall(r"calibrant\.(\w+)", layer) for layer in layers]
    chain = re.search(r"^cli → .*?errors$", TEXT, re.M | re.S)[0]
    drawn = [re.findall(r"\w+", layer) for layer in chain.split("→")]
    assert len(drawn) == len(first)
    assert all(set(shown) <= set(layer) for shown, layer in zip(drawn, first, strict=True))


def test_the_skeleton_is_a_score(tmp_path):
    """In a process of its own, since a score registers itself."""
    path = tmp_path / "linear.py"
    use = (
        "import doctest\n"
        "import calibrant as cb\n"
        "assert doctest.testmod().attempted == 2 and not doctest.testmod().failed\n"
        "pairs = cb.synthetic.calibrated(500)\n"
        "print(cb.score(pairs, 'LinearLoss(above=0.5)'))\n"
    )
    path.write_text(f"{CODE}\n\n{use}", "utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.match(r"LinearLoss\(above=0.5\) 0\.\d+ \[0\.\d+, 0\.\d+\]$", done.stdout)
