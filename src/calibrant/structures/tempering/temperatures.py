"""`Temperatures`: how much flatter or sharper a posterior is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from calibrant.checks.parameters import real_number
from calibrant.errors import ParameterError, UnknownName

ALL = "all"
FIELD = "temperatures"  # of the settings of a saved model
BIAS = "bias"  # added to the score of a new entity; 0 changes nothing
HOTTEST = 1e6  # beyond it, and below 1 / it, scores would lose their digits
SPREAD = 0.5  # standard deviation of the prior of log T, and of a bias


@dataclass(frozen=True, slots=True)
class Temperatures:
    """The temperatures of a posterior: its log-potentials are divided by them.

    Above 1, a posterior gets flatter and less sure; below 1, sharper. One temperature, "all", is
    for all potentials, or there is one for each kind: "emissions" and "transitions" of a `Chain`,
    "lexicon" and "rules" of a `Tree`, "old" and "new" of `Links`, which also have a "bias" of new
    entities. A kind that is not named has temperature 1.

    Examples
    --------
    >>> from calibrant.structures.tempering.temperatures import Temperatures
    >>> print(Temperatures({"emissions": 1.3, "transitions": 0.9}))
    emissions 1.300, transitions 0.900
    """

    none: ClassVar["Temperatures"]
    values: Mapping[str, float]

    def __post_init__(self) -> None:
        checked = {}
        for name, value in self.values.items():
            number = real_number("temperature" if name == ALL else name, value)
            if name != BIAS and not 1 / HOTTEST <= number <= HOTTEST:
                raise ParameterError(
                    f"A temperature must lie between {1 / HOTTEST:g} and {HOTTEST:g}, but that of "
                    f"{name!r} is {number!r}."
                )
            checked[str(name)] = number
        if ALL in checked and len(checked) > 1:
            raise ParameterError(
                f"{ALL!r} is the temperature of all potentials: give it alone, or one for each "
                "kind."
            )
        object.__setattr__(self, "values", checked)

    def __getitem__(self, kind: str) -> float:
        """The temperature of a kind of potentials, or the bias."""
        if kind == BIAS:
            return self.values.get(BIAS, 0.0)
        return self.values.get(kind, self.values.get(ALL, 1.0))

    def __str__(self) -> str:
        parts = [
            f"{'temperature' if name == ALL else name} {value:.3f}"
            for name, value in self.values.items()
        ]
        return ", ".join(parts) or "temperature 1"

    def __bool__(self) -> bool:
        return any(value != (0.0 if name == BIAS else 1.0) for name, value in self.values.items())


Temperatures.none = Temperatures({})
Given = Temperatures | Mapping[str, float] | float


def given_temperatures(given: Given, kinds: tuple[str, ...]) -> Temperatures:
    """Check temperatures for a posterior with these kinds of potentials."""
    if isinstance(given, Temperatures):
        found = given
    else:
        found = Temperatures(given if isinstance(given, Mapping) else {ALL: given})
    for name in found.values:
        if name not in (ALL, *kinds):
            raise UnknownName("kind of potentials", name, (ALL, *kinds))
    return found
