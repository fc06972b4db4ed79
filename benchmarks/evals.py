"""Reading evaluation logs: time beside `json.loads` of the same lines, and memory.

    python benchmarks/evals.py                       100,000 questions, 10,000 samples
    python benchmarks/evals.py --questions 10000     a quick look

The log of lm-evaluation-harness has four options for each question. "read and scored" is
`score_evals(read_evals(log), kind="choice")` with its interval. The log of Inspect has samples
with messages and events of 36 kB each, which nobody needs. Memory is the peak of a process of its
own that only reads (scoring compiles, which takes more), less that of one that reads a small log.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import unshadow  # noqa: F401  (before numba is imported)

MEASURE = """
import re, sys
import calibrant as cb
cb.read_evals(sys.argv[1])
status = open("/proc/self/status").read()  # the peak of rusage would be that of the parent, too
print(int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) * 1024)
"""


def lm_eval_log(path: Path, questions: int) -> None:
    generator = np.random.default_rng(0)
    loglik = -generator.exponential(2, (questions, 4))
    with path.open("w") as file:
        for k, row in enumerate(loglik.round(4).tolist()):
            gold = int(generator.integers(4))
            requests = {
                f"gen_args_{i}": {"arg_0": f"Question {k}: what is it?\nAnswer:", "arg_1": f" {i}"}
                for i in range(4)
            }
            line = {
                "doc_id": k,
                "doc": {"question": f"Question {k}: what is it?", "subject": f"subject {k % 57}"},
                "target": str(gold),
                "arguments": requests,
                "resps": [[[str(each), "False"]] for each in row],
                "filtered_resps": [[str(each), "False"] for each in row],
                "filter": "none",
                "doc_hash": f"{k:064x}",
                "acc": float(int(np.argmax(row)) == gold),
            }
            file.write(json.dumps(line) + "\n")


def inspect_log(path: Path, samples: int) -> None:
    generator = np.random.default_rng(0)
    unneeded = "text that nobody needs " * 780
    run = {"status": "success", "eval": {"model": "org/m", "task": "t", "task_id": "x"}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(run))
        for k in range(samples):
            token = {"token": "A", "logprob": -float(generator.random()), "top_logprobs": []}
            answer = {"message": {"content": "A"}, "logprobs": {"content": [token]}}
            sample = {
                "id": f"q{k}",
                "epoch": 1,
                "input": "what?",
                "target": "A",
                "metadata": {"category": str(k % 50)},
                "messages": [{"role": "user", "content": unneeded}],
                "events": [{"event": unneeded}],
                "scores": {"match": {"value": "CI"[k % 2], "answer": "A"}},
                "output": {"choices": [answer]},
            }
            archive.writestr(f"samples/q{k}_epoch_1.json", json.dumps(sample))


def parse_lines(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def parse_members(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            json.loads(archive.read(name))


def fastest(works: Sequence[Callable[[Path], object]], path: Path, repeats: int) -> list[float]:
    """The least time of each; they take turns, so that a busy moment is not that of one alone."""
    times = np.full((repeats, len(works)), np.inf)
    for turn in times:
        for i, work in enumerate(works):
            begin = time.perf_counter()
            work(path)
            turn[i] = time.perf_counter() - begin
    return [float(each) for each in times.min(axis=0)]


def peak(*arguments: str) -> int:
    command = [sys.executable, "-c", MEASURE, *arguments]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    import calibrant as cb

    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "samples_made_2026-01-01T00-00-00.jsonl")
        archive = Path(folder, "log.eval")
        lm_eval_log(lines, options.questions)
        inspect_log(archive, options.samples)
        Path(folder, "small").mkdir()
        few_lines, small = (Path(folder, "small", each.name) for each in (lines, archive))
        lm_eval_log(few_lines, 500)
        inspect_log(small, 500)
        for path, few, parse, kind in (
            (lines, few_lines, parse_lines, "choice"),
            (archive, small, parse_members, "token"),
        ):

            def read(path: Path) -> object:
                return cb.read_evals(path)

            def scored(path: Path, kind: str = kind) -> object:
                return cb.score_evals(cb.read_evals(path), kind=kind)

            scored(path)  # compile first
            plain, own, all_of_it = fastest((parse, read, scored), path, options.repeats)
            used = peak(str(path)) - peak(str(few))
            print(
                f"{path.name}: {path.stat().st_size / 1e6:.0f} MB; json.loads {plain:.2f} s; "
                f"read {own / plain:.2f} and read and scored {all_of_it / plain:.2f} times that; "
                f"memory {used / 1e6:.0f} MB"
            )


if __name__ == "__main__":
    main()
