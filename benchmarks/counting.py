"""Counts: how often intervals contain the truth, how wide they are, and how fast they come.

    python benchmarks/counting.py -o counting.csv          every cell, an hour or two on one core
    python benchmarks/counting.py --simulations 50         a quick look
    python benchmarks/counting.py --table counting.csv     as Markdown
    python benchmarks/counting.py --speed                  beside polars' group-by

Every cell draws fresh documents with known answers. "posterior" is the interval of the model's own
probabilities; "rectified" uses labels drawn at random, for the share in the collection;
"population" the same for the share in the population; "recalibrated" and "shifted" use labels of
other documents. "ppi_py" is `ppi_mean_ci` of ppi-python, and "glide" the
`ClusteredPPIMeanEstimator` of glide-py (Python 3.12 or newer), both for the population; they are
left out if not installed. A cell that is in the CSV already is not run again, so an interrupted run
goes on where it was.
"""

import unshadow  # noqa: F401, I001

import argparse
import csv
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibrant as cb
from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Limits = tuple[float, float]
BASE, SPREAD = 0.3, 1.2  # typical share of yes, and the spread of logits
TOPIC, DOUBT = 0.6, 0.6  # spreads of documents: known to the model, and not
WRONG = (0.7, -0.3)  # slope and intercept of the logits of a miscalibrated model
FIELDS = ("cell", "estimator", "simulations", "coverage", "low", "high", "width", "holds")
NODES = np.polynomial.hermite_e.hermegauss(15)
GRID = np.linspace(-12, 12, 4001)  # logits known to the model, and the share of yes at each
MIXED = (expit(GRID[:, None] + DOUBT * NODES[0]) * NODES[1]).sum(axis=1) / NODES[1].sum()


@dataclass(frozen=True)
class Cell:
    """How documents, the model and labels are."""

    groups: int = 0  # 0: rows are independent
    sizes: str = "equal"
    drawn: str = "rows"  # or groups
    labels: int = 300  # rows, or groups
    wrong: bool = False
    shift: str = ""  # "none", "base rate" or "covariate": labels are from elsewhere

    @property
    def name(self) -> str:
        """The key in the CSV."""
        what = f"{self.groups} groups, {self.sizes}" if self.groups else "independent"
        model = "miscalibrated" if self.wrong else "calibrated"
        where = f", elsewhere, shift: {self.shift}" if self.shift else ""
        return f"{what}; {self.labels} {self.drawn} labelled{where}; {model}"

    def group_sizes(self) -> NDArray[np.int64]:
        """Rows of each group: 20, or as 1 / rank^0.7."""
        if self.sizes == "equal":
            return np.full(self.groups, 20)
        return np.maximum((200 / np.arange(1, self.groups + 1) ** 0.7).astype(np.int64), 2)


def cells() -> list[Cell]:
    """All cells, the quickest first."""
    models = (False, True)
    found = [Cell(labels=n, wrong=w) for n in (50, 300, 1000, 5000) for w in models]
    for drawn in (15, 40, 100, 400):
        for sizes in ("equal", "unequal"):
            found += [Cell(5 * drawn, sizes, "groups", drawn, w) for w in models]
    for groups in (15, 40, 400):
        for sizes in ("equal", "unequal"):
            found += [Cell(groups, sizes, "rows", min(300, 5 * groups), w) for w in models]
    for shift in ("none", "base rate", "covariate"):
        found += [Cell(0, "equal", "rows", n, w, shift) for n in (300, 2000) for w in models]
        found += [Cell(100, "equal", "groups", n, w, shift) for n in (40, 100) for w in models]
    return found


def draw(
    cell: Cell, rng: np.random.Generator, groups: int, rows: int, shifted: bool
) -> tuple[Float, Float, NDArray[np.int64] | None]:
    """Answers, predictions and groups of documents."""
    sizes = None
    if groups:
        sizes = cell.group_sizes() if groups == cell.groups else np.full(groups, 20)
        rows = int(sizes.sum())
    code = None if sizes is None else np.repeat(np.arange(groups), sizes)
    if cell.shift and cell.shift != "covariate":
        return _by_class(cell, rng, rows, code, groups, shifted)
    centre = logit(BASE) - (1.0 if shifted and cell.shift == "covariate" else 0.0)
    x = rng.normal(centre, SPREAD, rows)
    if code is None:
        p = expit(x)
        y = rng.random(rows) < p
    else:
        x = x + rng.normal(0, TOPIC, groups)[code]
        y = rng.random(rows) < expit(x + rng.normal(0, DOUBT, groups)[code])
        p = np.interp(x, GRID, MIXED)
    return y.astype(float), _believed(cell, p), code


