"""Docstrings say the right types: the site gives names on one line the type of the first."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "calibrant"


def annotations(node):
    """The types of the parameters of a function, or of the fields and parameters of a class."""
    if isinstance(node, ast.ClassDef):
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        found = {each.target.id: ast.unparse(each.annotation) for each in fields}
        makers = [each for each in node.body if getattr(each, "name", "") == "__init__"]
        return found | {name: kind for each in makers for name, kind in annotations(each).items()}
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {each.arg: ast.unparse(each.annotation) for each in given if each.annotation}


def shared_lines():
    """Names that share a line of a section of parameters or attributes, and what has them."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                text = ast.get_docstring(node) or ""
                sections = re.split(r"^(?:Parameters|Attributes)\n-+$", text, flags=re.M)[1:]
                for names in re.findall(r"^(\w+(?:, \w+)+)$", "".join(sections), re.M):
                    place = f"{path.relative_to(SOURCE)}: {node.name}"
                    yield pytest.param(annotations(node), names.split(", "), id=f"{place}: {names}")


@pytest.mark.parametrize(("kinds", "names"), list(shared_lines()))
def test_names_on_one_line_have_one_type(kinds, names):
    assert len({kinds.get(name) for name in names}) == 1


def test_there_are_such_lines():
    assert len(list(shared_lines())) > 20
