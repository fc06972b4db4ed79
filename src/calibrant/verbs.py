"""The verbs of the library: its main functions.

`read` and `ask` make pairs; `score`, `score_classes`, `curve`, `describe`, `decompose`, `test`,
`compare` and `slices` answer questions about them; `recalibrate` mends predictions; `count` says
how many; `plot` draws the answers, and `report` makes a page of them.

All verbs follow the same rules. Where pairs are expected, you can also pass a data frame or the
path of a file, which `read` reads. `interval` is an object or its printed form; None and "none"
return the value alone. `level` is the confidence level of every interval. `seed` replaces the seed
of the interval or test, and has no effect if nothing is resampled.
"""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from calibrant.bridges.eval_scores import EvalScorer
from calibrant.calibration.analyses.classes import ClassScores, collect
from calibrant.calibration.analyses.comparing import compare_pairs
from calibrant.calibration.analyses.comparison import Comparison
from calibrant.calibration.analyses.decomposing import decompose_loss
from calibrant.calibration.analyses.decomposition import Decomposition
from calibrant.calibration.analyses.describing import describe_pairs
from calibrant.calibration.analyses.description import Description
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.curves import AdaptiveBins, Curve, Estimator
from calibrant.calibration.hypotheses import Hypothesis, Joint
from calibrant.calibration.intervals import Bootstrap, Interval
from calibrant.calibration.intervals.bootstrap import only_bootstrap
from calibrant.calibration.numbers import PIT
from calibrant.calibration.scores import Brier, CalibScore, MeanLoss, Score
from calibrant.calibration.slicing.slices import Slices
from calibrant.checks import arrays
from calibrant.checks.arrays import Label
from calibrant.checks.parameters import check_level, check_seed, whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.shares import warn_of_shares
from calibrant.pairs.summary_size import MOST_ROWS, check_folds
from calibrant.plots.classes import ClassCurves
from calibrant.plots.drawings import Options, draw
from calibrant.results.choices import (
    NORMAL,
    are_several,
    choose,
    choose_all,
    choose_interval,
    seeded,
    wants_normal,
)
from calibrant.results.estimate import Estimate, Estimates
from calibrant.results.eval_scores import EvalScores
from calibrant.results.verdict import Verdict, Verdicts
from calibrant.structures.coreference.links import Links
from calibrant.structures.evals.evals import Evals
from calibrant.structures.known_queries import parse_query
from calibrant.structures.labels.labels import Labels
from calibrant.structures.labels.queries import LabelIs
from calibrant.structures.query import Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.trees.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.bridges.eval_maps import EvalMaps
    from calibrant.bridges.recalibrating import Judging
    from calibrant.bridges.tempered import StructureRecalibrator
    from calibrant.calibration.counting.counts import Counts
    from calibrant.calibration.recalibration import Method
    from calibrant.calibration.recalibration.recalibrator import Recalibrator
    from calibrant.calibration.slicing.sliceable import Sliceable
    from calibrant.pages.report import Report

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
        data frame of pandas, polars, pyarrow, DuckDB, Dask or Spark, or a `Dataset` of Hugging
        Face.
    y, q
        The names of the columns. Without them, common names are tried (gold, label, prob,
        confidence, ...).
    yes
        Instead of q, if predictions are shares of draws: the column with the number of draws that
        said yes. See `Pairs.from_draws`.
    draws
        The column with the number of all draws, or that number itself.
    weight, group
        The names of the columns. Without them, common names are tried (weight, sentence, doc_id,
        ...); `weight=False` and `group=False` ignore such columns.
    format
        "csv", "tsv", "jsonl" or "parquet" (default: from the file name).

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


def scan(
    source: object,
    *,
    y: str | None = None,
    q: str | None = None,
    weight: str | Literal[False] | None = None,
    group: str | Literal[False] | None = None,
    folds: int | None = None,
    rows: int = MOST_ROWS,
    format: str | None = None,
    progress: bool = False,
) -> Pairs:
    """Summarise pairs that are too large for memory, where they are.

    All other verbs take the result. It is what `Pairs.compress` would make of the pairs: sums of
    each group over cells of predictions, which are finer towards 0 and 1. Files are read in
    batches; tables of other engines are summed there, and only the sums move.

    Parameters
    ----------
    source
        A path, a pattern such as `parts/*.parquet`, a folder, or a list of paths (Parquet and CSV
        are read in batches, other formats file by file); or a lazy frame of polars, or a table of
        DuckDB, Dask, Spark or Ibis.
    y, q
        The names of the columns, as in `read`.
    weight, group
        Likewise; `False` ignores such columns. Weights must be whole numbers.
    folds
        Fold the groups into this many sets, a power of two up to 4096 (default: 1024 sets if there
        are more than 1024 groups, else groups are kept as they are).
    rows
        The most rows of the result: with more, cells become coarser.
    format
        The format of all files: "csv", "tsv", "jsonl" or "parquet" (default: from their names).
    progress
        Whether to show a progress bar with rows per second.

    Examples
    --------
    >>> import calibrant as cb, polars
    >>> frame = polars.LazyFrame({"y": [0, 1, 1], "q": [0.2, 0.7, 0.7], "doc": [1, 1, 1]})
    >>> cb.scan(frame)
    Pairs(3 pairs on 2 rows in 1 group: 66.7 % positive, mean q 0.533)
    """
    from calibrant.tables.scanning import scan_source

    given = {"y": y, "q": q, "weight": weight, "group": group}
    folds, most = check_folds(folds), whole_number("rows", rows, 1)
    return scan_source(source, given, folds=folds, rows=most, format=format, progress=progress)


