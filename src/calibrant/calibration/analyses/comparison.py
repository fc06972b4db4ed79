"""Which of several models is better, on the same questions.

Every replicate draws the same groups (or questions) for all models, so that what makes a test set
easy or hard for all of them cancels in their differences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.evidence import Clusters, Gaps, refuse_one_group
from calibrant.calibration.gaps.norms import Quadratic
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.scores import CalibrationError, MeanLoss, Score, Unbinned
from calibrant.checks.arrays import sum_by
from calibrant.errors import InputError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature
from calibrant.results.tabular import html_table, render_table

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """Scores of several models on the same questions, and which differences are no chance.

    Attributes
    ----------
    scores
        The estimate of each model, by name, the best first.
    differences
        For each pair of names (a, b), in that order: the score of a minus that of b, with its
        interval.
    p_values
        For each pair of names: how often so large a difference would be chance. Of several
        pairs, adjusted by Holm's method.
    """

    scores: Mapping[str, Estimate]
    differences: Mapping[tuple[str, str], Estimate]
    p_values: Mapping[tuple[str, str], float]

    @property
    def difference(self) -> Estimate:
        """The difference, where there are two models."""
        return self.differences[self._only()]

    @property
    def p_value(self) -> float:
        """The p-value, where there are two models."""
        if not self.p_values:
            raise InputError(
                "Without an interval there are no p-values: ask for interval='Bootstrap'."
            )
        return self.p_values[self._only()]

    def _only(self) -> tuple[str, str]:
        if len(self.differences) != 1:
            raise InputError("There are several pairs of models: look at differences, p_values.")
        return next(iter(self.differences))

    def worse(self, name: str, level: float = 0.05) -> list[str]:
        """The models that the data show to be worse than this one."""
        return [b for (a, b), p in self.p_values.items() if a == name and p < level]

    @property
    def sentence(self) -> str:
        """The ordering that the data support, in one sentence."""
        if not self.p_values:
            return "Without an interval, differences are not tested."
        parts = [f"{a} is better than {', '.join(self.worse(a))}" for a in self.scores
                 if self.worse(a)]  # fmt: skip
        return ("; ".join(parts) if parts else "No difference is more than chance") + "."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text: the models, the best first."""
        level = next(iter(self.scores.values())).level
        rows = [
            [name, e.text("value"), e.interval, ", ".join(self.worse(name))]
            for name, e in self.scores.items()
        ]
        return ["model", "value", f"{100 * level:g} % interval", "better than"], rows

    def pairs_table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text: the differences."""
        rows = [
            [f"{a} − {b}", e.text("value"), e.interval, self._p_text(a, b)]
            for (a, b), e in self.differences.items()
        ]
        level = next(iter(self.differences.values())).level
        return ["difference", "value", f"{100 * level:g} % interval", "p"], rows

    def _p_text(self, a: str, b: str) -> str:
        return f"{self.p_values[a, b]:.3g}" if self.p_values else ""

    def render(self, format: str = "text") -> str:
        """Both tables as "text", "md", "latex" or "csv"."""
        both = (render_table(format, *self.table()), render_table(format, *self.pairs_table()))
        return "\n\n".join(both)

    def __str__(self) -> str:
        return f"{self.render()}\n\n{self.sentence}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(*self.table(), note=self.sentence) + html_table(*self.pairs_table())

    @property
    def signature(self) -> str:
        """What reproduces the comparison, in one line."""
        return next(iter(self.differences.values())).signature

    def to_frame(self) -> "polars.DataFrame":
        """One row per model and per difference."""
        import polars

        records = [each | {"p_value": each.get("p_value")} for each in self.to_dicts()]
        return polars.DataFrame(records, infer_schema_length=None)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One record per model and per difference."""
        models = [{"model": name} | e.to_dict() for name, e in self.scores.items()]
        return models + [
            {"model": f"{a} − {b}"} | e.to_dict() | {"p_value": self.p_values.get((a, b))}
            for (a, b), e in self.differences.items()
        ]


