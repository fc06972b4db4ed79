"""Sums over several processes of torch.distributed."""

import subprocess
import sys

import numpy as np
import pytest
from made_tensors import NO_TORCH

from calibrant.tensors import Accumulator

WORKER = """
import sys
import numpy as np
import torch
from torch import distributed
from calibrant.tensors import Accumulator

rank, file, kind = int(sys.argv[1]), sys.argv[2], sys.argv[3]
meet = "file://" + file + ".meet"
distributed.init_process_group("gloo", init_method=meet, rank=rank, world_size=2)
calls = []
reduce = distributed.all_reduce
distributed.all_reduce = lambda *a, **k: (calls.append(1), reduce(*a, **k))
stored = np.load(file)
accumulator = Accumulator(folds=2)
mine = np.arange(rank, stored["q"].size, 2)
if kind != "one" or rank == 0:
    y, q, group = (stored[name][mine] for name in ("y", "q", "group"))
    if kind == "wrong" and rank == 0:
        q[0] = 7
    if kind == "torch":
        y, q, group = map(torch.from_numpy, (y, q, group))
    accumulator.add(y, q, group)
try:
    total = accumulator.all_reduce()
    again = accumulator.all_reduce()
except ValueError as error:
    print(error)
else:
    assert again.pairs() == total.pairs()
    assert len(calls) == 2
    pairs = total.pairs()
    np.savez(file + f".{rank}.npz", y=pairs.y, q=pairs.q, weight=pairs.weight, group=pairs.group)
distributed.destroy_process_group()
"""


def run_two(tmp_path, kind):
    rng = np.random.default_rng(0)
    q = rng.random(1001)
    stored = {"y": rng.random(1001) < q, "q": q, "group": np.arange(1001) // 7}
    file = tmp_path / "pairs.npz"
    np.savez(file, **stored)
    commands = [[sys.executable, "-c", WORKER, str(rank), str(file), kind] for rank in (0, 1)]
    started = [
        subprocess.Popen(each, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for each in commands
    ]
    ended = [each.communicate(timeout=120) for each in started]
    assert [each.returncode for each in started] == [0, 0], ended[0][1] + ended[1][1]
    return stored, file, [out for out, _ in ended]


@NO_TORCH
@pytest.mark.parametrize("kind", ["numpy", "torch", "one"])
def test_two_processes_are_one(tmp_path, kind):
    stored, file, _ = run_two(tmp_path, kind)
    there = slice(None, None, 2) if kind == "one" else slice(None)
    alone = Accumulator(folds=2)
    alone.add(*(stored[name][there] for name in ("y", "q", "group")))
    for rank in (0, 1):
        found = np.load(f"{file}.{rank}.npz")
        for name in ("y", "q", "weight", "group"):
            assert (found[name] == getattr(alone.pairs(), name)).all()


@NO_TORCH
def test_wrong_values_are_raised_in_all_processes(tmp_path):
    _, _, printed = run_two(tmp_path, "wrong")
    assert "1 value of q does not (7 for example)" in printed[0]
    assert "1 value of q does not." in printed[1]
