"""Load saved models."""

from pathlib import Path

from calibrant.errors import FileError
from calibrant.structures.coreference.models.ranker import FittedMentionRanker
from calibrant.structures.saving import read_model
from calibrant.structures.sequences.models.crf import FittedCRF
from calibrant.structures.sequences.models.features import Custom
from calibrant.structures.sequences.models.hmm import FittedHMM
from calibrant.structures.trees.models.pcfg import FittedPCFG

Fitted = FittedHMM | FittedCRF | FittedPCFG | FittedMentionRanker
KINDS: dict[str, type[FittedHMM | FittedPCFG | FittedMentionRanker]] = {
    "HMM": FittedHMM,
    "MentionRanker": FittedMentionRanker,
    "PCFG": FittedPCFG,
}
# errors that damaged settings and arrays can raise
DAMAGE = (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError)


def load_model(folder: str | Path, *, custom: Custom | None = None) -> Fitted:
    """Load a saved model.

    Parameters
    ----------
    folder
        The folder of the saved model.
    custom
        The function that computes custom features, if the model was fitted with one. Functions
        are not saved.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import calibrant as cb
    >>> model = cb.models.HMM(rare=0).fit(cb.corpora.Corpus((("the", "dog"),), (("D", "N"),)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cb.models.load_model(model.save(pathlib.Path(folder, "model")))
    FittedHMM(2 tags, 3 words and classes)
    """
    kind, facts, arrays = read_model(folder)
    if kind not in ("CRF", *KINDS):
        raise FileError(
            f"{folder} is a model of kind {kind!r}, which this version of calibrant does not know."
        )
    try:
        wanted = facts["settings"]["features"]["custom"] if kind == "CRF" else None
        _check_custom(folder, wanted, custom)
        if kind == "CRF":
            return FittedCRF.of_saved(facts, arrays, custom)
        return KINDS[kind].of_saved(facts, arrays)
    except FileError:
        raise
    except DAMAGE as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise FileError(f"{folder} is damaged: {' '.join(what.split())}.") from error


def _check_custom(folder: str | Path, wanted: str | None, custom: Custom | None) -> None:
    if wanted is not None and custom is None:
        raise FileError(
            f"{folder} was fitted with custom features, computed by a function {wanted!r}, which "
            "is not saved: pass it as custom."
        )
    if wanted is None and custom is not None:
        raise FileError(f"{folder} was fitted without custom features: do not pass custom.")
