"""The outcomes of gates as JUnit XML, which services of continuous integration show."""

import re
from collections.abc import Iterable, Mapping
from xml.etree import ElementTree

from calibrant.errors import printable

# characters that XML 1.0 cannot hold, not even escaped
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(suite: str, failures: Mapping[str, Iterable[str]]) -> bytes:
    """A test case for each name, which fails if there is a sentence that says why.

    >>> written = junit("score a.csv", {"Brier": [], "ECE": ["ECE 0.2 is above 0.1."]})
    >>> print(written.decode().strip())
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites>
      <testsuite name="score a.csv" tests="2" failures="1" errors="0">
        <testcase classname="calibrant" name="Brier" />
        <testcase classname="calibrant" name="ECE">
          <failure message="ECE 0.2 is above 0.1.">ECE 0.2 is above 0.1.</failure>
        </testcase>
      </testsuite>
    </testsuites>
    """
    said = {name: _text(" ".join(why)) for name, why in failures.items()}
    counts = {"tests": len(said), "failures": sum(map(bool, said.values())), "errors": 0}
    top = ElementTree.Element("testsuites")
    numbers = {name: str(count) for name, count in counts.items()}
    group = ElementTree.SubElement(top, "testsuite", {"name": _text(suite), **numbers})
    for name, why in said.items():
        case = ElementTree.SubElement(
            group, "testcase", {"classname": "calibrant", "name": _text(name)}
        )
        if why:
            ElementTree.SubElement(case, "failure", {"message": why}).text = why
    ElementTree.indent(top)
    text: bytes = ElementTree.tostring(top, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _text(text: str) -> str:
    """Text with all that XML cannot hold spelled out."""
    return _NOT_XML.sub(lambda found: repr(found[0])[1:-1], printable(text))