class Drawn(NamedTuple):
    """How the score of each replicate differs from that of the data."""

    value: float  # of the data, before any root
    linear: Float
    squares: Float  # the part that is noise times noise, in squared scores

    def minus(self, other: "Drawn") -> "Drawn":
        """The same for the difference of two scores."""
        return Drawn(
            self.value - other.value, self.linear - other.linear, self.squares - other.squares
        )


def compare_models(
    models: Mapping[str, Pairs],
    score: Score,
    level: float,
    interval: Bootstrap | None,
    estimates: Mapping[str, Estimate],
) -> Comparison:
    """Compare every two models, of the same questions, by replicates that they share."""
    if score.above is not None or score.below is not None:
        raise UnsupportedError(
            "Models put different questions into a range of q, so they cannot be compared there: "
            "leave above and below out."
        )
    for name, estimate in estimates.items():
        if not np.isfinite(estimate.value):
            raise UnsupportedError(f"{estimate.score} of {name} is infinite: nothing compares.")
    names = sorted(models, key=lambda name: estimates[name].value)
    scores = {name: estimates[name] for name in names}
    if interval is None:
        return Comparison(scores, _bare_differences(scores, repr(score), models), {})
    refuse_one_group(next(iter(models.values())).groups)
    drawn = {
        name: shared_replicates(score, pairs, interval.replicates, interval.seed)
        for name, pairs in models.items()
    }
    differences, p_values = {}, {}
    for a, b in combinations(names, 2):
        signed = signature(repr(score), models[a], interval.spelled(), f"level={level:g}")
        differences[a, b], p_values[a, b] = _difference(
            f"{a} − {b}", scores[a], scores[b], (drawn[a], drawn[b]), signed
        )
    return Comparison(scores, differences, _holm(p_values))


def _bare_differences(
    scores: Mapping[str, Estimate], score: str, models: Mapping[str, Pairs]
) -> dict[tuple[str, str], Estimate]:
    """The differences without intervals, each made from the estimate of its first model."""
    return {
        (a, b): replace(
            scores[a],
            score=f"{a} − {b}",
            value=scores[a].value - scores[b].value,
            plugin=None,
            too_small=0,
            signature=signature(score, models[a]),
        )
        for a, b in combinations(scores, 2)
    }


def _difference(
    name: str, a: Estimate, b: Estimate, drawn: tuple[Drawn, Drawn], signature: str
) -> tuple[Estimate, float]:
    """The difference of two scores: its interval, and how often so large a one is chance.

    Intervals of calibration errors are lopsided near 0, where replicates of a difference would
    be off centre. So the interval is made from those of the parts (Zou and Donner, 2008), and
    where one may be 0 their arms are added up. The p-value is of the difference of the sums over
    bins, before any root: there the noise that models share cancels, so it is the sharper of
    the two.
    """
    from scipy.special import ndtr

    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    value = a.value - b.value
    one, other = drawn
    correlation = -1.0 if min(a.low, b.low) <= 0 else _correlation(one, other)
    low = value - _arm(a.value - a.low, b.high - b.value, correlation)
    high = value + _arm(a.high - a.value, b.value - b.low, correlation)
    spread = _covariance(*[one.minus(other)] * 2)
    z = abs(one.value - other.value) / np.sqrt(spread) if spread > 0 else np.inf
    p_value = float(2 * ndtr(-z)) if one.value != other.value else 1.0
    return Estimate(name, value, low, high, a.level, a.n, a.groups, None, 0, signature), p_value


def _arm(one: float, other: float, correlation: float) -> float:
    return float(np.sqrt(max(one**2 + other**2 - 2 * correlation * one * other, 0.0)))


def _covariance(a: Drawn, b: Drawn) -> float:
    """How two scores vary together over test sets.

    The observed gaps are the true ones plus noise, so their products with new noise vary more
    than they should: by twice what the squares of the noise do, which is taken off.
    """
    linear = float(np.cov(a.linear, b.linear)[0, 1])
    squares = float(np.cov(a.squares, b.squares)[0, 1])
    found = linear - squares
    return max(found, squares) if a is b else found


