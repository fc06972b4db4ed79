"""Intervals of folded groups: how often they contain the true score, and how wide they are.

    python benchmarks/folds.py                              400 simulations, 50,000 groups
    python benchmarks/folds.py --simulations 50 --groups 5000            a quick look
    python benchmarks/folds.py -o folds.csv                 keeps cells that are there

Groups of 4 pairs depend on each other (latent correlation 0.3) and their predictions are alike. The
same pairs are scored as they are, and folded into 4096, 1024 and 256 sets. "unequal" gives every
tenth group 22 pairs and the others 2. Truth is exact, by quadrature (CalibScore), or the mean of
the value over all simulations (Brier, LogLoss).
"""

import unshadow  # noqa: F401, I001

import argparse
import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np

import calibrant as cb
from calibrant.pairs.synthetic import true_mse_groups

FORMS: dict[str, Callable[[cb.Pairs], cb.Pairs]] = {
    "as given": lambda pairs: pairs,
    "4096 folds": lambda pairs: pairs.compress(10, folds=4096),
    "1024 folds": lambda pairs: pairs.compress(10, folds=1024),
    "256 folds": lambda pairs: pairs.compress(10, folds=256),
}
MAPS = {"calibrated": cb.synthetic.identity, "inward": cb.synthetic.inward(0.05)}
SCORES = ("CalibScore(count=20)", "Brier", "LogLoss")
FIELDS = (
    "map",
    "sizes",
    "form",
    "score",
    "simulations",
    "truth",
    "coverage",
    "low",
    "high",
    "width",
)


def drawn(t: cb.synthetic.Map, groups: int, unequal: bool, seed: int) -> cb.Pairs:
    """Pairs in groups of 4, or of 2 and (every tenth) of 22."""
    size = 22 if unequal else 4
    pairs = cb.synthetic.sample_groups(groups, t, size=size, seed=seed)
    if not unequal:
        return pairs
    place = np.arange(len(pairs)) % size
    return pairs.take(np.flatnonzero((place < 2) | (pairs.group % 10 == 0)))


def simulate(
    map_name: str, unequal: bool, groups: int, simulations: int
) -> dict[tuple[str, str], np.ndarray]:
    """Value, low and high of every form and score in every simulation."""
    found: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for seed in range(simulations):
        pairs = drawn(MAPS[map_name], groups, unequal, seed)
        for form, make in FORMS.items():
            for estimate in cb.score(make(pairs), SCORES):
                key = (form, estimate.score)
                found.setdefault(key, []).append((estimate.value, estimate.low, estimate.high))
    return {key: np.array(rows) for key, rows in found.items()}


def summarised(map_name: str, unequal: bool, groups: int, simulations: int) -> list[dict]:
    found = simulate(map_name, unequal, groups, simulations)
    rows = []
    for (form, score), values in found.items():
        truth = float(found["as given", score][:, 0].mean())
        if score.startswith("CalibScore"):
            truth = float(np.sqrt(true_mse_groups(MAPS[map_name])))
        _, low, high = values.T
        rows.append(
            {
                "map": map_name,
                "sizes": "unequal" if unequal else "equal",
                "form": form,
                "score": score,
                "simulations": simulations,
                "truth": f"{truth:.6f}",
                "coverage": f"{100 * np.mean((low <= truth) & (truth <= high)):.1f}",
                "low": f"{100 * np.mean(low > truth):.1f}",
                "high": f"{100 * np.mean(high < truth):.1f}",
                "width": f"{np.median(high - low):.6f}",
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--groups", type=int, default=50_000)
    parser.add_argument("-o", "--output", default=None)
    given = parser.parse_args()
    done: list[dict] = []
    if given.output and Path(given.output).exists():
        with Path(given.output).open() as file:
            done = list(csv.DictReader(file))
    for map_name in MAPS:
        for unequal in (False, True):
            sizes = "unequal" if unequal else "equal"
            if any(row["map"] == map_name and row["sizes"] == sizes for row in done):
                continue
            for row in summarised(map_name, unequal, given.groups, given.simulations):
                done.append(row)
                print(*(row[field] for field in FIELDS), sep="  ", flush=True)
            if given.output:
                with Path(given.output).open("w", newline="") as file:
                    writer = csv.DictWriter(file, FIELDS)
                    writer.writeheader()
                    writer.writerows(done)


if __name__ == "__main__":
    main()
