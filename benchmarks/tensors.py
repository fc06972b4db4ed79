"""Speed of `Accumulator` on a GPU, as ratios to the least that could be done there.

    python benchmarks/tensors.py                 2.7e8 pairs, and 2048 rows of 128,256 logits
    python benchmarks/tensors.py --scale 0.1     a tenth of both

Pairs (float32 q, uint8 y, on the GPU) are compared with y.sum() and q.sum() there, logits with
torch.softmax of them. Times are medians of device time, after warming up; each ratio is of two
times in one process. Beside them: the same pairs by torchmetrics' binary_calibration_error, if it
is installed. Needs torch with CUDA and Triton, whose timer is used.
"""

import unshadow  # noqa: F401, I001

import argparse
import importlib.util
from collections.abc import Callable

import torch
from triton.testing import do_bench

from calibrant.tensors import Accumulator

PAIRS, ROWS, LABELS = 270_000_000, 2048, 128_256


def time(call: Callable[[], object]) -> float:
    """The median device time in milliseconds."""
    call()
    return float(do_bench(call, warmup=50, rep=300, return_mode="median"))


def report(what: str, took: float, base: float) -> None:
    print(f"{what:52} {took:9.3f} ms  {took / base:6.2f} times", flush=True)


def predictions(kind: str, count: int) -> torch.Tensor:
    q = torch.rand(count, device="cuda")
    if kind == "one value":
        return q.fill_(0.37)
    if kind != "uniform":
        small = torch.rand(count, device="cuda") < 0.9
        q = torch.where(small, 10 ** (9 * torch.rand(count, device="cuda") - 12), q)
    return q


def add_pairs(scale: float) -> None:
    for kind in ("uniform", "90 % below 0.001", "one value"):
        q = predictions(kind, int(PAIRS * scale))
        y = (torch.rand_like(q) < q).to(torch.uint8)
        base = time(lambda q=q, y=y: (y.sum(), q.sum()))
        print(f"\n{q.numel():,} pairs, {kind}")
        report("y.sum(), q.sum()", base, base)
        report("add(y, q)", timed_add(y, q), base)
        report("add(y, q), boolean y", timed_add(y.bool(), q), base)
        report("add(y, q), int64 y", timed_add(y.long(), q), base)
        report("add(y, q), float64 q", timed_add(y, q.double()), base)
        group = torch.arange(q.numel(), device="cuda") // 100
        report("add(y, q, group), 4096 folds", timed_add(y, q, group, folds=4096), base)
        if importlib.util.find_spec("torchmetrics"):
            from torchmetrics.functional.classification import binary_calibration_error as ece

            report("torchmetrics", time(lambda q=q, y=y: ece(q, y, validate_args=False)), base)
        del q, y, group
        torch.cuda.empty_cache()


def timed_add(y: torch.Tensor, q: torch.Tensor, *group: torch.Tensor, **options: int) -> float:
    accumulator = Accumulator(**options)
    took = time(lambda: accumulator.add(y, q, *group))
    assert accumulator.n % q.numel() == 0
    return took


def logits_of(kind: str, rows: int) -> torch.Tensor:
    spread = 3 if kind == "normal(0, 3)" else 1
    x = torch.randn(rows, LABELS, device="cuda") * spread
    if kind == "equal, one 15 above":
        x.fill_(1.5)
    if kind != "normal(0, 3)":
        x[torch.arange(rows), torch.randint(LABELS, (rows,), device="cuda")] += 15
    return x


def add_logits(scale: float) -> None:
    rows = int(ROWS * scale)
    for kind in ("normal(0, 3)", "normal, one 15 above", "equal, one 15 above"):
        for dtype in (torch.bfloat16, torch.float16, torch.float32):
            x = logits_of(kind, rows).to(dtype)
            labels = torch.randint(LABELS, (rows,), device="cuda")
            base = time(lambda x=x: torch.softmax(x, -1))
            print(f"\n{rows} rows of {LABELS:,} logits, {dtype}, {kind}")
            report("torch.softmax", base, base)
            for every in (False, True):
                accumulator = Accumulator()
                call = accumulator.add_logits
                took = time(lambda x=x, labels=labels, e=every, c=call: c(x, labels, e))
                report(f"add_logits, {'every' if every else 'top'} label", took, base)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0)
    scale = parser.parse_args().scale
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    add_pairs(scale)
    add_logits(scale)


if __name__ == "__main__":
    main()