def _correlation(a: Drawn, b: Drawn) -> float:
    spread = _covariance(a, a) * _covariance(b, b)
    return float(np.clip(_covariance(a, b) / np.sqrt(spread), -1.0, 1.0)) if spread > 0 else 0.0


def _holm(p_values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Adjusted for looking at several pairs."""
    adjusted, least = {}, 0.0
    for rank, (pair, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(p_values) - rank)))
        adjusted[pair] = least
    return {pair: adjusted[pair] for pair in p_values}


def shared_replicates(score: Score, pairs: Pairs, replicates: int, seed: int) -> Drawn:
    """The score in samples of groups, or of rows, that every model is given alike."""
    if pairs.moments is not None:
        raise UnsupportedError("Compressed pairs cannot be compared row by row: pass the pairs.")
    units = pairs if pairs.group is not None else pairs.with_group(np.arange(len(pairs)))
    evidence = score.evidence(units)
    if isinstance(score, CalibrationError | Unbinned):
        return _of_gaps(score, evidence, score.evidence(pairs), replicates, seed)
    if isinstance(score, MeanLoss):
        means = _of_losses(score, units, replicates, seed)
        return Drawn(score(pairs), means, np.zeros(replicates))
    raise UnsupportedError(f"{score!r} cannot be compared.")


def _of_losses(score: MeanLoss, pairs: Pairs, replicates: int, seed: int) -> Float:
    from calibrant.kernels.calibration.groups import resample_means

    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    assert pairs.codes is not None
    total = sum_by(pairs.codes, score.row_losses(pairs) * weight)
    return resample_means(total, sum_by(pairs.codes, weight), replicates, seed)


def _of_gaps(
    score: CalibrationError | Unbinned, gaps: Gaps, plain: Gaps, replicates: int, seed: int
) -> Drawn:
    """The sum over bins, before any root; `plain` are the gaps of pairs that are not grouped."""
    from calibrant.kernels.calibration.groups import resample

    bins = gaps.bins if gaps.coarse is None else gaps.coarse
    assert gaps.clusters is not None
    clusters = _by_code(gaps.clusters)
    part = clusters.residual if gaps.smoother is not None else clusters.residual / bins.n[
        clusters.column
    ]  # fmt: skip
    none = np.zeros((clusters.groups, 0))
    noise, _ = resample(clusters.start, clusters.column, part, none, bins.n.size, replicates, seed)
    noise -= sum_by(clusters.column, part, bins.n.size)
    share = bins.n / bins.n.sum()
    gap = bins.q - bins.p
    if gaps.smoother is not None:
        noise = noise @ gaps.smoother.T
    norm = score.norm.at(bins.q, gap, share)
    if isinstance(score, Unbinned):
        plain = replace(plain, bins=bins, coarse=None)
    value = plain.total(norm)
    if isinstance(norm, Quadratic) and not gaps.isotonic:
        return Drawn(value, noise @ norm.slope(gap, share), norm.plain(noise, share))
    moved = gap + noise
    if gaps.isotonic:
        from calibrant.kernels.calibration.pav import fit_rows

        moved = bins.q - moved
        fit_rows(moved, bins.n)
        moved = bins.q - moved
    return Drawn(value, norm.plain(moved, share), np.zeros(replicates))


def _by_code(clusters: Clusters) -> Clusters:
    """The same groups in the order of their codes, which all models share."""
    size = np.diff(clusters.start)
    place = np.argsort(clusters.order)
    start = np.concatenate([[0], np.cumsum(size[place])])
    rows = np.repeat(clusters.start[:-1][place] - start[:-1], size[place]) + np.arange(start[-1])
    return Clusters(
        start, clusters.column[rows], clusters.weight[rows], clusters.residual[rows],
        clusters.n, clusters.present, clusters.order[place],
    )  # fmt: skip
