"""The page as one file: no network, no framework, and nothing in it can run but its own script."""

import base64
import hashlib
import warnings
from dataclasses import dataclass
from importlib import resources

from calibrant.bridges.findings import Findings
from calibrant.errors import CalibrantWarning, option
from calibrant.pages import sections
from calibrant.pages.advice import advice
from calibrant.pages.data import SIZES, Examples, Kept, fitted
from calibrant.pages.markup import Markup, element

LIMIT = 1_000_000  # bytes
UNLIMITED = 1 << 60


@dataclass(frozen=True, slots=True)
class Wording:
    """What a page says about itself: its title, what was examined, the command that makes it."""

    title: str
    subtitle: str = ""
    command: str = ""


def make_page(
    findings: Findings, wording: Wording, limit: int | None = LIMIT, seed: int = 0
) -> str:
    """A page of at most `limit` bytes, if the part without examples is smaller."""
    most = UNLIMITED if limit is None else limit
    bare = _page(findings, wording, Examples("", Kept(*SIZES[0])), most)
    examples = fitted(findings.models, most - len(bare.encode()), seed)
    page = _page(findings, wording, examples, most)
    size = len(page.encode())
    if size <= most:
        return page
    warnings.warn(
        f"The page takes {size} bytes without any examples, more than {option('limit')} allows.",
        CalibrantWarning,
        stacklevel=3,  # points to the call of the verb
    )
    return _page(findings, wording, examples, UNLIMITED)  # does not say that it is smaller


def _page(findings: Findings, wording: Wording, examples: Examples, limit: int) -> str:
    style, script = _asset("page.css"), _asset("page.js")
    parts = [
        sections.verdict(findings),
        sections.numbers(findings),
        sections.curves(findings, examples.kept),
        sections.slices(findings),
        sections.comparison(findings),
        sections.details(findings),
        advice(findings, wording.command),
        sections.limits(examples.kept, limit if limit < UNLIMITED else None),
    ]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", wording.title),
        element("style", Markup(style)),
    )
    body = element(
        "body",
        sections.page_body(wording.title, wording.subtitle, *parts),
        element("script", Markup(examples.block), type_="application/json", id_="data"),
        element("script", Markup(script)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _policy(style: str, script: str) -> str:
    """Allow this style and this script, and nothing else."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return resources.files("calibrant.pages").joinpath(name).read_text(encoding="utf-8")