def read_evals(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    filter: str | None = None,
    metric: str | None = None,
    group: str | None = None,
    gold: str | PathLike[str] | None = None,
    unparsed: str = "aside",
    logprobs: str | None = None,
    progress: bool = False,
) -> Evals:
    """Read the attempts of language models from evaluation logs.

    The format of each file is recognised. Attempts that cannot be scored (unparsed answers, for
    instance) stay in the table with a reason. They count as wrong only if you ask for it.

    Parameters
    ----------
    path
        A log, a folder of logs of one format, or several of them.
    format
        "lm-eval" for samples of lm-evaluation-harness, "write-out" for files of its old versions
        (`TASK_write_out_info.json`), "inspect" for `.eval` and `.json` logs of
        Inspect, "helm" for runs of HELM (`per_instance_stats.json`), "every-eval" for samples of
        Every Eval Ever, "responses" for JSON lines of OpenAI-style servers, "table" for a table
        (CSV, TSV, JSON lines, Parquet) with a row for each attempt (default: recognised).
    columns
        For tables: the name of the column for a role, such as `{"stated": "conf"}`. Roles: model,
        task, question, group, epoch, answer, gold, correct, stated, token, sequence, perplexity;
        logliks for the log-likelihoods of all options in their order, or right and wrong for those
        of the correct options and of the others, with their texts in right_texts and wrong_texts.
        Usual names are recognised. "doc.id" is the key "id" of the object "doc". A list of answers
        is several attempts.
    filter, metric
        For lm-eval: which filter to read (default: the first). Which metric (or scorer, of
        Inspect) says whether an answer is right (default: acc, exact_match and the like, or the
        first scorer).
    group
        The field of a question that says which document or category it belongs to (default:
        category, subject, topic and the like).
    gold
        For responses: a table with the columns question and gold, and perhaps group.
    unparsed
        What to do with answers that could not be read: set them "aside" (default), or count them
        as "wrong".
    logprobs
        Whether the server logged probabilities of tokens before temperature and other settings of
        sampling ("raw") or after ("processed"). It changes no number, but signatures contain it.
    progress
        Whether to show a progress bar while several files are read.

    Examples
    --------
    >>> import calibrant as cb, polars, tempfile, pathlib
    >>> log = pathlib.Path(tempfile.mkdtemp(), "gpt.csv")
    >>> rows = {"gold": ["A", "B"], "answer": ["A", ""], "stated": ["90%", "80%"]}
    >>> polars.DataFrame(rows).write_csv(log)
    >>> evals = cb.read_evals(log)
    >>> evals
    Evals(2 attempts, models: 1, tasks: 1; stated)
    >>> evals.set_aside()
    {'unparsed': 1}
    """
    from calibrant.structures.evals.reading.recognise import Choices, read_logs

    table = None if gold is None else fspath(gold)
    choices = Choices(
        format=format,
        columns=columns or {},
        filter=filter,
        metric=metric,
        group=group,
        gold=table,
        unparsed=unparsed,
        logprobs=logprobs,
    )
    return read_logs(path, choices, progress)


def _pairs(given: object) -> Pairs:
    """Return the pairs given to a verb; warn if the predictions look like shares of draws."""
    pairs = _known(given)
    warn_of_shares(pairs)
    return pairs


def _known(given: object) -> Pairs:
    """Return pairs unchanged, or read them from a frame or a file."""
    if isinstance(given, PIT):
        raise InputError("A PIT has its own methods: pit.score(), pit.curve(), pit.test().")
    if not _readable(given):
        raise InputError(
            f"Pairs, a data frame or a path was expected, not {type(given).__name__}: pass "
            "Pairs(y, q)."
        )
    return given if isinstance(given, Pairs) else read(given)


def _readable(given: object) -> bool:
    from calibrant.tables import is_frame

    return isinstance(given, Pairs | str | PathLike) or is_frame(given)


