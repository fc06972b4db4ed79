"""Names that parse back, of every registered class."""

import importlib
import inspect
import pkgutil

import pytest

import calibrant as cb
from calibrant import calibration, structures
from calibrant.calibration import hypotheses, recalibration
from calibrant.errors import ParameterError, UnknownName
from calibrant.results.naming import REGISTRY, parse

for package in (calibration, structures):  # which registers everything they define
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)

EXAMPLES = {
    "score": {
        "CalibScore": [
            cb.CalibScore(),
            cb.CalibScore(size=400),
            cb.CalibScore(count=15, debiased=False),
            cb.CalibScore(cb.UniformBins()),
            cb.CalibScore(cb.UniformBins(count=10), above=0.1),
            cb.CalibScore(cb.LocalLikelihood(bandwidth=0.5), debiased=False),
        ],
        "CalibMSE": [cb.CalibMSE(size=2, above=0.1, below=0.9)],
        "ECE": [cb.ECE(cb.UniformBins(count=7), debiased=False), cb.ECE(cb.Isotonic())],
        "MCE": [cb.MCE(count=3)],
        "ICI": [cb.ICI(), cb.ICI(cb.Kernel())],
        "E50": [cb.E50()],
        "E90": [cb.E90(cb.Isotonic(), below=0.5)],
        "Emax": [cb.Emax()],
        "Brier": [cb.Brier(), cb.Brier(below=0.5)],
        "LogLoss": [cb.LogLoss(clip=1e-15)],
        "Spherical": [cb.Spherical(above=0.1)],
        "ECCE": [cb.ECCE("max")],
        "SmoothECE": [cb.SmoothECE(), cb.SmoothECE("whole", above=0.1)],
        "Cutoff": [cb.Cutoff(), cb.Cutoff(above=0.1)],
        "ATB": [cb.ATB(), cb.ATB(debiased=True, below=0.5)],
        "SKCE": [cb.SKCE(width=0.2, debiased=False)],
    },
    "curve": {
        "AdaptiveBins": [cb.AdaptiveBins(), cb.AdaptiveBins(size=400), cb.AdaptiveBins(count=3)],
        "UniformBins": [cb.UniformBins(count=4)],
        "LocalLikelihood": [cb.LocalLikelihood()],
        "Kernel": [cb.Kernel(scale="logit", grid=None)],
        "Isotonic": [cb.Isotonic()],
    },
    "test": {
        "Joint": [hypotheses.Joint()],
        "Cumulative": [hypotheses.Cumulative(seed=3), hypotheses.Cumulative("max")],
        "Cox": [hypotheses.Cox()],
        "Spiegelhalter": [hypotheses.Spiegelhalter()],
        "HosmerLemeshow": [hypotheses.HosmerLemeshow(count=5)],
        "Consistency": [hypotheses.Consistency(cb.ECE(size=40))],
    },
    "recalibrator": {
        "Temperature": [recalibration.Temperature()],
        "Platt": [recalibration.Platt()],
        "Beta": [recalibration.Beta()],
        "Isotonic": [recalibration.Isotonic()],
        "Spline": [recalibration.Spline(), recalibration.Spline(knots=12)],
        "VectorScaling": [recalibration.VectorScaling()],
        "Dirichlet": [recalibration.Dirichlet(), recalibration.Dirichlet(apart=0.1, intercept=2)],
    },
    "interval": {
        "Bootstrap": [cb.Bootstrap(), cb.Bootstrap(replicates=200, seed=4)],
        "NormalSampling": [cb.NormalSampling(samples=50)],
    },
    "query": {
        "LabelIs": [cb.LabelIs("PRP$"), cb.LabelIs(3)],
        "TopLabel": [cb.TopLabel()],
        "TopK": [cb.TopK(3)],
        "EveryLabel": [cb.EveryLabel()],
        "TagIs": [cb.TagIs("V")],
        "TagPair": [cb.TagPair("DT", "NN")],
        "EveryTag": [cb.EveryTag()],
        "HasSpan": [cb.HasSpan("PER"), cb.HasSpan("geo-loc", floor=0.01)],
        "HasConstituent": [cb.HasConstituent(), cb.HasConstituent("NP", floor=0.05)],
        "PredictedTag": [cb.PredictedTag(), cb.PredictedTag("sequence")],
        "PredictedSpan": [cb.PredictedSpan(), cb.PredictedSpan("geo-loc")],
        "PredictedSequence": [cb.PredictedSequence()],
        "PredictedConstituent": [cb.PredictedConstituent(), cb.PredictedConstituent("NP")],
        "PredictedLink": [cb.PredictedLink()],
        "SameEntity": [cb.SameEntity(), cb.SameEntity(samples=1000)],
        "NewEntity": [cb.NewEntity(samples=10, seed=3)],
        "Singleton": [cb.Singleton()],
    },
}
REGISTERED = [
    pytest.param(kind, name, id=name)
    for kind, known in REGISTRY.items()
    for name, registered in known.items()
    if registered.__module__.startswith("calibrant.")  # tests may register classes too
]


@pytest.mark.parametrize(("kind", "name"), REGISTERED)
def test_printed_form_parses_back(kind, name):
    examples = EXAMPLES.get(kind, {}).get(name)
    assert examples, f"{name} is registered as a {kind}: add an example of it to EXAMPLES"
    for example in examples:
        assert type(example) is REGISTRY[kind][name]
        again = parse(repr(example), kind)
        assert again == example
        assert hash(again) == hash(example)
        assert parse(example.spelled(), kind) == example


@pytest.mark.parametrize(("kind", "name"), REGISTERED)
def test_arguments_that_are_missing_or_unknown_are_said_in_words(kind, name):
    """Never as Python says it of a constructor."""
    needed = inspect.signature(REGISTRY[kind][name]).parameters.values()
    texts = [f"{name}(nonsense=1)", f"{name}(1, 2, 3, 4, 5, 6, 7, 8)"]
    texts += [name] if any(each.default is each.empty for each in needed) else []
    for text in texts:
        with pytest.raises(ParameterError) as raised:
            parse(text, kind)
        assert "__init__" not in str(raised.value)
        assert "positional" not in str(raised.value)


def test_missing_arguments_are_named_with_an_example():
    with pytest.raises(ParameterError, match=r"^HasSpan needs type: write HasSpan\('PER'\)\.$"):
        parse("HasSpan", "query")
    with pytest.raises(ParameterError, match=r"^TagPair needs second: write TagPair\('DT', 'NN'\)"):
        parse("TagPair('DT')", "query")
    with pytest.raises(ParameterError, match=r"^TagPair needs first and second: "):
        parse("TagPair()", "query")


def test_arguments_that_are_too_many_or_given_twice():
    with pytest.raises(ParameterError, match="takes at most 1 argument without a name, but 2 were"):
        parse("CalibScore(UniformBins, 2)", "score")
    with pytest.raises(ParameterError, match=r"gives type twice"):
        parse("HasSpan('PER', type='LOC')", "query")
    with pytest.raises(ParameterError, match=r"^'1 \+ 1' is not an interval: write a name"):
        parse("1 + 1", "interval")


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
