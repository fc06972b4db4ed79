"""Detect predictions that look like shares of a few draws."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import CalibrantWarning, on_command_line
from calibrant.pairs.pairs import Pairs

FEW = 50  # draws: with more, their noise adds less than about 0.01 to a CalibScore
ENOUGH = 50  # pairs: with fewer, all q may be multiples by chance
DISTINCT = 4  # distinct predictions: people also write 0, ½ and 1 by hand
CLOSE = 1e-5  # distance to a whole number: above 50 times the rounding error of float32
EXTREME = 1e-3  # concentrations from 0.001 to 1000, the range that so few draws can reveal
LOOK = 200  # pairs to check first, which rules out almost all data that are not shares


def warn_of_shares(pairs: Pairs) -> None:
    """Warn, once per set of pairs, that predictions look like noisy shares of draws."""
    pairs.remember("shares", lambda: _warn(pairs))


def without_shares(pairs: Pairs) -> Pairs:
    """The same pairs, whose predictions are known not to be shares, however round they are."""
    pairs.remember("shares", lambda: None)
    return pairs


def _warn(pairs: Pairs) -> None:
    draws = _likely_draws(pairs)
    if draws is None:
        return
    better = f"Pairs.from_draws(y, yes, draws={draws})"
    if on_command_line():
        better = f"--yes COLUMN --draws {draws}"
    warnings.warn(
        f"All q are multiples of 1/{draws}. If they are shares of {draws} draws, even a calibrated "
        f"model would show a CalibScore of about {spurious(pairs, draws):.3f}: use "
        f"{better}.",
        CalibrantWarning,
        stacklevel=7,  # points to the call of the verb
    )


def _likely_draws(pairs: Pairs) -> int | None:
    """The smallest number of draws of which all predictions are shares, or None."""
    if pairs.held is not None or pairs.moments is not None or len(pairs) < ENOUGH:
        return None
    first = pairs.q[:LOOK]
    for draws in range(DISTINCT - 1, FEW + 1):
        if _whole(first * draws) and _whole(pairs.q * draws):
            several = np.unique(np.rint(first * draws)).size >= DISTINCT
            return draws if several else None
    return None


def _whole(counts: NDArray[Any]) -> bool:
    return bool(np.abs(counts - np.rint(counts)).max() < CLOSE)


def spurious(pairs: Pairs, draws: int) -> float:
    """The CalibScore that noise alone would cause, if true predictions had a beta distribution.

    With mean μ and concentration m it is the root of m²μ(1−μ)/((m+1)S(m+S)); m is taken from
    how far the shares vary beyond what S draws explain.
    """
    q = pairs.q.astype(np.float64)
    mean = pairs.mean(q)
    whole = mean * (1 - mean)
    explained = pairs.mean((q - mean) ** 2) / whole
    apart = (explained - 1 / draws) / (1 - 1 / draws)
    apart = np.clip(apart, EXTREME, 1 - EXTREME)
    m = 1 / apart - 1
    return float(np.sqrt(m * m * whole / ((m + 1) * draws * (m + draws))))