def _by_class(
    cell: Cell,
    rng: np.random.Generator,
    rows: int,
    code: NDArray[np.int64] | None,
    groups: int,
    shifted: bool,
) -> tuple[Float, Float, NDArray[np.int64] | None]:
    """Scores given the answer are the same everywhere; the base rate may differ."""
    rate = 0.15 if shifted and cell.shift == "base rate" else BASE
    rates = np.full(rows, rate)
    if code is not None:
        rates = np.clip(rng.beta(20 * rate, 20 * (1 - rate), groups), 0.001, 0.999)[code]
    y = (rng.random(rows) < rates).astype(float)
    x = rng.normal(np.where(y == 1, 1.0, -1.0), 1.0)
    return y, _believed(cell, expit(2 * x + logit(BASE))), code


def _believed(cell: Cell, p: Float) -> Float:
    if not cell.wrong:
        return p
    slope, shift = WRONG
    return expit(slope * logit(np.clip(p, 1e-12, 1 - 1e-12)) + shift)


def population_share(cell: Cell) -> float:
    """The share of yes in the population, by quadrature over the spread of logits."""
    spread = np.sqrt(SPREAD**2 + (TOPIC**2 + DOUBT**2 if cell.groups else 0.0))
    nodes, weight = np.polynomial.hermite_e.hermegauss(60)
    return float(np.sum(weight * expit(logit(BASE) + spread * nodes)) / weight.sum())


def one(cell: Cell, rng: np.random.Generator, truth: float) -> dict[str, tuple[Limits, float]]:
    """The limits of every estimator, and what they should contain."""
    rows = max(2000, 4 * cell.labels) if cell.drawn == "rows" else 0
    y, q, code = draw(cell, rng, cell.groups, rows, shifted=bool(cell.shift))
    here = Tallies.of_rows(q, group=code)
    found = {"posterior": (limits(here, estimator="posterior"), y.mean())}
    if cell.shift:
        elsewhere = labelled_elsewhere(cell, rng)
        for name in ("recalibrated", "shifted"):
            found[name] = (limits(here, estimator=name, elsewhere=elsewhere), y.mean())
        return found
    gold = np.full(y.size, np.nan)
    if cell.drawn == "rows":
        chosen = rng.choice(y.size, cell.labels, replace=False)
    else:
        chosen = np.flatnonzero(np.isin(code, rng.choice(cell.groups, cell.labels, replace=False)))
    gold[chosen] = y[chosen]
    here = here.with_gold(gold)
    found["rectified"] = (limits(here, labels="random"), y.mean())
    found["population"] = (limits(here, labels="random", target="population"), truth)
    for name, peer in PEERS.items():
        own = peer(gold, q, code)
        if own is not None:
            found[name] = (own, truth)
    return found


def labelled_elsewhere(cell: Cell, rng: np.random.Generator) -> cb.Pairs:
    """Labelled pairs of other documents, drawn without the shift."""
    groups = cell.labels if cell.drawn == "groups" else 0
    y, q, code = draw(cell, rng, groups, cell.labels, shifted=False)
    return cb.Pairs(y, q, group=code)


def limits(tallies: Tallies, **options: object) -> Limits:
    """The interval of the total."""
    total = cb.count(tallies, **options).total
    return total.low, total.high


def by_ppi_py(gold: Float, q: Float, code: object) -> Limits | None:
    """ppi-python, for independent rows."""
    from ppi_py import ppi_mean_ci

    known = ~np.isnan(gold)
    low, high = ppi_mean_ci(gold[known], q[known], q[~known], alpha=0.05)
    return float(np.squeeze(low)), float(np.squeeze(high))


def by_glide(gold: Float, q: Float, code: NDArray[np.int64] | None) -> Limits | None:
    """glide-py, for whole clusters; clusters labelled in part are not supported."""
    from glide.estimators import ClusteredPPIMeanEstimator

    if code is None:
        return None
    known = np.bincount(code, ~np.isnan(gold))
    if not np.isin(known, (0, 1)).all() and not ((known == 0) | (known == np.bincount(code))).all():
        return None
    found = ClusteredPPIMeanEstimator().estimate(gold, q, code)
    interval = found.confidence_interval
    return float(interval.lower_bound), float(interval.upper_bound)


def peers() -> dict[str, Callable[..., Limits | None]]:
    """The other packages that are installed."""
    found: dict[str, Callable[..., Limits | None]] = {}
    for module, name, peer in (("ppi_py", "ppi_py", by_ppi_py), ("glide", "glide", by_glide)):
        try:
            __import__(module)
        except ImportError:
            continue
        found[name] = peer
    return found


PEERS = peers()


def holds(cell: Cell, estimator: str) -> bool:
    """Whether the assumptions of an estimator hold in a cell."""
    if estimator == "posterior":
        return not cell.wrong and not cell.groups and cell.shift != "base rate"
    if estimator == "recalibrated":
        return cell.shift != "base rate"
    if estimator == "shifted":
        return cell.shift != "covariate"
    if estimator in ("ppi_py", "glide"):
        return (estimator == "glide") == bool(cell.groups) and cell.sizes == "equal"
    return True


