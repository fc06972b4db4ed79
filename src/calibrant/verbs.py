"""The verbs: each composes the parts and does one thing."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal, overload

import numpy as np

from calibrant.calibration.analyses.classes import ClassScores, collect
from calibrant.calibration.analyses.compared import Comparison
from calibrant.calibration.analyses.comparison import compare_models
from calibrant.calibration.analyses.decomposed import Decomposition
from calibrant.calibration.analyses.decomposition import decompose_loss
from calibrant.calibration.analyses.described import Description
from calibrant.calibration.analyses.description import describe_pairs
from calibrant.calibration.curves import AdaptiveBins, Curve, Estimator
from calibrant.calibration.gaps.evidence import refuse_one_group
from calibrant.calibration.hypotheses import Hypothesis, Joint
from calibrant.calibration.intervals import Bootstrap, Interval
from calibrant.calibration.numbers import PIT
from calibrant.calibration.scores import Brier, CalibrationError, CalibScore, MeanLoss, Score
from calibrant.checks import arrays
from calibrant.checks.arrays import Label
from calibrant.checks.parameters import check_level
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.questions import same_questions
from calibrant.pairs.shares import warn_of_shares
from calibrant.results.estimate import Estimate, Estimates, signature
from calibrant.results.naming import parse
from calibrant.results.verdict import Verdict
from calibrant.structures.coreference.links import Links
from calibrant.structures.labels.labels import Labels
from calibrant.structures.labels.queries import LabelIs
from calibrant.structures.query import Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.trees.tree import Tree

DEFAULT = Bootstrap()


def read(
    source: object,
    *,
    y: str | None = None,
    q: str | None = None,
    yes: str | None = None,
    draws: str | int | None = None,
    weight: str | Literal[False] | None = None,
    group: str | Literal[False] | None = None,
    format: str | None = None,
) -> Pairs:
    """Read pairs from a file or a data frame.

    Parameters
    ----------
    source
        A path (CSV, TSV, JSON lines or Parquet, plain or gzipped; `-` is standard input), or a
        frame of pandas, polars, pyarrow, DuckDB, Dask or Spark.
    y, q, weight, group
        The names of the columns. Where left out, common names are tried (gold, label, prob,
        confidence, sentence, doc_id, ...); `group=False` and `weight=False` ask for none.
    yes, draws
        Instead of q, where predictions are shares of draws: the column that counts how many said
        yes, and the column (or the number) of all. See `Pairs.from_draws`.
    format
        "csv", "tsv", "jsonl" or "parquet", where the name of the file does not tell.

    Examples
    --------
    >>> import calibrant as cb, polars
    >>> frame = polars.DataFrame({"gold": [0, 1, 1], "prob": [0.2, 0.7, 0.9], "sent": [1, 1, 2]})
    >>> cb.read(frame)
    Pairs(3 pairs in 2 groups: 66.7 % positive, mean q 0.6)
    """
    from calibrant.tables import pairs_from_file, pairs_from_frame

    given = {"y": y, "q": q, "yes": yes, "draws": draws, "weight": weight, "group": group}
    if isinstance(source, str | PathLike):
        return pairs_from_file(fspath(source), given, format)
    return pairs_from_frame(source, given)


def ask(
    posterior: Labels | Chain | Tree | Links,
    gold: object,
    query: Query | str,
    *,
    group: object = None,
) -> Pairs:
    """Ask yes/no questions about a posterior, and look up the answers.

    Parameters
    ----------
    posterior
        What a model believes: `Labels`, the `Chain` of a tagger, the `Tree` of a parser, or the
        `Links` of mentions.
    gold
        The true label of every item: names of classes, or numbers of columns where the classes
        have no names. For a chain the tags of every sentence, as a corpus or as lists; for
        a tree the `Parse` of every sentence, as a treebank or as a list; for links the entity of
        every mention of each document, as documents or as lists.
    query
        The questions, or their printed form: `LabelIs("NN")`, `TopLabel()`, `EveryLabel()`; of
        chains `TagIs("NN")`, `TagPair("DT", "NN")`, `EveryTag()`, `HasSpan("PER")` or `Holds`; of
        trees `HasConstituent("NP")` or `Holds`; of links `SameEntity()`, `NewEntity()`,
        `Singleton()` or `Holds`.
    group
        The sentence or document of every item. `EveryLabel` takes each item for a group where
        none are given; the other queries of labels then have no groups. Of a chain or tree each
        sentence has one; where none are given they are documents, if the corpus has them, or
        sentences.

    Examples
    --------
    >>> import calibrant as cb
    >>> posterior = cb.Labels([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], classes=["noun", "verb", "other"])
    >>> cb.ask(posterior, ["noun", "verb"], cb.TopLabel())
    Pairs(2 pairs: 50 % positive, mean q 0.65)
    >>> cb.ask(posterior, ["noun", "verb"], "EveryLabel")
    Pairs(6 pairs in 2 groups: 33.3 % positive, mean q 0.333)
    """
    _check_posterior(posterior)
    chosen = parse(query, "query") if isinstance(query, str) else query
    if not isinstance(chosen, Query):
        raise ParameterError(f"A query was expected, such as TopLabel(), not {query!r}.")
    chosen.check_about(type(posterior))
    return chosen.pairs(posterior, gold, group)


def _check_posterior(posterior: object) -> None:
    if not isinstance(posterior, Labels | Chain | Tree | Links):
        raise InputError(
            f"A posterior was expected, not {type(posterior).__name__}: pass Labels(probabilities)."
        )


@overload
def score(  # type: ignore[overload-overlap]  # a str is one score, not an iterable of them
    pairs: Pairs,
    scores: Score | str | None = None,
    *,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
) -> Estimate: ...
@overload
def score(
    pairs: Pairs,
    scores: Iterable[Score | str],
    *,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
) -> Estimates: ...
def score(
    pairs: Pairs,
    scores: Score | str | Iterable[Score | str] | None = None,
    *,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
) -> Estimate | Estimates:
    """Score pairs: `CalibScore()` unless another score, or several, are given.

    Parameters
    ----------
    pairs
        The observations and predictions.
    scores
        A score, its printed form, or several of them (the result is then a table).
    interval
        `Bootstrap()` by default, or another interval or its printed form; `None` asks for the
        bare value.
    level
        The level of the interval.

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.calibrated(2000, seed=1)
    >>> print(cb.score(pairs))
    CalibScore 0.000 [0.000, 0.042]
    >>> print(cb.score(pairs, "Brier", interval=None))
    Brier 0.083
    """
    _check_pairs(pairs)
    warn_of_shares(pairs)
    check_level(level)
    interval = _interval(interval)
    if scores is None:
        return _estimate(pairs, CalibScore(), interval, level)
    if isinstance(scores, str | Score):
        return _estimate(pairs, _score(scores), interval, level)
    if isinstance(scores, type) and issubclass(scores, Score):
        raise ParameterError(f"Pass a score, such as {scores.__name__}(), not its class.")
    if not isinstance(scores, Iterable):
        raise ParameterError(f"A score was expected, such as CalibScore(size=400), not {scores!r}.")
    chosen = [_score(each) for each in scores]  # all are known before the first is computed
    return Estimates(_estimate(pairs, each, interval, level) for each in chosen)


def _interval(given: Interval | str | None) -> Interval | None:
    chosen: Any = given
    if isinstance(given, str):
        chosen = None if given == "none" else parse(given, "interval")
    if chosen is not None and not isinstance(chosen, Interval):
        raise ParameterError(
            f"interval must be Bootstrap(), NormalSampling() or None, not {given!r}."
        )
    return chosen


def _score(given: Score | str) -> Score:
    if isinstance(given, str):
        given = parse(given, "score")
    if not isinstance(given, Score):
        raise ParameterError(f"A score was expected, such as CalibScore(size=400), not {given!r}.")
    return given


def _check_pairs(pairs: object) -> None:
    if isinstance(pairs, PIT):
        raise InputError("A PIT has methods of its own: pit.score(), pit.curve(), pit.test().")
    if not isinstance(pairs, Pairs):
        raise InputError(f"Pairs were expected, not {type(pairs).__name__}: pass Pairs(y, q).")


def _estimate(pairs: Pairs, score: Score, interval: Interval | None, level: float) -> Estimate:
    pairs = score.within(pairs)
    evidence = score.evidence(pairs)
    value = score.value(evidence)
    low = high = None
    if interval is not None:
        low, high = interval.around(value, score, evidence, level)
    how = () if interval is None else (interval.spelled(), f"level={level:g}")
    return Estimate(
        score=repr(score),
        value=value,
        low=low,
        high=high,
        level=level,
        n=pairs.n,
        groups=pairs.groups,
        plugin=score.plugin(evidence),
        too_small=evidence.too_small if isinstance(score, CalibrationError) else 0,
        signature=signature(repr(score), pairs, *how),
    )


def score_classes(
    posterior: Labels,
    gold: object,
    score: Score | str | None = None,
    *,
    group: object = None,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
) -> ClassScores:
    """Score every class of a posterior, the worst first, and all of them together.

    Parameters
    ----------
    posterior
        What a model believes about the label of each item.
    gold
        The true labels.
    score
        `CalibScore()` unless given. Together, calibration errors are averaged over classes
        (`CalibScore` as the root of the mean square, `MCE` as the largest).
    group
        The sentence or document of every item.
    interval
        `Bootstrap()` by default; `None` asks for bare values.
    level
        The level of the intervals: of each on its own, not of all at once.

    Examples
    --------
    >>> import calibrant as cb
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.dirichlet([1, 1, 1], 1000)
    >>> gold = [rng.choice(["a", "b", "c"], p=row) for row in matrix]
    >>> print(cb.score_classes(cb.Labels(matrix, ["a", "b", "c"]), gold))
    class             value   95 % interval  plug-in  frequency  mean q
    c                 0.031  [0.000, 0.073]    0.079     0.3490  0.3393
    b                 0.029  [0.000, 0.073]    0.079     0.3360  0.3401
    a                 0.000  [0.000, 0.063]    0.066     0.3150  0.3206
    root mean square  0.018  [0.000, 0.050]    0.075
    """
    _check_posterior(posterior)
    if isinstance(posterior, Links | Tree):
        what = "mentions" if isinstance(posterior, Links) else "trees"
        raise InputError(f"score_classes takes Labels: {what} have no classes.")
    if isinstance(posterior, Chain):
        raise InputError(
            "score_classes takes Labels: pass posterior.labels(), and the tags of all words."
        )
    check_level(level)
    how = _interval(interval)
    chosen = CalibScore() if score is None else _score(score)
    pairs: dict[Label, Pairs] = {
        label: ask(posterior, gold, LabelIs(label), group=group) for label in posterior.names
    }
    asked = {label: each for label, each in pairs.items() if chosen.reaches(each)}
    if not asked:
        chosen.within(pairs[posterior.names[0]])  # which says what is wrong
    units = np.arange(len(posterior)) if group is None else arrays.labels(group, "group")
    estimates = {label: _estimate(each, chosen, how, level) for label, each in asked.items()}
    return collect(pairs, estimates, chosen, units, how, level)


def curve(
    pairs: Pairs,
    estimator: Estimator | str | None = None,
    *,
    level: float = 0.95,
    band: str | None = None,
) -> Curve:
    """Estimate how often y = 1 for each prediction, by `AdaptiveBins()` unless told otherwise.

    Parameters
    ----------
    pairs
        The observations and predictions.
    estimator
        `AdaptiveBins`, `UniformBins`, `LocalLikelihood`, `Kernel`, `Isotonic`, or a printed form.
    level
        The level of the band.
    band
        For bins "wilson" (the default) or "wald" (the thesis's); for smooth curves "bootstrap",
        of whole groups where there are any; for `Isotonic` "confidence" or "consistency".

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.curve(cb.Pairs([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9])))
    q           p  n      se     low    high
    0.1500  0.0000  2  0.0000  0.0000  0.6576
    0.8000  1.0000  2  0.0000  0.3424  1.0000
    """
    _check_pairs(pairs)
    warn_of_shares(pairs)
    return _estimator(estimator).fit(pairs, level=level, band=band)


def _estimator(given: Estimator | str | None) -> Estimator:
    if isinstance(given, str):
        given = parse(given, "curve")
    chosen: Any = AdaptiveBins() if given is None else given
    if not isinstance(chosen, Estimator):
        raise ParameterError(
            f"A curve was expected, such as AdaptiveBins(size=400), not {given!r}."
        )
    return chosen


def decompose(
    pairs: Pairs,
    rule: MeanLoss | str | None = None,
    curve: Estimator | str | None = None,
    *,
    interval: Bootstrap | str | None = DEFAULT,
    level: float = 0.95,
) -> Decomposition:
    """Say where a mean loss comes from: calibration and refinement, and MCB − DSC + UNC.

    Parameters
    ----------
    pairs
        The observations and predictions.
    rule
        A proper rule: `Brier()` unless given; `LogLoss`, `Spherical`, or a `Rule` of your own.
    curve
        The estimate of the frequencies: `AdaptiveBins()` unless given.
    interval
        `Bootstrap`, or None for bare plug-in values.
    level
        The level of the intervals.

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)
    >>> print(cb.decompose(pairs))
    term            value   95 % interval  plug-in     n
    Brier           0.160  [0.149, 0.172]           2000
    calibration     0.013  [0.008, 0.018]    0.016  2000
    refinement      0.147  [0.138, 0.157]    0.144  2000
    within bins  0.000085                           2000
    residual     -0.00019                           2000
    MCB             0.014  [0.011, 0.018]           2000
    DSC             0.074  [0.065, 0.084]           2000
    UNC             0.220  [0.213, 0.227]           2000
    """
    _check_pairs(pairs)
    warn_of_shares(pairs)
    check_level(level)
    chosen = Brier() if rule is None else _score(rule)
    if not isinstance(chosen, MeanLoss):
        raise ParameterError(f"{chosen!r} is no proper scoring rule: take Brier, LogLoss, ...")
    if isinstance(interval, str):
        interval = parse(interval, "interval")
    if interval is not None and not isinstance(interval, Bootstrap):
        raise ParameterError(f"A decomposition has intervals by Bootstrap, not by {interval!r}.")
    if interval is not None:
        refuse_one_group(pairs.groups, "leave the group out, or ask for interval=None")
    return decompose_loss(chosen.within(pairs), chosen, _estimator(curve), level, interval)


def describe(pairs: Pairs, *, level: float = 0.95) -> Description:
    """Describe pairs before any curve: base rate, discrimination, and which way they lean.

    Parameters
    ----------
    pairs
        The observations and predictions.
    level
        The level of the intervals, which respect groups.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.describe(cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)))
                           value     95 % interval     n
    frequency of y = 1     0.327    [0.307, 0.348]  2000
    mean q                 0.291    [0.276, 0.307]  2000
    mean q − frequency    -0.036  [-0.053, -0.018]  2000
    AUC                    0.825    [0.804, 0.844]  2000
    Cox intercept         -0.114  [-0.225, -0.004]  2000
    Cox slope              0.323    [0.275, 0.371]  2000
    intercept at slope 1   0.426    [0.221, 0.632]  2000
    Overall, y = 1 is under-forecast, by 0.036; predictions are too extreme
    (slope 0.323, below 1).
    """
    _check_pairs(pairs)
    warn_of_shares(pairs)
    return describe_pairs(pairs, check_level(level))


def compare(
    a: Pairs | Mapping[str, Pairs],
    b: Pairs | Score | str | None = None,
    score: Score | str | None = None,
    *,
    key: Sequence[Any] | None = None,
    interval: Bootstrap = DEFAULT,
    level: float = 0.95,
) -> Comparison:
    """Ask which of two or more models is better, on the same questions.

    Parameters
    ----------
    a, b
        The pairs of two models; or, as `a` alone, a mapping from names to the pairs of any
        number of models (a score may then come second). All must have the same `y` and groups,
        row by row.
    score
        What to compare by: `CalibScore()` unless given.
    key
        One array of keys per model, where their rows are in different orders: rows with the
        same key are the same question.
    interval
        `Bootstrap`: its replicates draw the same groups (or questions) for all models.
    level
        The level of the intervals.

    Examples
    --------
    >>> import calibrant as cb
    >>> good = cb.synthetic.sample(2000, a=1, b=1, seed=1)
    >>> bad = cb.Pairs(good.y, good.q**2)
    >>> found = cb.compare({"good": good, "bad": bad})
    >>> print(found.sentence)
    good is better than bad.
    """
    if isinstance(a, Mapping) and b is not None:
        if score is not None or isinstance(b, Pairs):
            raise ParameterError("Give all models in one mapping, and one score.")
        b, score = None, b
    if not isinstance(interval, Bootstrap):
        raise ParameterError(f"Models are compared by Bootstrap, not by {interval!r}.")
    models = same_questions(a if isinstance(a, Mapping) else {"a": a, "b": b}, key)
    for pairs in models.values():
        warn_of_shares(pairs)
    chosen = CalibScore() if score is None else _score(score)
    estimates = {name: _estimate(pairs, chosen, interval, check_level(level))
                 for name, pairs in models.items()}  # fmt: skip
    return compare_models(models, chosen, level, interval, estimates)


def test(pairs: Pairs, hypothesis: Hypothesis | str | None = None) -> Verdict:
    """Ask whether a calibrated model could have produced these pairs.

    Parameters
    ----------
    pairs
        The observations and predictions. Where they have groups, those are respected.
    hypothesis
        The test: `Joint()` unless given; `Cumulative`, `Cox`, `Spiegelhalter`,
        `HosmerLemeshow`, `Consistency(score)`, or a printed form.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.test(cb.synthetic.calibrated(2000, seed=1)))
    Joint: p = 1.000. No evidence of miscalibration: a calibrated model would look this wrong in
    100 % of samples.
    """
    _check_pairs(pairs)
    warn_of_shares(pairs)
    if isinstance(hypothesis, str):
        hypothesis = parse(hypothesis, "test")
    chosen: Any = Joint() if hypothesis is None else hypothesis
    if not isinstance(chosen, Hypothesis):
        raise ParameterError(f"A test was expected, such as Cumulative(), not {hypothesis!r}.")
    return chosen(pairs)


test.__test__ = False  # type: ignore[attr-defined]  # pytest must not take it for one of its own
