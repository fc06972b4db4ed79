import pytest

import calibrant as cb
from calibrant.calibration import hypotheses
from calibrant.errors import ParameterError, UnknownName
from calibrant.results.naming import REGISTRY, parse
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs, TagPair
from calibrant.structures.trees.queries import HasConstituent

SCORES = [
    cb.CalibScore(),
    cb.CalibScore(size=400),
    cb.CalibScore(count=15, debiased=False),
    cb.CalibScore(cb.UniformBins()),
    cb.CalibScore(cb.UniformBins(count=10), above=0.1),
    cb.CalibMSE(size=2, above=0.1, below=0.9),
    cb.ECE(cb.UniformBins(count=7), debiased=False),
    cb.MCE(count=3),
    cb.CalibScore(cb.LocalLikelihood(bandwidth=0.5), debiased=False),
    cb.ECE(cb.Isotonic()),
    cb.Brier(),
    cb.Brier(below=0.5),
    cb.LogLoss(clip=1e-15),
    cb.Spherical(above=0.1),
    cb.ECCE("max"),
    cb.SmoothECE(),
    cb.SmoothECE("whole", above=0.1),
    cb.SKCE(width=0.2, debiased=False),
    cb.ICI(),
    cb.ICI(cb.Kernel()),
    cb.E50(),
    cb.E90(cb.Isotonic(), below=0.5),
    cb.Emax(),
]
OTHERS = [
    (cb.AdaptiveBins(), "curve"),
    (cb.AdaptiveBins(size=400), "curve"),
    (cb.AdaptiveBins(count=3), "curve"),
    (cb.UniformBins(count=4), "curve"),
    (cb.LocalLikelihood(), "curve"),
    (cb.Kernel(scale="logit", grid=None), "curve"),
    (cb.Isotonic(), "curve"),
    *(
        (test, "test")
        for test in (hypotheses.Joint(), hypotheses.Cumulative(seed=3), hypotheses.Cox())
    ),
    *((test, "test") for test in (hypotheses.Spiegelhalter(), hypotheses.HosmerLemeshow(count=5))),
    (hypotheses.Consistency(cb.ECE(size=40)), "test"),
    (cb.Bootstrap(), "interval"),
    (cb.Bootstrap(replicates=200, seed=4), "interval"),
    (cb.NormalSampling(samples=50), "interval"),
    (cb.LabelIs("PRP$"), "query"),
    (cb.LabelIs(3), "query"),
    (cb.TopLabel(), "query"),
    (TagIs("V"), "query"),
    (TagPair("DT", "NN"), "query"),
    (EveryTag(), "query"),
    (HasSpan("PER"), "query"),
    (HasSpan("geo-loc", floor=0.01), "query"),
    (HasConstituent(), "query"),
    (HasConstituent("NP", floor=0.05), "query"),
    (cb.EveryLabel(), "query"),
    (cb.SameEntity(), "query"),
    (cb.SameEntity(samples=1000), "query"),
    (cb.NewEntity(samples=10, seed=3), "query"),
    (cb.Singleton(), "query"),
]


@pytest.mark.parametrize(("thing", "kind"), [(s, "score") for s in SCORES] + OTHERS, ids=repr)
def test_printed_form_parses_back(thing, kind):
    again = parse(repr(thing), kind)
    assert again == thing
    assert hash(again) == hash(thing)
    assert parse(thing.spelled(), kind) == thing


def test_every_registered_object_is_covered():
    covered = {type(s).__name__ for s in SCORES} | {type(t).__name__ for t, _ in OTHERS}
    assert covered == {name for known in REGISTRY.values() for name in known}


def test_defaults_are_not_printed():
    assert repr(cb.CalibScore()) == "CalibScore"
    assert repr(cb.CalibScore(cb.AdaptiveBins(size=400))) == "CalibScore(size=400)"
    assert repr(cb.ECE(cb.UniformBins())) == "ECE(UniformBins)"


def test_unknown_names_offer_the_nearest():
    with pytest.raises(UnknownName, match=r"no score 'calibscor'. Did you mean CalibScore\?"):
        parse("calibscor", "score")
    with pytest.raises(UnknownName, match=r"no argument of CalibScore 'sise'. Did you mean size\?"):
        parse("CalibScore(sise=3)", "score")
    with pytest.raises(UnknownName, match=r"Did you mean UniformBins\?"):
        parse("CalibScore(UniformBin())", "score")
    with pytest.raises(UnknownName, match="Known: "):
        parse("zzzz", "curve")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "CalibScore(",
        "1 + 1",
        "__import__('os')",
        "CalibScore(size=open('x'))",
        "a.b",
        "CalibScore(1, 2)",
        "CalibScore(*[1])",
        "CalibScore(**{})",
        "CalibScore(size=1, size=2)",
        "CalibScore(size=1+1j)()",
    ],
)
def test_nothing_is_ever_evaluated(text):
    with pytest.raises(ParameterError):
        parse(text, "score")
