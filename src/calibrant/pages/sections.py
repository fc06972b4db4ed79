"""The sections of a page."""

from calibrant.bridges.findings import Findings, ModelFindings
from calibrant.errors import option
from calibrant.pages.data import Kept
from calibrant.pages.figures import curve_figure, loss_figure, overlaid_figure
from calibrant.pages.markup import Markup, element, together
from calibrant.pages.tables import folded, html_table, paragraphs
from calibrant.results.estimate import Estimate
from calibrant.results.verdict import SOME
from calibrant.results.wording import counted
from calibrant.version import __version__

GROUPS = 10  # groups to list
LINKS = {
    "verdict": "Verdict",
    "scores": "Scores",
    "curve": "Calibration curve",
    "comparison": "Comparison",
    "slices": "Slices",
    "details": "In detail",
    "advice": "What to do",
}
SLICES = (
    "Adjusted p-values answer “is it calibrated here?”, and “is it calibrated as the rest is?”, "
    "after looking at all slices (Holm's method). Detectable is the smallest error that the test "
    "would have found with 80 % power: a slice without a finding may hide a smaller one."
)


def section(title: str, name: str, *contents: str | None) -> Markup:
    """A section with a heading that the contents of the page link to."""
    heading = element("h2", title, id_=f"{name}-title")
    return element("section", heading, *contents, id_=name, aria_labelledby=f"{name}-title")


def verdict(findings: Findings) -> Markup:
    """What was found, in sentences."""
    several = len(findings.models) > 1
    lines = [
        element("p", _sentence(model, named=several), class_="verdict") for model in findings.models
    ]
    if findings.comparison is not None:
        lines.append(element("p", findings.comparison.sentence, class_="verdict"))
    return section("Verdict", "verdict", *lines)


def _sentence(model: ModelFindings, named: bool) -> str:
    score = model.scores[0]
    of = f"{model.name}: " if named else ""
    tested = "" if model.tests is None else f" {model.tests[0].test}: {model.tests[0].p_text}."
    said = "" if model.tests is None else f" {model.tests[0].sentence}"
    return f"{of}{_score_words(score)}{tested}{said}{_leaning(model)}"


def _leaning(model: ModelFindings) -> str:
    """The direction of the errors, and on what grounds if the test finds none."""
    if model.description is None:
        return ""
    said = model.description.sentence
    unproved = model.tests is not None and model.tests[0].p_value >= SOME
    alone = "Each judged alone, by its own interval: " if model.description.accuses else ""
    return f" {alone}{said}" if unproved else f" {said}"


def _score_words(score: Estimate) -> str:
    limits = ""
    if score.low is not None:
        percent = f"{100 * score.level:g} % interval"
        limits = f" ({percent} {score.text('low')} to {score.text('high')})"
        if score.plugin is not None and score.low == 0:
            limits = f"{limits[:-1]}; its own test is Consistency)"
    return f"{score.score} is {score.text('value')}{limits}."


def numbers(findings: Findings) -> Markup:
    """The scores of all models, what was read, and what is missing."""
    contents: list[str] = []
    for model in findings.models:
        title = _titled("Scores", model, findings)
        contents.append(html_table(model.scores.table(), title))
        contents.append(element("p", _read(model), class_="read"))
        contents += [element("p", each, class_="missing") for each in model.missing]
    return section("Scores", "scores", *contents)


def _titled(what: str, model: ModelFindings, findings: Findings) -> str:
    return f"{what} of {model.name}" if len(findings.models) > 1 else what


def _read(model: ModelFindings) -> str:
    pairs = model.asked.pairs
    what = repr(pairs).removeprefix("Pairs(").removesuffix(")")
    return f"{model.asked.read}: {what}." if model.asked.read else f"{what}."


def curves(findings: Findings, kept: Kept | None) -> Markup:
    """The calibration curve of each model, with the examples behind it."""
    contents: list[str] = []
    if len(findings.models) > 1:
        contents += [overlaid_figure(findings.models), _legend(findings)]
    contents.append(element("p", _legend_text(findings), class_="caption"))
    contents += [_curve(model, k, findings, kept) for k, model in enumerate(findings.models)]
    return section("Calibration curve", "curve", *contents)


def _legend(findings: Findings) -> Markup:
    entries = [
        element("li", element("span", "", class_=f"key m{k % 7}"), element("bdi", model.name))
        for k, model in enumerate(findings.models)
    ]
    return element("ul", *entries, class_="legend")


def _legend_text(findings: Findings) -> str:
    level = f"{100 * findings.settings.level:g} %"
    return (
        "A calibrated model stays on the dashed diagonal. The line is a smooth estimate with its "
        f"{level} band; dots are bins of about equally many rows with their {level} intervals. The "
        "bars below show how often each prediction was made, on a square-root scale."
    )


def _curve(model: ModelFindings, index: int, findings: Findings, kept: Kept | None) -> Markup:
    table = html_table(model.bins.table(), _titled("Bins", model, findings))
    heading = element("h3", element("bdi", model.name)) if len(findings.models) > 1 else None
    return element(
        "div",
        heading,
        element("div", curve_figure(model, index), class_="figure"),
        _examples(model, index, kept),
        folded("The bins as a table", table),
        class_="model",
        data_model=index,
    )


