"""The laws that hold for every verb, run over one table of verbs.

A new verb must be added to the table: the first test compares it with the public verbs.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars
import pytest
from made_pairs import set_d
from polars.testing import assert_frame_equal

import calibrant as cb
from calibrant.calibration.hypotheses import Cumulative, Spiegelhalter
from calibrant.errors import ParameterError, UnknownName
from calibrant.results.naming import REGISTRY

FAST = cb.Bootstrap(replicates=200)
LIMITS = ("low", "high")


@dataclass(frozen=True)
class Verb:
    """How a verb is called, and which laws concern it."""

    call: Callable
    pairs: bool = True  # whether its first argument is pairs
    intervals: tuple = ()  # objects for `interval`; the printed form of each means the same
    level: bool = True
    seed: bool = True
    drawn: tuple = LIMITS  # the columns that another seed may change
    html: str = "<table"  # how notebooks show it


def of_classes(_, **options):
    q, gold = set_d()
    return cb.score_classes(cb.Labels(q), gold, **options)


def of_evals(_, **options):
    """Attempts of a model that states how sure it is."""
    q, _ = set_d()
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.csv")
        right = (np.arange(len(q)) % 3 > 0).astype(int)
        polars.DataFrame({"correct": right, "token": q[:, 0]}).write_csv(path)
        return cb.score_evals(path, **options)


def of_eval_maps(_, **options):
    """Maps of the same attempts."""
    q, _ = set_d()
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.csv")
        right = (np.arange(len(q)) % 3 > 0).astype(int)
        polars.DataFrame({"correct": right, "token": q[:, 0]}).write_csv(path)
        return cb.recalibrate_evals(path, "Platt", **options)


def of_models(pairs, **options):
    """The same predictions twice, once squared, in the form that was given."""
    return cb.compare({"a": pairs, "b": worse(pairs)}, "Brier", **options)


def worse(given):
    if isinstance(given, cb.Pairs):
        return cb.Pairs(given.y, given.q * given.q, group=given.group)
    if isinstance(given, str | Path):
        path = Path(given)
        parquet = path.suffix == ".parquet"
        frame = worse(polars.read_parquet(path) if parquet else polars.read_csv(path))
        other = path.with_stem("worse")
        (frame.write_parquet if parquet else frame.write_csv)(other)
        return other
    if isinstance(given, polars.DataFrame | polars.LazyFrame):
        return given.with_columns(q=polars.col("q") * polars.col("q"))
    return given.assign(q=given["q"] * given["q"])


def of_curve(pairs, **options):
    return cb.curve(pairs, "LocalLikelihood(bandwidth=0.5)", **options)


def of_test(pairs, **options):
    return cb.test(pairs, [Cumulative(replicates=99), "Cox"], **options)


def of_slices(pairs, **options):
    by = {"q:2": pairs.q} if isinstance(pairs, cb.Pairs) else "q:2"
    return cb.slices(pairs, by, **options)


def of_counts(pairs, **options):
    return cb.count(pairs, estimator="posterior", **options)


P_VALUES = ("p_value", "adjusted", "p_rest", "adjusted_rest")
VERBS = {
    "score": Verb(cb.score, intervals=(FAST,)),
    "score_classes": Verb(of_classes, pairs=False, intervals=(FAST,)),
    "score_evals": Verb(of_evals, pairs=False, intervals=(FAST,)),
    "curve": Verb(of_curve, drawn=()),
    "describe": Verb(cb.describe, drawn=()),
    "decompose": Verb(cb.decompose, intervals=(FAST,), drawn=(*LIMITS, "value")),
    "test": Verb(of_test, level=False, drawn=("p_value",)),
    "compare": Verb(of_models, intervals=(FAST,), drawn=()),
    "recalibrate": Verb(cb.recalibrate, intervals=(FAST,), drawn=(*LIMITS, "value", "plugin")),
    "recalibrate_evals": Verb(
        of_eval_maps, pairs=False, intervals=(FAST,), drawn=(*LIMITS, "change", "after", "verdict")
    ),
    "report": Verb(cb.report, html="<iframe"),
    "count": Verb(of_counts, drawn=()),
    "slices": Verb(of_slices, intervals=(FAST,), drawn=(*LIMITS, *P_VALUES)),
}
OTHERS = {
    "read",
    "read_evals",
    "scan",
    "ask",
    "plot",
}  # they make pairs or figures, and have laws of their own
OF_PAIRS = [name for name, verb in VERBS.items() if verb.pairs]
RESAMPLED = [name for name, verb in VERBS.items() if verb.intervals]


@pytest.fixture(scope="module")
def pairs():
    found = cb.synthetic.sample_groups(60, size=10, seed=4)
    return cb.Pairs(found.y, np.round(found.q, 6) * 0.9 + 0.05, group=found.group)


@pytest.fixture(scope="module")
def frame(pairs):
    return polars.DataFrame({"y": pairs.y, "q": pairs.q, "group": pairs.group})


def same(found, wanted):
    assert_frame_equal(found.to_frame(), wanted.to_frame(), rel_tol=1e-12, abs_tol=1e-14)


def test_every_public_verb_is_here():
    stub = ast.parse(Path(cb.__file__).with_suffix(".pyi").read_text())
    public = {
        alias.name
        for node in stub.body
        for alias in node.names
        if isinstance(node, ast.ImportFrom) and node.module == "verbs"
    }
    assert public == {*VERBS, *OTHERS}


@pytest.mark.parametrize("name", OF_PAIRS)
@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "csv", "parquet", "Path"])
def test_frames_and_paths_are_taken_for_pairs(name, kind, pairs, frame, tmp_path):
    path = tmp_path / ("a.csv" if kind == "csv" else "a.parquet")
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    given = {"polars": frame, "pandas": frame.to_pandas(), "Path": path}.get(kind, str(path))
    if kind == "lazy":
        given = frame.lazy()
    same(VERBS[name].call(given), VERBS[name].call(pairs))


@pytest.mark.parametrize("name", OF_PAIRS)
def test_other_things_are_refused(name):
    for wrong in ([0, 1], 3, np.zeros((2, 2)), cb.Brier()):
        with pytest.raises(cb.CalibrantError, match=r"was expected|were expected"):
            getattr(cb, name)(wrong)
    with pytest.raises(cb.CalibrantError, match=r"There is no file nothing\.csv"):
        getattr(cb, name)(*["nothing.csv"] * (2 if name == "compare" else 1))


@pytest.mark.parametrize("name", VERBS)
def test_results(name, pairs):
    """They print as a table, render in notebooks, become frames, carry signatures, are frozen."""
    found = VERBS[name].call(pairs)
    assert len(str(found).splitlines()) >= 1
    assert f"{found}" == str(found)
    assert found._repr_html_().startswith(VERBS[name].html)
    assert found.to_frame().height >= 1
    assert found.signature.endswith(f"calibrant={cb.__version__}")
    with pytest.raises((AttributeError, TypeError)):
        found.signature = "mine"
    with pytest.raises((AttributeError, TypeError)):
        found.of_my_own = 1


def test_single_verdicts_and_estimates_are_results_too(pairs):
    for found in (cb.score(pairs, interval=None), cb.test(pairs, "Cox")):
        assert found.to_frame().height == 1
        assert found._repr_html_().startswith("<")
        assert found.signature.endswith(f"calibrant={cb.__version__}")
        with pytest.raises(AttributeError):
            found.signature = "mine"


@pytest.mark.parametrize("name", ["describe", *RESAMPLED])
def test_none_asks_for_the_bare_value(name, pairs):
    verb = VERBS[name]
    bare = verb.call(pairs, interval=None)
    for text in ("none", "None", " none "):
        same(verb.call(pairs, interval=text), bare)
    assert bare.to_frame()["low"].null_count() == bare.to_frame().height
    assert "level=" not in bare.signature
    assert "interval" not in str(bare).splitlines()[0] or name == "compare"
    with pytest.raises(ParameterError, match="leave seed out"):
        verb.call(pairs, interval=None, seed=1)


@pytest.mark.parametrize("name", RESAMPLED)
def test_intervals_are_objects_or_their_printed_forms(name, pairs):
    verb = VERBS[name]
    same(verb.call(pairs, interval="Bootstrap"), verb.call(pairs))
    same(verb.call(pairs, interval=cb.Bootstrap()), verb.call(pairs))
    for interval in verb.intervals:
        same(verb.call(pairs, interval=repr(interval)), verb.call(pairs, interval=interval))
        assert interval.spelled() in verb.call(pairs, interval=interval).signature
    with pytest.raises(UnknownName, match="Did you mean Bootstrap"):
        verb.call(pairs, interval="Bootstrp")
    with pytest.raises(ParameterError, match=r"such as Bootstrap\(\)"):
        verb.call(pairs, interval=cb.Bootstrap)
    with pytest.raises(ParameterError, match="An interval was expected"):
        verb.call(pairs, interval=0.95)


def test_a_description_has_normal_intervals(pairs):
    same(cb.describe(pairs, interval="normal"), cb.describe(pairs))
    with pytest.raises(ParameterError, match="are 'normal', not 'Bootstrap'"):
        cb.describe(pairs, interval="Bootstrap")


@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if verb.level])
def test_a_higher_level_is_wider(name, pairs):
    call = VERBS[name].call
    narrow, wide = (call(pairs, level=level).to_frame() for level in (0.8, 0.99))
    assert (wide["low"] <= narrow["low"]).drop_nulls().all()
    assert (wide["high"] >= narrow["high"]).drop_nulls().all()
    assert (wide["high"] - wide["low"]).sum() > (narrow["high"] - narrow["low"]).sum()
    for level in (0, 1, 95, float("nan"), "much", None):
        with pytest.raises(ParameterError, match="level must"):
            call(pairs, level=level)


@pytest.mark.parametrize("name", VERBS)
def test_seeds(name, pairs):
    """The same seed gives the same result; another changes what is resampled, and no more."""
    verb = VERBS[name]
    one, again, other = (verb.call(pairs, seed=seed) for seed in (1, 1, 2))
    same(one, again)
    free = [*verb.drawn, "signature", "test", "sentence"]
    kept = [column for column in one.to_frame().columns if column not in free]
    assert_frame_equal(one.to_frame().select(kept), other.to_frame().select(kept))
    if verb.drawn:
        drawn = list(verb.drawn)
        assert not one.to_frame().select(drawn).equals(other.to_frame().select(drawn))
        assert one.signature != other.signature
    for seed in (-1, 1.5, "one", True, 2**63):
        with pytest.raises(ParameterError, match="seed must be a whole number"):
            verb.call(pairs, seed=seed)


@pytest.mark.parametrize(
    ("curve", "band", "drawn"),
    [
        ("AdaptiveBins", "wilson", False),
        ("LocalLikelihood(bandwidth=0.5)", "robust", False),
        ("LocalLikelihood(bandwidth=0.5)", "bootstrap", True),
        ("Isotonic", "confidence", False),
        ("Isotonic", "consistency", True),
    ],
)
def test_a_seed_changes_a_curve_only_if_its_band_is_drawn(curve, band, drawn, exact):
    """The curve itself never changes; the signature names a seed only if it is used."""
    one, again, other = (cb.curve(exact, curve, band=band, seed=seed) for seed in (1, 1, 2))
    same(one, again)
    np.testing.assert_array_equal(one.p, other.p)
    assert (one.signature != other.signature) == drawn
    assert ("seed=1" in one.signature) == drawn
    assert np.array_equal(one.low, other.low) != drawn


@pytest.mark.parametrize("name", RESAMPLED)
def test_a_seed_replaces_that_of_the_interval(name, pairs):
    call = VERBS[name].call
    if name == "slices":  # a seed is also that of its tests
        call = partial(call, hypothesis=Spiegelhalter(replicates=99, seed=7))
        columns = ["slice", "value", "low", "high", "p_value"]
        one = call(pairs, interval=cb.Bootstrap(replicates=200, seed=7)).to_frame()[columns]
        assert call(pairs, interval=FAST, seed=7).to_frame()[columns].equals(one)
        return
    wanted = call(pairs, interval=cb.Bootstrap(replicates=200, seed=7))
    same(call(pairs, interval=FAST, seed=7), wanted)
    same(call(pairs, interval=cb.Bootstrap(replicates=200, seed=9), seed=7), wanted)


@pytest.mark.parametrize("name", OF_PAIRS)
def test_the_order_of_rows_and_the_names_of_groups_do_not_matter(name, pairs):
    order = np.random.default_rng(5).permutation(len(pairs))
    names = np.array([f"g{(7 * k) % 60:02d}" for k in range(60)])
    moved = cb.Pairs(pairs.y[order], pairs.q[order], group=names[pairs.group[order]])
    same(VERBS[name].call(moved), VERBS[name].call(pairs))


@pytest.mark.parametrize("name", OF_PAIRS)
def test_nor_does_the_order_of_independent_rows(name, exact):
    order = np.random.default_rng(5).permutation(len(exact))
    moved = cb.Pairs(exact.y[order], exact.q[order])
    same(VERBS[name].call(moved), VERBS[name].call(exact))


def relabelled(pairs):
    return cb.Pairs(1 - pairs.y, 1 - pairs.q, group=pairs.group)


@pytest.fixture(scope="module")
def exact():
    """Distinct predictions with an exact 1 − q, in a number that no bin size divides."""
    rng = np.random.default_rng(6)
    q = rng.choice(2**20, 611, replace=False) / 2**20
    return cb.Pairs(rng.random(611) < 0.1 + 0.7 * q, q)


ONE_SIDED = {"Rule"}  # a rule of one's own need not treat yes and no alike


@pytest.fixture(scope="module")
def grouped(exact):
    return cb.Pairs(exact.y, exact.q, group=np.random.default_rng(7).integers(0, 40, len(exact)))


@pytest.mark.parametrize("name", sorted(set(REGISTRY["score"]) - ONE_SIDED))
def test_relabelling_yes_and_no_changes_no_score(name, exact, grouped):
    for pairs in (exact, grouped):
        one, other = (cb.score(each, name, interval=None) for each in (pairs, relabelled(pairs)))
        assert other.value == pytest.approx(one.value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["Brier", "CalibScore", "ECE", "MCE", "SmoothECE", "SKCE", "ECCE"])
def test_relabelling_changes_no_limits(name, exact, grouped):
    for pairs in (exact, grouped):
        one, other = (
            cb.score(each, name, interval=cb.Bootstrap(200)) for each in (pairs, relabelled(pairs))
        )
        # limits are found to a millionth of their range
        wanted = pytest.approx((one.low, one.high), rel=1e-4, abs=1e-6)
        assert (other.low, other.high) == wanted


@pytest.mark.parametrize(
    "name", ["Cox", "Cumulative", "Joint", "Spiegelhalter", "HosmerLemeshow", "Consistency"]
)
def test_relabelling_changes_no_verdict(name, exact, grouped):
    for pairs in (exact, grouped):
        one, other = (cb.test(each, name) for each in (pairs, relabelled(pairs)))
        assert other.p_value == pytest.approx(one.p_value, rel=1e-6)
        assert other.sentence == one.sentence


def test_relabelling_turns_a_description_around(exact):
    one, other = (cb.describe(each) for each in (exact, relabelled(exact)))
    for name in ("auc", "slope"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (theirs.value, theirs.low, theirs.high) == pytest.approx(
            (mine.value, mine.low, mine.high), rel=1e-6
        )
    assert (other.excess.low, other.excess.high) == pytest.approx(
        (-one.excess.high, -one.excess.low), rel=1e-9
    )


def test_relabelling_turns_a_comparison_into_itself(exact):
    worse = cb.Pairs(exact.y, np.round(exact.q**2 * 2**20) / 2**20)
    found = cb.compare({"a": exact, "b": worse}, "Brier")
    other = cb.compare({"a": relabelled(exact), "b": relabelled(worse)}, "Brier")
    assert other.difference.value == pytest.approx(found.difference.value, rel=1e-9)
    assert other.sentence == found.sentence
