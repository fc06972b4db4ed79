"""Time and memory of scoring, beside other packages and a plain sort, in one process.

    python benchmarks/scoring.py                  bins by count at 10^5, 10^6, 10^7 pairs
    python benchmarks/scoring.py kinds            10^7 pairs of four kinds of predictions
    python benchmarks/scoring.py bootstrap        1000 replicates of 50,000 groups
    python benchmarks/scoring.py imports          start-up times

Times are the best of several runs and include building `Pairs` from the arrays. The machine may
be shared and noisy, so look at the ratios: every line is measured beside its rivals. Memory is
the growth of the peak resident size of a fresh process over one call.
"""

import unshadow  # noqa: F401, I001

import argparse
import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import calibrant as cb

KINDS = ("beta", "log", "certain", "rounded")


def data(kind: str, n: int):
    """The predictions of peers' benchmarks, and three kinds that are hard to bin."""
    rng = np.random.default_rng(12345)
    q = rng.beta(0.3, 0.3, n)
    if kind == "log":
        q = 10.0 ** (-12 * rng.random(n))
    elif kind == "certain":
        q = np.where(rng.random(n) < 0.6, np.round(q), q)
    elif kind == "rounded":
        q = np.where(rng.random(n) < 0.5, np.round(q, 3), q)
    return (rng.random(n) < q).astype(np.int64), q


def ours(y, q, bins):
    return cb.ECE(count=bins, debiased=False)(cb.Pairs(y, q))


def our_score_and_curve(y, q, bins):
    pairs = cb.Pairs(y, q)
    cb.score(pairs, cb.CalibScore(count=bins), interval=None)
    return cb.curve(pairs, cb.AdaptiveBins(count=bins))


def plain_sort(y, q, bins):
    return np.sort(q)


def probcal(y, q, bins):
    from probcal.metrics import ece

    return ece(y, q, n_bins=bins, strategy="mass")


def sklearn(y, q, bins):
    from sklearn.calibration import calibration_curve

    return calibration_curve(y, q, n_bins=bins, strategy="quantile")


def calibre(y, q, bins):
    import calibre as package

    if hasattr(package, "plugin_calibration_error"):
        return package.plugin_calibration_error(y, q, n_bins=bins, norm=1)
    return package.binned_calibration_error(y, q, n_bins=bins, strategy="quantile")


def uncertainty(y, q, bins):
    from calibration import get_ece_em

    return get_ece_em(q, y, num_bins=bins)


def netcal(y, q, bins):
    from netcal.metrics import ECE

    return ECE(bins, equal_intervals=False).measure(q, y)


def torchmetrics(y, q, bins):
    """Bins of equal width: it has no others."""
    import torch
    from torchmetrics.functional.classification import binary_calibration_error

    return binary_calibration_error(torch.from_numpy(q), torch.from_numpy(y), n_bins=bins)


Rival = Callable[[np.ndarray, np.ndarray, int], object]
RIVALS: dict[str, Rival] = {
    "calibrant": ours,
    "calibrant, score and curve": our_score_and_curve,
    "numpy.sort(q)": plain_sort,
    "probcal": probcal,
    "scikit-learn": sklearn,
    "calibre": calibre,
    "uncertainty-calibration": uncertainty,
    "netcal": netcal,
    "torchmetrics": torchmetrics,
}
MODULES = {"scikit-learn": "sklearn", "uncertainty-calibration": "calibration"}
SLOW = {"uncertainty-calibration": 10**6}  # largest n it is asked for


def installed(name: str) -> bool:
    if name.startswith("calibrant") or name == "numpy.sort(q)":
        return True
    return importlib.util.find_spec(MODULES.get(name, name)) is not None


def best(call: Callable[[], object], least: int = 3, seconds: float = 1.0) -> float:
    """The best time of several calls; the first, which may compile or import, is left out."""
    call()
    times: list[float] = []
    while (len(times) < least or sum(times) < seconds) and sum(times) < 5:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def peak_memory(name: str, kind: str, n: int, bins: int) -> float:
    """Growth of the peak resident size over one call, in MB, in a process of its own."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import scoring as s; "
        f"s.RIVALS[{name!r}](*s.data({kind!r}, 50_000), {bins}); "
        f"y, q = s.data({kind!r}, {n}); "
        "import gc; gc.collect(); "
        "f = open('/proc/self/clear_refs', 'w'); f.write('5'); f.close(); "
        "peak = lambda: int([l for l in open('/proc/self/status') if 'VmHWM' in l][0].split()[1]); "
        "before = peak(); "
        f"s.RIVALS[{name!r}](y, q, {bins}); "
        "print((peak() - before) / 1024)"
    )
    folder = __file__.rsplit("/", 1)[0]
    done = subprocess.run(
        [sys.executable, "-c", code, folder], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def table(kind: str, n: int, bins: int, memory: bool) -> None:
    y, q = data(kind, n)
    names = [name for name in RIVALS if installed(name) and n <= SLOW.get(name, n)]
    times = {name: best(lambda name=name: RIVALS[name](y, q, bins)) for name in names}
    own = times["calibrant, score and curve"]
    print(f"\n{kind}, n = {n:,}, {bins} bins (input {(y.nbytes + q.nbytes) / 2**20:.0f} MB)")
    for name, seconds in times.items():
        line = f"  {name:28} {seconds:9.4f} s  {seconds / own:7.2f} x"
        if memory:
            line += f"  {peak_memory(name, kind, n, bins):7.0f} MB"
        print(line, flush=True)


def by_count() -> None:
    for n in (10**5, 10**6, 10**7):
        for bins in (15, 100, int(np.sqrt(n))):
            table("beta", n, bins, memory=n == 10**7)


def kinds() -> None:
    for kind in KINDS:
        for bins in (15, 1000):
            table(kind, 10**7, bins, memory=True)


def bootstrap() -> None:
    n, groups = 10**6, 50_000
    rng = np.random.default_rng(1)
    q = rng.beta(0.3, 0.3, n)
    y = (rng.random(n) < q).astype(np.int64)
    pairs = cb.Pairs(y, q, group=rng.integers(0, groups, n))
    for name, data in (("groups", pairs), ("no groups", cb.Pairs(y, q))):
        seconds = best(lambda data=data: cb.score(cb.Pairs(data.y, data.q, group=data.group)))
        sort = best(lambda: np.sort(q))
        print(
            f"1000 replicates, {n:,} pairs, {name}: {seconds:.3f} s, "
            f"{seconds / sort:.1f} x numpy.sort(q)"
        )


def imports() -> None:
    def start(*words: str) -> float:
        return best(lambda: subprocess.run(words, capture_output=True, check=True), least=7)

    numpy = start(sys.executable, "-c", "import numpy")
    own = start(sys.executable, "-c", "import calibrant")
    heavy = start(sys.executable, "-c", "import scipy.stats, matplotlib.pyplot")
    light = start(sys.executable, "-c", "import scipy.stats, matplotlib")
    shown = start(sys.executable, "-c", "from calibrant.cli.main import run; run()", "--help")
    print(f"import calibrant: {own:.3f} s, {own / numpy:.2f} x import numpy")
    print(
        f"calibrant --help: {shown:.3f} s, {shown / light:.2f} x import scipy.stats, matplotlib "
        f"({shown / heavy:.2f} x with pyplot)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = {"count": by_count, "kinds": kinds, "bootstrap": bootstrap, "imports": imports}
    parser.add_argument("part", nargs="?", default="count", choices=parts)
    parts[parser.parse_args().part]()


if __name__ == "__main__":
    main()