def ask(
    posterior: Labels | Chain | Tree | Links,
    gold: object,
    query: Query | str,
    *,
    group: object = None,
) -> Pairs:
    """Ask a posterior yes/no questions and pair its answers with the gold.

    Parameters
    ----------
    posterior
        What a model believes: `Labels`, the `Chain` of a tagger, the `Tree` of a parser, or the
        `Links` of mentions.
    gold
        What is true. For labels, the class of every item (or the number of its column, if classes
        have no names). For a chain, the tags of every sentence, as a corpus or as lists. For a
        tree, the `Parse` of every sentence, as a treebank or as a list. For links, the entity of
        every mention of each document, as documents or as lists.
    query
        The questions, or their printed form. About labels: `LabelIs("NN")`, `EveryLabel()`. About
        chains: `TagIs("NN")`, `TagPair("DT", "NN")`, `EveryTag()`, `HasSpan("PER")`. About trees:
        `HasConstituent("NP")`. About links: `SameEntity()`, `NewEntity()`, `Singleton()`. About any
        structure: `Holds`. About the model's own answers: `TopLabel()`, `TopK(3)`;
        `PredictedTag()`, `PredictedSpan()`, `PredictedSequence()`; `PredictedConstituent()`;
        `PredictedLink()`.
    group
        The sentence or document of every item; for a chain or a tree, the document of every
        sentence. By default the groups of chains and trees are documents, if the corpus has
        them, or else sentences; `EveryLabel` makes each item a group; other queries of labels
        have no groups. Sentences that are only numbered stay apart when pairs are added: to pool
        several queries about the same sentences, pass `group=range(len(sentences))`.

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
    chosen: Query = choose(parse_query(query) if isinstance(query, str) else query, "query")
    chosen.check_about(type(posterior))
    return chosen.pairs(posterior, gold, group)


def _check_posterior(posterior: object) -> None:
    if not isinstance(posterior, Labels | Chain | Tree | Links):
        raise InputError(
            f"A posterior was expected, not {type(posterior).__name__}: pass Labels(probabilities)."
        )


@overload
def score(  # type: ignore[overload-overlap]  # a str is one score, not an iterable of them
    pairs: object,
    scores: Score | str | None = None,
    *,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> Estimate: ...
@overload
def score(
    pairs: object,
    scores: Iterable[Score | str],
    *,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> Estimates: ...
def score(
    pairs: object,
    scores: Score | str | Iterable[Score | str] | None = None,
    *,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> Estimate | Estimates:
    """Score pairs, with an interval.

    Parameters
    ----------
    pairs
        The observations and predictions: `Pairs`, a data frame or the path of a file.
    scores
        A score or its printed form (default: `CalibScore()`), or several of them, which give a
        table.
    interval
        An interval or its printed form (default: `Bootstrap()`); None returns the value alone.
    level
        The level of the interval.
    seed
        Replaces the seed of the interval.

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.calibrated(2000, seed=1)
    >>> print(cb.score(pairs))
    CalibScore 0.000 [0.000, 0.039]
    >>> print(cb.score(pairs, "Brier", interval=None))
    Brier 0.083
    """
    how: Interval | None = choose_interval(interval, check_seed(seed))
    level = check_level(level)
    if are_several(scores):
        chosen = choose_all(scores, "score")
        known = _pairs(pairs)
        return Estimates(estimate_score(known, each, how, level) for each in chosen)
    one: Score = choose(scores, "score", CalibScore())
    return estimate_score(_pairs(pairs), one, how, level)


def score_classes(
    posterior: Labels,
    gold: object,
    score: Score | str | None = None,
    *,
    group: object = None,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> ClassScores:
    """Score every class of a posterior, the worst first, and all of them together.

    Parameters
    ----------
    posterior
        What a model believes about the label of each item.
    gold
        The true labels.
    score
        A score or its printed form (default: `CalibScore()`). Over all classes, calibration errors
        are averaged (`CalibScore` as the root of the mean square, `MCE` as the largest).
    group
        The sentence or document of every item.
    interval
        An interval or its printed form (default: `Bootstrap()`); None returns the values alone.
    level
        The confidence level of each interval, not adjusted for multiple comparisons.
    seed
        Replaces the seed of the interval.

    Examples
    --------
    >>> import calibrant as cb
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.dirichlet([1, 1, 1], 1000)
    >>> gold = [rng.choice(["a", "b", "c"], p=row) for row in matrix]
    >>> print(cb.score_classes(cb.Labels(matrix, ["a", "b", "c"]), gold))
    class             value   95 % interval  plug-in  frequency  mean q
    c                 0.021  [0.000, 0.066]    0.068     0.3490  0.3393
    b                 0.019  [0.000, 0.064]    0.068     0.3360  0.3401
    a                 0.012  [0.000, 0.064]    0.064     0.3150  0.3206
    root mean square  0.018  [0.000, 0.048]    0.067
    """
    _check_labels(posterior)
    how: Interval | None = choose_interval(interval, check_seed(seed))
    level = check_level(level)
    chosen: Score = choose(score, "score", CalibScore())
    pairs: dict[Label, Pairs] = {
        label: ask(posterior, gold, LabelIs(label), group=group) for label in posterior.names
    }
    asked = {label: each for label, each in pairs.items() if chosen.reaches(each)}
    if not asked:
        chosen.within(pairs[posterior.names[0]])  # raises the right error
    units = np.arange(len(posterior)) if group is None else arrays.labels(group, "group")
    estimates = {label: estimate_score(each, chosen, how, level) for label, each in asked.items()}
    return collect(pairs, estimates, chosen, units, how, level)


def _check_labels(posterior: object) -> None:
    _check_posterior(posterior)
    if isinstance(posterior, Links | Tree):
        what = "mentions" if isinstance(posterior, Links) else "trees"
        raise InputError(f"score_classes takes Labels: {what} have no classes.")
    if isinstance(posterior, Chain):
        raise InputError(
            "score_classes takes Labels: pass posterior.labels(), and the tags of all words."
        )


def score_evals(
    evals: Evals | str | PathLike[str],
    score: Score | str | None = None,
    *,
    kind: str | Sequence[str] | None = None,
    against: str | None = None,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
    progress: bool = False,
) -> EvalScores:
    """Score every kind of confidence of every model and task.

    Parameters
    ----------
    evals
        Attempts from `read_evals`, or the path of a log.
    score
        The score (default: `CalibScore`).
    kind
        One or several kinds of confidence (default: all that the log holds).
    against
        A model. All other models are compared with it, on the questions that both answered.
    interval
        An interval or its printed form (default: `Bootstrap()`); None returns the values alone.
    level
        The level of the intervals.
    seed
        Replaces the seed of the interval.
    progress
        Whether to show a progress bar.
    """
    how: Interval | None = choose_interval(interval, check_seed(seed))
    level = check_level(level)
    one: Score = choose(score, "score", CalibScore())
    attempts = read_evals(evals) if isinstance(evals, str | PathLike) else evals
    wanted = None if kind is None else {kind} if isinstance(kind, str) else set(kind)
    return EvalScorer(one, how, level)(attempts, wanted, against, progress)


def recalibrate_evals(
    evals: Evals | str | PathLike[str],
    method: "Method | str" = "auto",
    *,
    kind: str | Sequence[str] | None = None,
    score: MeanLoss | str | None = None,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
    progress: bool = False,
) -> "EvalMaps":
    """Learn a map for every kind of confidence of every model and task, as `recalibrate` does.

    Maps of "choice" and "averaged" mend the probabilities of all options by a temperature, if one
    of them is right; "VectorScaling" also has a slope and an intercept for each place of an option,
    which helps only if the right option is at random places. Maps of "agreement" and "majority"
    turn the share of attempts that gave an answer into a probability. All others are maps of single
    probabilities.

    Parameters
    ----------
    evals
        Attempts from `read_evals`, or the path of a log.
    method
        A method or its printed form (default: "auto", which chooses one, or none).
    kind
        One or several kinds of confidence (default: all that the log holds).
    score
        The proper scoring rule to judge by (default: `Brier()`).
    interval
        A `Bootstrap` or its printed form (default: `Bootstrap()`); None returns the values alone,
        without a verdict.
    level
        The level of the intervals.
    seed
        Replaces the seed of the interval and of the folds.
    progress
        Whether to show a progress bar.
    """
    from calibrant.bridges.eval_maps import map_evals

    attempts = read_evals(evals) if isinstance(evals, str | PathLike) else evals
    wanted = None if kind is None else {kind} if isinstance(kind, str) else set(kind)
    return map_evals(attempts, wanted, method, _judging(score, interval, level, seed), progress)


def curve(
    pairs: object,
    estimator: Estimator | str | None = None,
    *,
    level: float = 0.95,
    band: str | None = None,
    seed: int | None = None,
) -> Curve:
    """Estimate how often y = 1 for each prediction.

    Parameters
    ----------
    pairs
        The observations and predictions: `Pairs`, a data frame or the path of a file.
    estimator
        A curve or its printed form (default: `AdaptiveBins()`): `UniformBins`,
        `LocalLikelihood`, `Kernel`, `Isotonic`.
    level
        The level of the band.
    band
        For bins "wilson" (the default) or "wald" (as in the thesis); for smooth curves "robust"
        (the default) or "bootstrap", which resamples whole groups if the pairs have groups; for
        `Isotonic` "confidence" (the default) or "consistency".
    seed
        The seed of the bands "bootstrap" and "consistency" (default: 0). It has no effect on other
        bands, including all defaults, because they are not resampled.

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.Pairs([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9])
    >>> print(cb.curve(pairs, "AdaptiveBins(size=2)"))
    q           p  n      se     low    high
    0.1500  0.0000  2  0.0000  0.0000  0.6576
    0.8000  1.0000  2  0.0000  0.3424  1.0000
    """
    chosen: Estimator = choose(estimator, "curve", AdaptiveBins())
    return chosen.fit(_pairs(pairs), check_level(level), band, check_seed(seed) or 0)


def describe(
    pairs: object,
    *,
    interval: str | None = NORMAL,
    level: float = 0.95,
    seed: int | None = None,
) -> Description:
    """Describe pairs: base rate, discrimination, and the direction of the bias.

    Parameters
    ----------
    pairs
        The observations and predictions: `Pairs`, a data frame or the path of a file.
    interval
        "normal" (the default): normal approximations, which respect groups. None returns the
        values alone.
    level
        The level of the intervals.
    seed
        Accepted as in all verbs, but has no effect: these intervals are not resampled.

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
    wanted = wants_normal(interval, check_seed(seed))
    return describe_pairs(_pairs(pairs), check_level(level), wanted)


