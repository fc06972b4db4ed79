"""The tests of a `PIT`."""

from calibrant.calibration.numbers.chi_squared import sum_of_squares
from calibrant.calibration.numbers.curve import COUNT, uniformity
from calibrant.calibration.numbers.positions import Positions
from calibrant.checks.parameters import whole_number
from calibrant.errors import UnknownName, UnsupportedError
from calibrant.results.verdict import Verdict, judge
from calibrant.results.wording import counted

FEWEST = 10  # observations: with fewer, a test has no power
TESTS = ("Uniform", "CookGelmanRubin")


def make_verdict(positions: Positions, test: str, seed: int) -> Verdict:
    """Whether a calibrated model could have produced observations at these positions."""
    if test not in TESTS:
        raise UnknownName("test of a PIT", str(test), TESTS)
    if positions.n < FEWEST:
        be = "is" if positions.n == 1 else "are"
        raise UnsupportedError(
            f"There {be} only {counted(positions.n, 'observation')}, too few for a test (at "
            f"least {FEWEST} are needed)."
        )
    seed = whole_number("seed", seed, 0)
    if test == "Uniform":
        found = uniformity(positions, COUNT, seed)
    else:
        found = sum_of_squares(positions, seed)
    return judge(test, found, positions, positions.signature(f"{test}(seed={seed})"))