def measure(cell: Cell, simulations: int) -> list[dict[str, object]]:
    """Coverage and median width of every estimator."""
    rng = np.random.default_rng(abs(hash_of(cell.name)))
    truth = population_share(cell)
    seen: dict[str, list[tuple[bool, bool, float]]] = {}
    for _ in range(simulations):
        for name, ((low, high), wanted) in one(cell, rng, truth).items():
            below, above = wanted < low - 1e-12, wanted > high + 1e-12
            seen.setdefault(name, []).append((below, above, high - low))
    rows = []
    for name, each in seen.items():
        below, above = (float(np.mean([hit[k] for hit in each])) for k in (0, 1))
        width = float(np.median([hit[2] for hit in each]))
        numbers = (1 - below - above, below, above, width)
        texts = [f"{number:.4f}" for number in numbers]
        values = [cell.name, name, simulations, *texts, holds(cell, name)]
        rows.append(dict(zip(FIELDS, values, strict=True)))
    return rows


def hash_of(text: str) -> int:
    """A seed that is the same in every process."""
    from zlib import crc32

    return crc32(text.encode())


def run(path: Path | None, simulations: int, only: str) -> None:
    """Measure every cell that is not in the file yet."""
    done = set()
    if path is not None and path.exists():
        with path.open() as file:
            done = {row["cell"] for row in csv.DictReader(file)}
    for cell in cells():
        if cell.name in done or only not in cell.name:
            continue
        start = time.perf_counter()
        rows = measure(cell, simulations)
        print(f"{cell.name} ({time.perf_counter() - start:.0f} s)", flush=True)
        for row in rows:
            print(f"    {row['estimator']:13} {row['coverage']} width {row['width']}", flush=True)
        if path is not None:
            write(path, rows)


def write(path: Path, rows: list[dict[str, object]]) -> None:
    """Append the rows of a cell."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def table(path: Path) -> None:
    """Print the file as Markdown: coverage in per cent and width; † if assumptions fail."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(row["estimator"] for row in rows))
    print("| cell |", " | ".join(names), "|\n|---|" + "---:|" * len(names))
    for cell in dict.fromkeys(row["cell"] for row in rows):
        held = {row["estimator"]: row for row in rows if row["cell"] == cell}
        texts = [
            f"{100 * float(held[n]['coverage']):.1f}{'' if held[n]['holds'] == 'True' else ' †'} "
            f"({float(held[n]['width']):.3f})"
            if n in held
            else ""
            for n in names
        ]
        print(f"| {cell} |", " | ".join(texts), "|")


def speed() -> None:
    """10⁶ rows in 50,000 documents and 200 categories, beside polars' group-by of the same."""
    import polars

    rng = np.random.default_rng(1)
    n = 1_000_000
    frame = polars.DataFrame(
        {
            "q": rng.beta(0.5, 1.5, n),
            "doc": np.sort(rng.integers(0, 50_000, n)),
            "topic": rng.integers(0, 200, n),
        }
    )
    y = (rng.random(n) < frame["q"].to_numpy()).astype(float)
    some = np.where(rng.random(n) < 0.005, y, np.nan)
    texts = frame.with_columns(polars.format("topic {}", "topic").alias("topic"))
    gold = frame.with_columns(polars.Series("y", some).fill_nan(None))
    whole = polars.col("q")
    sums = (
        polars.len(),
        whole.sum(),
        (whole * (1 - whole)).sum().alias("v"),
        (whole > 0.5).sum().alias("best"),
        polars.col("doc").n_unique(),
    )
    tasks = {
        "polars group-by": lambda: frame.group_by("topic").agg(*sums[:4]),
        "polars group-by, with documents": lambda: frame.group_by("topic").agg(*sums),
        "polars group-by, texts": lambda: texts.group_by("topic").agg(*sums[:4]),
        "posterior": lambda: cb.count(frame, by="topic:100", group="doc"),
        "posterior, texts": lambda: cb.count(texts, by="topic", group="doc"),
        "posterior, texts, no group": lambda: cb.count(texts, by="topic", group=False),
        "rectified, texts": lambda: cb.count(
            gold.with_columns(texts["topic"]), by="topic", group="doc", labels="random rows"
        ),
    }
    for name, task in tasks.items():
        task()
        times = []
        for _ in range(5):
            start = time.perf_counter()
            task()
            times.append(time.perf_counter() - start)
        print(f"{name:35} {1000 * min(times):8.1f} ms")


def main() -> None:
    """Run what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--only", default="", help="cells whose name contains this")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.speed:
        speed()
    elif given.table:
        table(given.table)
    else:
        run(given.output, given.simulations, given.only)


if __name__ == "__main__":
    main()