def decompose(
    pairs: object,
    rule: MeanLoss | str | None = None,
    curve: Estimator | str | None = None,
    *,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> Decomposition:
    """Decompose a mean loss: calibration + refinement, and MCB − DSC + UNC.

    Parameters
    ----------
    pairs
        The observations and predictions: `Pairs`, a data frame or the path of a file.
    rule
        A proper scoring rule or its printed form (default: `Brier()`): `LogLoss`, `Spherical`, or
        your own `Rule`.
    curve
        The curve that estimates the frequencies, or its printed form (default: `AdaptiveBins()`).
    interval
        A `Bootstrap` or its printed form (default: `Bootstrap()`); None returns plug-in values
        alone.
    level
        The level of the intervals.
    seed
        Replaces the seed of the interval.

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)
    >>> print(cb.decompose(pairs))
    term            value   95 % interval  plug-in     n
    Brier           0.160  [0.148, 0.172]           2000
    calibration     0.012  [0.008, 0.017]    0.014  2000
    refinement      0.149  [0.139, 0.158]    0.147  2000
    within bins   0.00025                           2000
    residual     -0.00075                           2000
    MCB             0.014  [0.008, 0.016]           2000
    DSC             0.074  [0.063, 0.081]           2000
    UNC             0.220  [0.213, 0.227]           2000
    """
    how = _bootstrap(interval, seed, "A decomposition has intervals")
    level = check_level(level)
    estimator: Estimator = choose(curve, "curve", AdaptiveBins())
    chosen: Score = choose(rule, "score", Brier())
    if not isinstance(chosen, MeanLoss):
        raise ParameterError(
            f"{chosen!r} is not a proper scoring rule: take Brier, LogLoss or Spherical."
        )
    return decompose_loss(chosen.within(_pairs(pairs)), chosen, estimator, level, how)


def _bootstrap(given: object, seed: int | None, what: str) -> Bootstrap | None:
    """Choose the interval for verbs that only support `Bootstrap`."""
    chosen: Interval | None = choose_interval(given, check_seed(seed))
    return only_bootstrap(chosen, what)


@overload
def test(  # type: ignore[overload-overlap]  # a str is one test, not an iterable of them
    pairs: object, hypothesis: Hypothesis | str | None = None, *, seed: int | None = None
) -> Verdict: ...
@overload
def test(
    pairs: object, hypothesis: Iterable[Hypothesis | str], *, seed: int | None = None
) -> Verdicts: ...
def test(
    pairs: object,
    hypothesis: Hypothesis | str | Iterable[Hypothesis | str] | None = None,
    *,
    seed: int | None = None,
) -> Verdict | Verdicts:
    """Test whether a calibrated model could have produced these pairs.

    Parameters
    ----------
    pairs
        The observations and predictions: `Pairs`, a data frame or the path of a file. Tests
        respect groups.
    hypothesis
        A test or its printed form (default: `Joint()`): `Cumulative`, `Cox`, `Spiegelhalter`,
        `HosmerLemeshow`, `Consistency(score)`; or several of them, which give a table.
    seed
        Replaces the seed of tests that resample.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.test(cb.synthetic.calibrated(2000, seed=1)))
    Joint: p = 0.702. No evidence of miscalibration: a calibrated model would look this wrong
    in 70 % of samples.
    """
    check_seed(seed)
    if are_several(hypothesis):
        chosen = choose_all(hypothesis, "test")
        known = _pairs(pairs)
        return Verdicts(seeded(each, seed)(known) for each in chosen)
    one: Hypothesis = seeded(choose(hypothesis, "test", Joint()), seed)
    return one(_pairs(pairs))


test.__test__ = False  # type: ignore[attr-defined]  # not a test for pytest


def compare(
    a: object,
    b: object = None,
    score: Score | str | None = None,
    *,
    key: Sequence[Any] | None = None,
    own_answers: bool = False,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> Comparison:
    """Compare two or more models on the same questions.

    Parameters
    ----------
    a, b
        The pairs of two models, each as `Pairs`, a data frame or the path of a file; or, as `a`
        alone, a mapping from names to any number of them (a score may then come second). All must
        have the same `y` and groups, row by row. Models from two files take the names of the files;
        other models are called a and b.
    score
        What to compare by (default: `CalibScore()`).
    key
        One array of keys per model, if their rows are in different orders: rows with the same
        key are the same question.
    own_answers
        Whether each model is asked if its own answer is right, as by `TopLabel`. Then `y` may
        differ between models. Groups must still be the same, row by row, and the accuracies of the
        models are compared too.
    interval
        A `Bootstrap` or its printed form (default: `Bootstrap()`), whose replicates draw the same
        groups (or questions) for all models; None returns the values alone.
    level
        The level of the intervals.
    seed
        Replaces the seed of the interval.

    Examples
    --------
    >>> import calibrant as cb
    >>> good = cb.synthetic.sample(2000, a=1, b=1, seed=1)
    >>> bad = cb.Pairs(good.y, good.q**2)
    >>> found = cb.compare({"good": good, "bad": bad})
    >>> print(found.sentence)
    good is better than bad.
    """
    if not isinstance(own_answers, bool):
        raise ParameterError(f"own_answers must be True or False, but it is {own_answers!r}.")
    if isinstance(a, Mapping) and b is not None:
        if score is not None or not isinstance(b, str | Score):
            raise ParameterError("Give all models in one mapping, and one score.")
        b, score = None, b
    how = _bootstrap(interval, seed, "Models are compared")
    level = check_level(level)
    chosen: Score = choose(score, "score", CalibScore())
    given = a if isinstance(a, Mapping) else _named(a, b)
    named = {str(name): _known(each) for name, each in given.items()}
    return compare_pairs(named, chosen, level, how, key=key, own_answers=own_answers)


def _named(a: object, b: object) -> dict[str, object]:
    """Name two models."""
    if not _readable(b):
        raise ParameterError(
            "Two models were expected: pass two sets of pairs, or a mapping from names to pairs."
        )
    if isinstance(a, str | PathLike) and isinstance(b, str | PathLike):
        from calibrant.tables import file_names

        first, second = file_names([a, b])
        if first == second and Path(a).exists():  # a missing file is told as such
            raise ParameterError(f"Both models are the file {a}: name two different files.")
        return {first: a, second: b}
    return {"a": a, "b": b}


def slices(
    source: object,
    by: str | Iterable[str] | Mapping[str, object] | None = None,
    *,
    y: str | None = None,
    q: str | None = None,
    yes: str | None = None,
    draws: str | int | None = None,
    weight: str | Literal[False] | None = None,
    group: str | Literal[False] | None = None,
    format: str | None = None,
    crosses: bool = False,
    worst: bool = False,
    score: Score | str | None = None,
    hypothesis: Hypothesis | str | None = None,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> Slices:
    """Look for slices of the data where the predictions are not calibrated.

    Parameters
    ----------
    source
        A data frame or the path of a file, with the columns to slice by beside those of the
        pairs; or `Pairs`.
    by
        One or more columns. The values of a column are its slices; a column with more than 20
        different numbers is cut into four parts by quantiles, and "length:5" into five.
        "genre*length:5" adds the slices of both columns together. Missing values are a slice. For
        `Pairs`: a mapping from such names to arrays.
    y, q, yes, format
        The columns of the pairs, and the format of a file, as in `read`.
    draws
        Likewise, with `yes`: the column with the number of all draws, or that number itself.
    weight, group
        Likewise; `False` ignores such columns.
    crosses
        Whether to add the slices of every two columns together.
    worst
        Search instead: find the slices of up to two columns that look worst in one half of the
        groups, and show what the other half says about the worst five. Without `by`, all columns
        that can be cut are searched. At least 20 groups are needed.
    score
        What to measure in each slice (default: `CalibScore()`).
    hypothesis
        The test of calibration in each slice (default: `Joint()`). Its p-values are adjusted by
        Holm's method for the number of slices.
    interval
        An interval of the score or its printed form (default: `Bootstrap()`); None returns the
        values alone.
    level
        The level of each interval. The chance of any false alarm, over all slices, is at most
        1 − level.
    seed
        Replaces the seed of the interval and the tests.

    Examples
    --------
    >>> import calibrant as cb, numpy as np
    >>> pairs = cb.synthetic.calibrated(4000, seed=1)
    >>> genre = np.arange(4000) % 4
    >>> bad = cb.Pairs(pairs.y, np.where(genre == 2, pairs.q**2, pairs.q))
    >>> found = cb.slices(bad, {"genre": genre})
    >>> print(found.sentence)
    “genre = 2” is miscalibrated (4 slices tested, p-values adjusted). In the other slices, an
    error can go unnoticed if it is smaller than 0.033 to 0.034, depending on the slice.
    >>> found[0].rows[:3]
    array([ 2,  6, 10])
    """
    from calibrant.calibration.slicing.measuring import Plan, find_worst, measure_slices

    for name, flag in (("crosses", crosses), ("worst", worst)):
        if not isinstance(flag, bool):
            raise ParameterError(f"{name} must be True or False, but it is {flag!r}.")
    how: Interval | None = choose_interval(interval, check_seed(seed))
    test: Hypothesis = seeded(choose(hypothesis, "test", Joint()), seed)
    chosen: Score = choose(score, "score", CalibScore())
    plan = Plan(chosen, test, how, check_level(level), seed or 0)
    given = {"y": y, "q": q, "yes": yes, "draws": draws, "weight": weight, "group": group}
    found = _sliceable(source, by, given, format, crosses, worst)
    warn_of_shares(found.pairs)
    return find_worst(found, plan) if worst else measure_slices(found, plan)


def _sliceable(
    source: object,
    by: Any,  # noqa: ANN401 - checked where it is read
    given: Mapping[str, str | int | Literal[False] | None],
    format: str | None,
    crosses: bool,
    worst: bool,
) -> "Sliceable":
    """Read pairs with the columns to slice them by."""
    from calibrant.calibration.slicing.sliceable import (
        from_arrays,
        from_predictions,
        wanted_columns,
    )
    from calibrant.tables.predictions import (
        Predictions,
        predictions_from_file,
        predictions_from_frame,
    )

    if isinstance(source, Pairs):
        for name in [role for role, column in given.items() if column is not None]:
            raise ParameterError(f"Pairs have their {name} already: leave {name}= out.")
        return from_arrays(source, by, crosses)
    if isinstance(source, Predictions):
        return from_predictions(source, by, crosses, worst)
    if not _readable(source):
        _known(source)  # raises the right error
    wanted = wanted_columns(by, crosses, worst)
    if isinstance(source, str | PathLike):
        found = predictions_from_file(fspath(source), given, wanted, format)
    else:
        found = predictions_from_frame(source, given, wanted)
    return from_predictions(found, by, crosses, worst)


@overload
def recalibrate(  # type: ignore[overload-overlap]  # a structure is no source of pairs
    pairs: Chain | Tree | Links,
    method: str = "auto",
    *,
    gold: object,
    group: object = None,
    separate: bool = False,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> "StructureRecalibrator": ...
@overload
def recalibrate(
    pairs: object,
    method: "Method | str" = "auto",
    *,
    gold: object = None,
    group: object = None,
    score: MeanLoss | str | None = None,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> "Recalibrator": ...
def recalibrate(
    pairs: object,
    method: "Method | str" = "auto",
    *,
    gold: object = None,
    group: object = None,
    separate: bool = False,
    score: MeanLoss | str | None = None,
    interval: Interval | str | None = DEFAULT,
    level: float = 0.95,
    seed: int | None = None,
) -> "Recalibrator | StructureRecalibrator":
    """Learn a map that mends probabilities, and measure what it gains on unseen groups.

    Groups are divided into ten folds. Each fold is mapped by what was learnt from the others, so
    that no number is of pairs that a map has seen. The map itself is learnt from all pairs. Methods
    are pulled towards leaving predictions as they are, the more so the fewer independent pairs
    there are.

    Parameters
    ----------
    pairs
        The observations and predictions: `Pairs`, a data frame or the path of a file. Or `Labels`,
        whose rows are mapped as a whole and still sum to 1. Or a `Chain`, `Tree` or `Links`, whose
        temperatures are learnt, so that all its answers stay coherent. Take data that the model was
        not trained on.
    method
        A method or its printed form: "Temperature", "Platt", "Beta", "Isotonic" or "Spline"; of
        `Labels`, "Temperature", "VectorScaling" or "Dirichlet". By default, "auto" chooses among
        them, and may choose to leave predictions as they are; the choice is made anew for each
        fold within the others, so it is part of what is measured. Not for structures.
    gold, group
        What is true of a posterior, and the sentence or document of every item, as in `ask`. Only
        for posteriors.
    separate
        Whether each kind of potentials of a structure has a temperature of its own: emissions and
        transitions, lexicon and rules, old and new entities.
    score
        The proper scoring rule to judge and choose by (default: `Brier()`); of `Labels`, `Brier`
        or `LogLoss` of whole rows.
    interval
        A `Bootstrap` or its printed form (default: `Bootstrap()`); None returns the values alone,
        without a verdict.
    level
        The level of the intervals.
    seed
        Replaces the seed of the interval and of the folds.

    Examples
    --------
    >>> import calibrant as cb
    >>> import numpy as np
    >>> pairs = cb.synthetic.sample_groups(200, size=20, seed=1)
    >>> bold = pairs.with_predictions(pairs.q**2 / (pairs.q**2 + (1 - pairs.q) ** 2))
    >>> found = cb.recalibrate(bold, "Temperature")
    >>> print(found.verdict)
    use it
    >>> found.apply([0.1, 0.5, 0.9]).round(2)
    array([0.22, 0.5 , 0.78])

    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.dirichlet([1, 1, 1], 2000)
    >>> gold = [rng.choice(["a", "b", "c"], p=row) for row in matrix]
    >>> bold = cb.Labels(matrix**2 / (matrix**2).sum(axis=1, keepdims=True), ["a", "b", "c"])
    >>> found = cb.recalibrate(bold, "Temperature", gold=gold)
    >>> print(found.told)
    temperature 2.07
    >>> found.apply(bold)
    Labels(2000 items, 3 classes: a, b, c)
    """
    from calibrant.bridges.recalibrating import recalibrate_labels, recalibrate_one

    how = _bootstrap(interval, seed, "Recalibration is judged")
    if isinstance(pairs, Chain | Tree | Links):
        from calibrant.bridges.tempering import recalibrate_posterior

        _check_tempering(method, gold, score)
        drawn = 0 if how is None else how.seed
        return recalibrate_posterior(
            pairs, gold, group, check_level(level), how, drawn, separate=separate
        )
    if separate:
        raise ParameterError("separate is for a Chain, a Tree or Links: leave it out.")
    judging = _judging(score, interval, level, seed)
    if isinstance(pairs, Labels):
        return recalibrate_labels(pairs, gold, group, method, judging)
    for name, given in (("gold", gold), ("group", group)):
        if given is not None:
            raise ParameterError(f"{name} is for posteriors: pairs have theirs already.")
    return recalibrate_one(_pairs(pairs), method, judging)


def _check_tempering(method: object, gold: object, score: object) -> None:
    """Refuse what is for pairs, and a posterior without gold."""
    if gold is None:
        raise InputError(
            "A posterior is recalibrated against what is true: pass gold, as in ask. Or ask it and "
            "recalibrate the pairs of one query."
        )
    if method != "auto" or score is not None:
        raise ParameterError(
            "method and score are for pairs: a posterior has temperatures, fitted by the "
            "log-likelihood of its gold structures. Leave them out."
        )


def count(
    source: object,
    query: Query | str | None = None,
    *,
    by: str | None = None,
    gold: object = None,
    key: str | Sequence[str] = (),
    labels: str | None = None,
    label_weight: object = None,
    elsewhere: object = None,
    estimator: str | None = None,
    within: str | None = None,
    target: str = "collection",
    columns: Mapping[str, object] | None = None,
    y: str | Literal[False] | None = None,
    q: str | None = None,
    weight: str | Literal[False] | None = None,
    group: object = None,
    format: str | None = None,
    level: float = 0.95,
    seed: int | None = None,
) -> "Counts":
    """Count the yes answers, by category and in total, with intervals.

    The estimator depends on what is known. "posterior" needs no labels: the model's own
    probabilities, right only if it is calibrated here. "rectified" corrects them by labels drawn at
    random from the same documents, and is right for any model. "recalibrated" and "shifted" use
    labels of other documents, under an assumption that the result prints.

    Parameters
    ----------
    source
        A data frame or the path of a file with a column of predictions, and perhaps one of labels,
        empty where there is none; or `Pairs`, `Tallies`, or a posterior.
    query
        For a posterior: what to count, as in `ask`.
    by
        A column to count by: its values, `length:5` for its numbers in five parts, or `date:month`
        (year, quarter, week, day) for dates.
    gold
        Labels in another table, with the columns `key`; for a posterior, the true structures, with
        None where they are not known.
    key
        The columns that tell the rows of both tables apart.
    labels
        How labels were drawn: "random rows", "random groups" (whole documents), or "random", which
        looks at the labels to see which.
    label_weight
        Instead: the column with the weight of each label, the inverse of its chance to be drawn, as
        `calibrant plan` writes it; or an array.
    elsewhere
        What is known from other documents: labelled pairs, a frame or a file; or a curve with its
        band, which widens the model's own interval.
    estimator
        "posterior", "rectified", "recalibrated" or "shifted" (default: by what is given).
    within
        Recalibrated: learn a map for each value of this column.
    target
        "collection": the number in these very documents; it is certain once all are labelled.
        "population": the share in the population that the documents are a sample of.
    columns
        For `Pairs` and posteriors: columns to count by, a value for each row, sentence or document.
    y, weight
        The names of the columns of labels and weights, as in `read`; `False` ignores such columns.
    q
        The column of predictions.
    group
        Likewise; or for a posterior, the document of each sentence.
    format
        The format of the file, as in `read`.
    level
        The level of the intervals.
    seed
        The seed of the folds in which maps are learnt.

    Examples
    --------
    >>> import calibrant as cb, polars
    >>> rows = cb.synthetic.calibrated(2000, seed=1)
    >>> y = [int(each) if k < 200 else None for k, each in enumerate(rows.y)]
    >>> frame = polars.DataFrame({"q": rows.q, "y": y})
    >>> found = cb.count(frame, labels="random")
    >>> print(found.render("csv"))
    ,asked,naive,expected,count,95 % interval,naive share,share,95 % interval,labels,calibration
    total,2000,546,582,574,"[499, 655]",0.273,0.287,"[0.250, 0.327]",200,cannot tell
    >>> found.assumption
    'Right for any model, if labels were drawn as stated.'
    """
    from calibrant.bridges.counted import Asked, counted_from
    from calibrant.calibration.counting.counting import Wanted, count_tallies

    wanted = Wanted(
        by, labels, estimator, target, within, check_level(level), check_seed(seed) or 0
    )
    named = {"y": y, "q": q, "weight": weight, "group": group}
    asked = Asked(query, gold, key, label_weight, elsewhere, columns, format)
    tallies, design, other = counted_from(source, asked, named, wanted)
    return count_tallies(tallies, wanted, design, other)


def _judging(
    score: object, interval: Interval | str | None, level: float, seed: int | None
) -> "Judging":
    """How maps are judged."""
    from calibrant.bridges.recalibrating import Judging

    how = _bootstrap(interval, seed, "Recalibration is judged")
    rule: Score = choose(score, "score", Brier())
    if not isinstance(rule, MeanLoss):
        raise ParameterError(
            f"{rule!r} is not a proper scoring rule: take Brier, LogLoss or Spherical."
        )
    if rule.above is not None or rule.below is not None:
        raise ParameterError(
            f"Maps are judged on all predictions, but {rule!r} is of a range: leave above and "
            "below out."
        )
    return Judging(rule, check_level(level), how)


def plot(what: object, **options: Unpack[Options]) -> "Axes | list[Axes]":
    """Draw pairs, a curve, or another result.

    Parameters
    ----------
    what
        A curve; pairs, a data frame or the path of a file, which are drawn as a smooth curve with
        its band, at most twenty bins as dots, and the score; or a mapping from names to several
        of these. A `Sweep`, or a mapping from names to
        sweeps, draws scores against bin size or sample size. `Counts` draw shares over time or of
        categories. A `Decomposition` draws the parts of a loss, a `Description` the distributions
        of q given y, a `CrossValidation` the loss of
        each bandwidth, and `ClassScores` the curves of the worst classes, one panel each. A
        `Recalibrator` draws the curves before and after, of unseen pairs, and the map. A
        `Histogram`, `QuantileCurve` or `Coverage` draws what a `PIT` or `Ranks` show. A `Tree`
        draws the best parse of a sentence with the probability of every constituent, and `Links`
        the mentions of a document with the probability that two belong to one entity.
    ax
        Axes to draw on (default: those of a new figure).
    panels
        Curves and pairs: draw each in its own panel, and return the list of axes.
    by
        Pairs: one or more columns to slice by, as in `slices`; each slice is a panel.
    count
        Class scores: how many classes to draw (default: 12).
    xlabel, log
        Sweeps: the name of the x axis, and whether both axes are logarithmic.
    sentence
        Trees: which sentence, counted from 0 (default: 0).
    document, words
        Links: which document, counted from 0 (default: 0), and the texts of its mentions, as a
        list or as the `Document` that has them.
    floor
        Trees and links: draw constituents outside the best parse, or pairs of mentions, only if
        their probability is at least this (default: 0.1).

    Examples
    --------
    >>> import calibrant as cb
    >>> axes = cb.plot(cb.curve(cb.synthetic.calibrated(5000)))
    >>> axes.get_xlabel()
    'prediction $q$'
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> axes = cb.plot(links, words=["Ada", "the countess", "she"])
    """
    by = options.pop("by", None)
    if by is not None:
        what = _sliceable(what, by, {}, None, crosses=False, worst=False).pairs_by_name()
        options = {"panels": True, **options}
    if isinstance(what, Mapping):
        return draw(_drawable_together(what), options)
    return draw(_drawable(what), options)


def _drawable_together(named: Mapping[str, object]) -> dict[str, object]:
    """What one figure shows; pairs beside curves are drawn as curves."""
    if any(isinstance(each, Curve) for each in named.values()):
        return {
            name: curve(each) if _readable(each) else _drawable(each)
            for name, each in named.items()
        }
    return {name: _drawable(each) for name, each in named.items()}


def _drawable(given: Any) -> object:  # noqa: ANN401 - any result
    """Convert pairs to their picture, and class scores to their curves; keep other results."""
    from calibrant.bridges.overview import overview_of

    if isinstance(given, ClassScores):
        return ClassCurves(given, lambda label: curve(given.pairs[label], given.curve))
    return overview_of(_pairs(given)) if _readable(given) else given


def report(
    source: object,
    *,
    y: str | None = None,
    q: str | None = None,
    weight: str | Literal[False] | None = None,
    group: str | Literal[False] | None = None,
    show: Sequence[str] | None = None,
    text: bool = True,
    by: str | Sequence[str] = (),
    kind: str | Sequence[str] | None = None,
    scores: Iterable[Score | str] | None = None,
    key: Sequence[Any] | None = None,
    own_answers: bool = False,
    recalibrate: bool = False,
    level: float = 0.95,
    seed: int | None = None,
    title: str | None = None,
    limit: int = 1_000_000,
) -> "Report":
    """Make a page that shows where models are wrong, with the examples behind every point.

    It is one file of HTML that needs no network: verdict, scores, the calibration curve, tests and
    decomposition, groups that are far off, and differences between models. Drag over the curve, or
    click a dot, to see its examples. Notebooks show the page; `save` writes it to a file.

    Parameters
    ----------
    source
        Pairs, a data frame, the path of a file, or attempts from `read_evals`; or a mapping from
        names to several of these, which are compared.
    y, q
        The names of the columns, as in `read`.
    weight, group
        Likewise; `False` ignores such columns.
    show
        The columns that examples show (default: columns of text). In the column `text`, the
        columns begin and end say which characters to mark, begin2 and end2 a second place. A
        column `parse` in brackets is drawn as a tree.
    text
        False shows no column at all, for texts that may not be shared. Labels of groups are still
        shown.
    by
        One or more columns to slice by, as in `slices`.
    kind
        Attempts: one or several kinds of confidence (default: all).
    scores
        The scores (default: `CalibScore`, `Brier` and `LogLoss`); models are compared by the
        first.
    key
        One array of keys per model, as in `compare`.
    own_answers
        Whether each model is asked if its own answer is right, as in `compare`.
    recalibrate
        Whether to say what recalibration would gain, as `recalibrate` does.
    level
        The level of intervals and bands.
    seed
        Replaces the seed of intervals and tests, and of the random sample of examples.
    title
        The title of the page.
    limit
        The most bytes that the page may take. Fewer examples, and shorter texts, are kept so that
        it fits.

    Examples
    --------
    >>> import calibrant as cb, polars
    >>> pairs = cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)
    >>> frame = polars.DataFrame({"y": pairs.y, "q": pairs.q, "text": ["some words"] * 2000})
    >>> page = cb.report(frame, title="My model")
    >>> page.html[:15]
    '<!DOCTYPE html>'
    """
    from calibrant.bridges.findings import SCORES, Compared, Settings, find
    from calibrant.bridges.sources import asked_of, asked_of_evals
    from calibrant.pages.page import Wording, make_page
    from calibrant.pages.report import Report

    chosen = SCORES if scores is None else choose_all(scores, "score")
    columns = (by,) if isinstance(by, str) else tuple(by)
    settings = Settings(
        tuple(chosen),
        check_level(level),
        seed=check_seed(seed),
        by=columns,
        recalibrate=recalibrate,
    )
    most = whole_number("limit", limit, 1)
    compared: Compared | str
    if isinstance(source, Evals):
        kinds = None if kind is None else [kind] if isinstance(kind, str) else list(kind)
        models, compared = asked_of_evals(source, kinds, text)
    else:
        given = {"y": y, "q": q, "weight": weight, "group": group}
        named = source if isinstance(source, Mapping) else {"": source}
        models = {
            str(name): asked_of(_examinable(each), given, show, text)
            for name, each in named.items()
        }
        pairs = {name: each.pairs for name, each in models.items()}
        compared = Compared(pairs, key, own_answers) if len(pairs) > 1 else ""
    found = find(models, settings, compared)
    wording = Wording(title or "Calibration report")
    return Report(make_page(found, wording, most, seed or 0), found)


def _examinable(given: object) -> object:
    """What a page can be about; refuse all else."""
    if not _readable(given):
        raise InputError(
            f"Pairs, a data frame, a path or attempts of language models were expected, not "
            f"{type(given).__name__}."
        )
    return given
