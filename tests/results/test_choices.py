import pytest

from calibrant.calibration.hypotheses import Cox, Cumulative
from calibrant.calibration.intervals import Bootstrap, NormalSampling
from calibrant.calibration.scores import ECE, Brier
from calibrant.errors import ParameterError
from calibrant.results.choices import (
    are_several,
    choose,
    choose_all,
    choose_interval,
    seeded,
    wants_normal,
)


def test_an_object_or_its_printed_form():
    assert choose(ECE(count=15), "score") == choose("ECE(count=15)", "score") == ECE(count=15)
    assert choose(None, "score", Brier()) == Brier()
    with pytest.raises(ParameterError, match=r"A score was expected, such as .* not None"):
        choose(None, "score")


@pytest.mark.parametrize("wrong", [Cox(), 3, [], {}, b"Brier"])
def test_objects_of_another_kind(wrong):
    with pytest.raises(ParameterError, match="A score was expected"):
        choose(wrong, "score")


def test_several_or_one():
    for one in (None, "ECE", ECE(), ECE, 3):
        assert not are_several(one)
    for several in ([], ("ECE",), iter(["ECE"]), {"ECE": 1}):
        assert are_several(several)
    assert choose_all(["ECE", Brier()], "score") == [ECE(), Brier()]
    assert choose_all((name for name in ("ECE",)), "score") == [ECE()]


def test_intervals():
    assert choose_interval("Bootstrap") == Bootstrap()
    assert choose_interval(NormalSampling(samples=50), seed=3) == NormalSampling(samples=50, seed=3)
    for bare in (None, "none", "None", " NONE"):
        assert choose_interval(bare) is None
        with pytest.raises(ParameterError, match="leave seed out"):
            choose_interval(bare, seed=0)


def test_a_seed_goes_to_what_draws():
    assert seeded(Cumulative(), 4) == Cumulative(seed=4)
    assert seeded(Cumulative(seed=2), None) == Cumulative(seed=2)
    assert seeded(Cox(), 4) == Cox(seed=4)


def test_normal_intervals():
    assert wants_normal("normal")
    assert wants_normal("normal", seed=3)
    assert not wants_normal(None)
    assert not wants_normal("none")
    for wrong in ("Bootstrap", Bootstrap()):
        with pytest.raises(ParameterError, match="leave interval out"):
            wants_normal(wrong)
