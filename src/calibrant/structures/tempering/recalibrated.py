"""Models whose posteriors can be tempered."""

from dataclasses import replace
from typing import Any, ClassVar, Self, cast

from calibrant.structures.tempering.likelihood import Likelihood, most_likely
from calibrant.structures.tempering.temperatures import (
    FIELD,
    Given,
    Temperatures,
    given_temperatures,
)


class RecalibratedModel:
    """A fitted model with temperatures, which all its posteriors have."""

    temperatures: Temperatures
    likelihood: ClassVar[type[Likelihood]]  # of gold structures under its posteriors

    def tempered(self, temperatures: Given) -> Self:
        """The same model with these temperatures instead of those it had.

        Parameters
        ----------
        temperatures
            One temperature for all log-potentials, or a mapping with one for each kind, as
            posteriors take them. 1 changes nothing.
        """
        found = given_temperatures(temperatures, self.likelihood.kinds)
        return cast("Self", replace(cast("Any", self), temperatures=found))

    def recalibrated(self, dev: Any, *, separate: bool = False) -> Self:  # noqa: ANN401
        """The same model with the temperatures that make held-out gold structures most likely.

        All answers stay coherent: it is one distribution, flatter or sharper. Temperatures that
        the model had are replaced. `calibrant.recalibrate(model.posteriors(dev), gold=dev)`
        measures what they gain on unseen groups.

        Parameters
        ----------
        dev
            Gold structures that the model was not trained on.
        separate
            A temperature for each kind of potentials, instead of one for all.
        """
        plain = self.tempered(Temperatures.none)
        posterior = cast("Any", plain).posteriors(dev)
        return plain.tempered(most_likely(self.likelihood.of_gold(posterior, dev, separate)))

    def tempered_facts(self) -> dict[str, Any]:
        """The temperatures, to be saved with the model; nothing if it has none."""
        return {FIELD: dict(self.temperatures.values)} if self.temperatures else {}

    @classmethod
    def saved_temperatures(cls, facts: dict[str, Any]) -> Temperatures:
        """The temperatures of a saved model."""
        return given_temperatures(dict(facts.get(FIELD, {})), cls.likelihood.kinds)