def _examples(model: ModelFindings, index: int, kept: Kept | None) -> Markup:
    """Where examples appear; without JavaScript, why they do not."""
    if model.asked.pairs.moments is not None:
        why = "There are no examples: the pairs are a summary, which holds no single rows."
        return element("p", why, class_="missing")
    if kept is None:
        why = (
            "There are no examples: not even one for each part of the curve fits into the size of "
            f"this page. Allow more with {option('limit')}."
        )
        return element("p", why, class_="missing")
    controls = element(
        "form",
        element("span", "Predictions above "),
        _edge("low", 0.0, "lowest prediction"),
        element("span", " up to "),
        _edge("high", 1.0, "highest prediction"),
        element("button", "Show", type_="submit"),
        element("button", "Clear", type_="reset"),
        class_="range",
        aria_label=f"Choose predictions of {model.name or 'the model'}",
    )
    return element(
        "div",
        element("noscript", element("p", "Examples need JavaScript; all else is on this page.")),
        element(
            "p",
            "Drag over the curve, or click a dot, to see the examples behind it.",
            class_="hint scripted",
        ),
        controls,
        element(
            "div",
            "",
            class_="found",
            aria_live="polite",
            tabindex=0,
            role="region",
            aria_label=f"Examples of {model.name or 'the model'}",
        ),
        class_="examples",
        data_model=index,
    )


def _edge(name: str, value: float, label: str) -> Markup:
    return element(
        "input",
        type_="number",
        name=name,
        min=0,
        max=1,
        step="any",
        value=value,
        aria_label=label,
        inputmode="decimal",
    )


def details(findings: Findings) -> Markup:
    """Description, decomposition, tests and groups of each model."""
    contents = [
        element("h3", element("bdi", model.name)) if len(findings.models) > 1 else None
        for model in findings.models
    ]
    parts: list[str | None] = []
    for heading, model in zip(contents, findings.models, strict=True):
        parts += [heading, *_of_model(model, findings)]
    return section("In detail", "details", *parts)


def _of_model(model: ModelFindings, findings: Findings) -> list[str]:
    parts: list[str] = []
    if model.description is not None:
        parts = [
            html_table(model.description.table(), _titled("Description", model, findings)),
            paragraphs(model.description.sentence),
        ]
    if model.tests is not None:
        parts.append(html_table(model.tests.table(), _titled("Tests", model, findings)))
    if model.decomposition is not None:
        title = _titled(f"Decomposition of {model.decomposition.rule}", model, findings)
        parts += [
            element("div", loss_figure(model.decomposition), class_="figure"),
            html_table(model.decomposition.table(), title),
        ]
    if model.groups is not None:
        title = _titled("Groups that are farthest off", model, findings)
        parts += [
            html_table(model.groups.first(GROUPS).table(), title, sortable=True),
            paragraphs(model.groups.sentence, _left_out_groups(model)),
        ]
    return parts


def _left_out_groups(model: ModelFindings) -> str:
    more = 0 if model.groups is None else model.groups.n.size - GROUPS
    return f"{counted(more, 'other group is', 'other groups are')} not shown." if more > 0 else ""


def slices(findings: Findings) -> Markup | None:
    """The slices of each model; a click draws the curve of one."""
    contents: list[str] = []
    for index, model in enumerate(findings.models):
        if model.slices is None:
            continue
        names = [each.name for each in model.slices]
        firsts = [
            _slice_name(name, index, k, curve is not None)
            for k, (name, curve) in enumerate(zip(names, model.slice_curves, strict=True))
        ]
        title = _titled("Slices, the worst first", model, findings)
        contents.append(html_table(model.slices.table(), title, sortable=True, firsts=firsts))
        contents.append(paragraphs(model.slices.sentence))
    if not contents:
        return None
    hint = "Click the name of a slice to draw its curve, dotted, over that of all rows."
    said = element("p", hint, class_="hint scripted")
    return section("Slices", "slices", said, *contents, element("p", SLICES, class_="caption"))


def _slice_name(name: str, model: int, number: int, drawn: bool) -> Markup:
    """The name of a slice, as a button if it has a curve."""
    text = element("bdi", name)
    if not drawn:
        return text
    return element(
        "button",
        text,
        type_="button",
        class_="slice",
        aria_pressed="false",
        data_model=model,
        data_slice=number,
    )


def comparison(findings: Findings) -> Markup | None:
    """The differences between models."""
    if len(findings.models) < 2:
        return None
    if findings.comparison is None:
        why = f"The models are not compared. {findings.not_compared}"
        return section("Comparison", "comparison", element("p", why, class_="missing"))
    found = findings.comparison
    return section(
        "Comparison",
        "comparison",
        html_table(found.table(), "Models, the best first"),
        html_table(found.pairs_table(), "Differences on the same questions", sortable=True),
        paragraphs(found.sentence),
    )


def limits(kept: Kept | None, size: int | None) -> Markup:
    """What the page leaves out."""
    said = [f"calibrant {__version__}."]
    if kept is not None:
        said.append(
            f"For each part of the curve this page holds the {kept.rows} most surprising rows and "
            f"{kept.rows} rows drawn at random; texts are cut after {kept.characters} characters."
        )
    if size is not None:
        said.append(f"The page takes at most {size / 1e6:g} MB.")
    return element("footer", element("p", " ".join(said)))


def page_body(title: str, subtitle: str, *sections: Markup | None) -> Markup:
    """The whole body, with links to the sections that are there."""
    there = [each for each in sections if each is not None]
    links = [
        element("a", name, href=f"#{ident}")
        for ident, name in LINKS.items()
        if any(f'id="{ident}"' in each for each in there)
    ]
    head = element(
        "header",
        element("h1", element("bdi", title)),
        element("p", subtitle) if subtitle else None,
        element("nav", *links, aria_label="Sections of this page"),
    )
    skip = element("a", "Skip to the verdict", href="#verdict", class_="skip")
    return together(skip, head, element("main", *there))
