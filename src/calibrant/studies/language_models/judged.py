"""How far one kind of confidence can be trusted, in one row of numbers."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from calibrant.calibration.analyses.describing import describe_pairs
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.scores import CalibScore
from calibrant.errors import CalibrantWarning
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate

LEVEL = 0.95


class Judged(NamedTuple):
    """Accuracy, confidence, their difference, discrimination and calibration."""

    answers: int
    accuracy: Estimate
    mean: Estimate
    excess: Estimate  # mean confidence minus accuracy: above 0 overconfident
    auc: Estimate
    calibration: Estimate


COLUMNS = {
    "judged.answers": "answers",
    "judged.accuracy": "accuracy",
    "judged.mean": "mean confidence",
    "judged.excess": "confidence − accuracy",
    "judged.calibration": "CalibScore",
    "judged.auc": "AUC",
}
SIGNED = {"judged.calibration.signature": "signature"}


def judge(pairs: Pairs, shares: Pairs | None = None) -> Judged:
    """Judge pairs of "was the answer right?" and a confidence.

    If the confidence is a share of draws, `shares` holds the shares as plain numbers: their means
    need no correction, while the score does.
    """
    told = describe_pairs(pairs if shares is None else shares, LEVEL)
    found = estimate_score(pairs, CalibScore(), Bootstrap(), LEVEL)
    return Judged(
        round(pairs.n), told.base_rate, told.mean, told.excess, told.auc, calibration=found
    )


@contextmanager
def round_numbers() -> Iterator[None]:
    """Do not warn of shares: here confidences are round numbers that models write."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All q are multiples", CalibrantWarning)
        yield
