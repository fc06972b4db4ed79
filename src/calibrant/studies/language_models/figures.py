"""The figures of the study of language models."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.curves import AdaptiveBins, Curve
from calibrant.pairs import Pairs
from calibrant.plots import Sweep, plot_dot_panels, plot_panels, plot_sweep_panels
from calibrant.structures.evals.evals import Evals
from calibrant.studies.language_models import chains, stated
from calibrant.studies.language_models.chain_tables import ChainsRow
from calibrant.studies.language_models.judged import LEVEL
from calibrant.studies.sections import Drawn, Section

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXCESS = "confidence − accuracy"
KINDS = tuple(stated.KINDS.values())
FEW = AdaptiveBins(count=15)  # few enough to be told apart in a small panel
BINS = {"stated": AdaptiveBins(), "perplexity": FEW}  # stated ones take few values already


def draw_stated(evals: Mapping[str, Evals]) -> Drawn:
    """Both kinds of confidence of each model, a panel per model."""
    panels = {
        model: {name: _curve(each.pairs(kind), BINS[kind]) for kind, name in stated.KINDS.items()}
        for model, each in evals.items()
    }
    words = "MMLU-Pro: how often answers are right, against stated and token confidence"
    return Drawn("stated", words, _panels(panels, columns=4))


def draw_subjects(subjects: Section[stated.SubjectRow]) -> Drawn:
    """Confidence minus accuracy in each subject, the most overconfident first."""
    excess = {(row.model, row.kind, row.subject): row.judged.excess for row in subjects.rows}
    models = dict.fromkeys(row.model for row in subjects.rows)
    names = sorted(
        {row.subject for row in subjects.rows},
        key=lambda each: -sum(excess[model, KINDS[0], each].value for model in models),
    )
    panels = {
        model: {kind: [excess[model, kind, each] for each in names] for kind in KINDS}
        for model in models
    }
    words = "MMLU-Pro: confidence minus accuracy in each subject, with 95 % intervals"
    return Drawn("subjects", words, plot_dot_panels(names, panels, EXCESS, columns=4)[0])


def draw_chains(evals: Mapping[str, Evals]) -> Drawn:
    """The probability of the option and agreement, a panel per model."""
    panels = {
        model: {
            "option": _curve(chains.option(each).pairs),
            "agreement": _curve(chains.agreement(each).pairs),
        }
        for model, each in evals.items()
    }
    words = "MedQA: how often answers are right, against option probability and agreement"
    return Drawn("chains", words, _panels(panels, columns=3))


def draw_numbers(by_number: Section[ChainsRow]) -> Drawn:
    """Confidence minus accuracy against the number of chains, a panel per model."""
    panels: dict[str, dict[str, Sweep]] = {}
    for model in dict.fromkeys(row.model for row in by_number.rows):
        mine = [row for row in by_number.rows if row.model == model]
        panels[model] = {
            kind: _sweep([row for row in mine if row.kind == kind]) for kind in chains.KINDS
        }
    words = (
        "MedQA: confidence minus accuracy against the number of chains. The naive majority share "
        "is too high, most of all if chains are few; agreement hardly depends on their number."
    )
    panel, *_ = plot_sweep_panels(panels, "chains", EXCESS, columns=3)
    return Drawn("chains-by-number", words, panel)


def _sweep(rows: list[ChainsRow]) -> Sweep:
    found = [row.judged.excess for row in rows]
    value, low, high = (
        np.array([getattr(each, name) for each in found], float)
        for name in ("value", "low", "high")
    )
    return Sweep(np.array([row.chains for row in rows], float), value, low, high)


def _panels(panels: Mapping[str, Curve | Mapping[str, Curve]], columns: int) -> "Axes":
    """A panel per model, with axes in the words of language models."""
    axes = plot_panels(panels, columns)
    for ax in axes:
        ax.set_xlabel("confidence" if ax.get_xlabel() else "")
        ax.set_ylabel("share of right answers" if ax.get_ylabel() else "")
    return axes[0]


def _curve(pairs: Pairs, bins: AdaptiveBins = FEW) -> Curve:
    return bins.fit(pairs, LEVEL, None, 0)
