"""The section that says what to do."""

from calibrant.bridges.findings import Findings, ModelFindings
from calibrant.pages.markup import Markup, element
from calibrant.pages.sections import section
from calibrant.pages.tables import html_table, paragraphs
from calibrant.results.verdict import SOME
from calibrant.results.wording import joined
from calibrant.version import __version__

CITATION = (
    f"Cite calibrant {__version__} as in its file CITATION.cff, and the signatures below: with the "
    "same data they reproduce every number."
)


def advice(findings: Findings, command: str) -> Markup:
    """What to do, how to cite, and how to make the page again."""
    several = len(findings.models) > 1
    said = [
        f"{model.name}: {_advice(model)}" if several else _advice(model)
        for model in findings.models
    ]
    contents: list[str] = [paragraphs(*said)]
    for model in findings.models:
        contents += _recalibration(model, several)
    signatures = [each.signature for model in findings.models for each in model.scores]
    contents.append(element("p", CITATION))
    contents.append(element("pre", "\n".join(signatures), class_="signature"))
    if command:
        contents.append(element("p", "This page was made by"))
        contents.append(element("pre", command))
    return section("What to do", "advice", *contents)


def _recalibration(model: ModelFindings, several: bool) -> list[str]:
    """What recalibration would gain, if that has been asked for."""
    found = model.recalibration
    if found is None:
        return []
    title = f"Recalibration of {model.name}" if several else "Recalibration"
    return [
        html_table(found.table(), f"{title} by {found.method}, on data that the maps had not seen"),
        paragraphs(found.sentence),
    ]


def _advice(model: ModelFindings) -> str:
    """What the findings mean for a user of the probabilities."""
    if model.tests is None:
        return _untested(model)
    if model.tests[0].p_value >= SOME:
        high = model.scores[0].text("high")
        bound = f" Errors up to {high} cannot be ruled out." if high else ""
        return f"There is no evidence against these probabilities.{bound}"
    ways = _directions(model)
    off = f" They are {joined(ways)}." if ways else ""
    groups = "" if model.groups is None else ", and at the groups that are far off"
    return (
        f"Do not take these probabilities at face value.{off} Look at the examples where the curve "
        f"is farthest from the diagonal{groups}."
    )


def _untested(model: ModelFindings) -> str:
    return "There are too few groups, or rows, for a test. " + " ".join(model.missing[:1])


def _directions(model: ModelFindings) -> list[str]:
    """Which ways the probabilities are off, where an interval says so."""
    if model.description is None:
        return []
    excess, slope = model.description.excess, model.description.slope
    found = []
    if excess.low is not None and excess.high is not None and not excess.low <= 0 <= excess.high:
        found.append("too high on average" if excess.value > 0 else "too low on average")
    if slope.low is not None and slope.high is not None and not slope.low <= 1 <= slope.high:
        found.append("too extreme" if slope.value < 1 else "not extreme enough")
    return found
