"""Saved models, read back."""

from pathlib import Path

from calibrant.errors import FileError
from calibrant.models.crf import FittedCRF
from calibrant.models.features import Custom
from calibrant.models.hmm import FittedHMM
from calibrant.models.saving import read_model


def load_model(folder: str | Path, *, custom: Custom | None = None) -> FittedHMM | FittedCRF:
    """Read a model that was saved.

    Parameters
    ----------
    folder
        Where it was saved.
    custom
        The function for features of your own, where the model was fitted with one: functions are
        not saved.
    """
    kind, facts, arrays = read_model(folder)
    try:
        if kind == "HMM":
            return FittedHMM.of_saved(facts, arrays)
        if kind == "CRF":
            wanted = facts["settings"]["features"]["custom"]
            if wanted is not None and custom is None:
                raise FileError(
                    f"{folder} was fitted with features of your own, by a function {wanted!r}, "
                    "which is not saved: pass it as custom."
                )
            return FittedCRF.of_saved(facts, arrays, custom)
    except (KeyError, TypeError, IndexError) as error:
        raise FileError(f"{folder} is damaged: {type(error).__name__} {error}.") from error
    raise FileError(f"{folder} is a model of kind {kind!r}, which this calibrant does not know.")
