"""The console blocks of the README and the documentation show what the commands really print.

`python tests/docs/test_console_blocks.py --update` writes their present output into the pages.
"""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.pairs.synthetic import identity, inward, outward, sample, sample_groups

pty = pytest.importorskip("pty")

TOP = Path(__file__).parents[2]
PAGES = [
    path.relative_to(TOP).as_posix()
    for path in [TOP / "README.md", *sorted(TOP.glob("docs/**/*.md"))]
    if "```console\n" in path.read_text("utf-8")
]
EXTREME = {"preds.csv": lambda: sample(7152, inward(0.1), seed=1)}
SHIPPED = "src/calibrant/data/tweets.parquet"
ANSWERS = "src/calibrant/data/mmlu-pro.parquet"
TWEETS = {SHIPPED: lambda: TOP / SHIPPED}
MIXED = "gold,prob\n0,0.2\n1,1.7\nyes,0.4\n"


def answers():
    """Eight draws a question, of a calibrated model."""
    rng = np.random.default_rng(5)
    belief = rng.beta(0.4, 0.6, 3000)
    right = rng.random(3000) < belief
    columns = {"right": right.astype("int8"), "agree": rng.binomial(8, belief)}
    return polars.DataFrame(columns).write_csv()


def attempts(seed=6, power=2):
    """Answers of an overconfident model to 600 questions in 12 subjects."""
    gold = np.random.default_rng(0).choice(list("ABCD"), 600)
    rng = np.random.default_rng(seed)
    fields = ("law", "art", "math", "music")
    subject = np.repeat([f"{field} {level}" for field in fields for level in (1, 2, 3)], 50)
    guess = rng.choice(list("ABCD"), 600)
    token = np.round(rng.uniform(0.3, 1, 600), 4)
    right = rng.random(600) < token**power
    stated = [f"{p}%" for p in rng.choice([80, 90, 95, 100], 600)]
    answer = np.where(right, gold, guess)
    answer[17] = ""
    columns = {
        "category": subject,
        "correct_answer": gold,
        "extracted_answer": answer,
        "stated_confidence": stated,
        "token_probability": token,
    }
    return polars.DataFrame(columns).write_csv()


def samples():
    """Options of 300 questions in the format of lm-evaluation-harness."""
    rng = np.random.default_rng(7)
    lines = []
    for k in range(300):
        loglik = np.log(rng.dirichlet([0.5, 0.5, 0.5]))
        gold = int(rng.choice(3, p=np.exp(loglik)))
        responses = [[str(each), "False"] for each in loglik]
        row = {
            "doc_id": k,
            "doc": {"topic": f"topic {k % 20}"},
            "target": str(gold),
            "arguments": {
                f"gen_args_{i}": {"arg_0": "Q", "arg_1": f" {word}"}
                for i, word in enumerate(("one", "three", "seven"))
            },
            "resps": [[each] for each in responses],
            "filtered_resps": responses,
            "filter": "none",
            "acc": float(loglik.argmax() == gold),
        }
        lines.append(json.dumps(row) + "\n")
    return "".join(lines)


def chains():
    """Four chains for each of 300 questions with two options, of an overconfident model."""
    rng = np.random.default_rng(10)
    lines = []
    for k in range(300):
        belief = rng.beta(3, 1)  # in the answer of most chains
        said = np.where(rng.random(4) < belief, 0, 1)
        other = -rng.exponential(4, 4).round(1) - 0.5
        logliks = [
            [-0.5, each] if one == 0 else [each, -0.5]
            for one, each in zip(said, other, strict=True)
        ]
        gold = "AB"[int(rng.random() > belief**2)]
        row = {
            "doc": {"id": f"q{k}", "Label": gold},
            "preds": said.tolist(),
            "pred_logliks": logliks,
        }
        lines.append(json.dumps(row) + "\n")
    return "".join(lines)


def responses():
    """Chat completions with log-probabilities of a letter, of an overconfident model."""
    rng = np.random.default_rng(8)
    lines = []
    for k in range(200):
        belief = rng.uniform(0.4, 0.98)
        top = {"A": 0.9 * belief, " A": 0.1 * belief, "B": 0.9 * (1 - belief)}
        listed = [{"token": name, "logprob": float(np.log(p))} for name, p in top.items()]
        content = [listed[0] | {"top_logprobs": listed}]
        choice = {"message": {"content": "A"}, "logprobs": {"content": content}}
        lines.append(json.dumps({"question": f"q{k}", "model": "m", "choices": [choice]}) + "\n")
    return "".join(lines)


def gold_letters():
    rng = np.random.default_rng(9)
    letters = rng.choice(["A", "B"], 200, p=[0.6, 0.4])
    columns = {"question": [f"q{k}" for k in range(200)], "gold": letters}
    return polars.DataFrame(columns).write_csv()


def reviews():
    """Predictions that are too high for one genre, about sentences with a marked word."""
    rng = np.random.default_rng(12)
    n = 2400
    q, genre = rng.beta(0.6, 0.8, n), rng.choice(["news", "web", "fiction"], n, p=[0.5, 0.3, 0.2])
    words = rng.choice(["fine", "dull", "touching", "slow"], n)
    columns = {
        "gold": (rng.random(n) < np.where(genre == "web", q**2, q)).astype(int),
        "prob": q.round(4),
        "doc": rng.integers(0, 120, n),
        "genre": genre,
        "length": rng.integers(3, 60, n),
        "text": [f"a {word} story" for word in words],
        "begin": [2] * n,
        "end": [2 + len(word) for word in words],
    }
    return polars.DataFrame(columns).write_csv()


def replaced(name):
    """Predictions of a model, and those of a worse one in another order."""
    pairs = sample(3000, seed=2)
    columns = {"id": np.arange(3000), "gold": pairs.y.astype("int8"), "prob": pairs.q}
    old = polars.DataFrame(columns)
    new = old.with_columns(prob=0.05 + 0.9 * pairs.q).reverse()
    return {"old": old, "new": new}[name].write_csv()


def news(seed=1, drop=("truth",)):
    """The data of examples/news.py."""
    made = runpy.run_path(str(TOP / "examples" / "news.py"))["make"](seed)
    return made.drop(drop).write_csv()


def labels():
    """The labels of the same, in a table of their own."""
    made = runpy.run_path(str(TOP / "examples" / "news.py"))["make"]()
    return made.drop_nulls("y").select("id", "y").write_csv()


def older():
    """Labelled sentences of the first year of other news."""
    made = runpy.run_path(str(TOP / "examples" / "news.py"))["make"](2)
    made = made.filter(polars.col("date") < "2020")
    return made.select("article", "prob", y="truth").head(1500).write_csv()


# the files that the commands of a page read: the pairs of its Python examples, the text of the
# file, or a path in the repository
FILES = {
    "README.md": {**TWEETS, ANSWERS: lambda: TOP / ANSWERS},
    "docs/index.md": TWEETS,
    "docs/counting-events.md": {"news.csv": news},
    "docs/how-to/count.md": {"news.csv": news, "labels.csv": labels, "older.csv": older},
    "docs/tutorial.md": {
        "tagger.csv": lambda: sample_groups(400, inward(0.08), seed=5),
        "newer.csv": lambda: sample_groups(400, identity, seed=6),
    },
    "docs/how-to/describe.md": {"tokens.csv": lambda: sample_groups(300, inward(0.1), seed=4)},
    "docs/how-to/draws.md": {"answers.csv": answers},
    "docs/how-to/figures.md": {
        "crf.csv": lambda: sample(8000, a=0.5, b=0.5, seed=1),
        "hmm.csv": lambda: sample(8000, outward(0.1), a=0.5, b=0.5, seed=2),
    },
    "docs/how-to/files-and-columns.md": {
        "verbs.csv": lambda: sample_groups(100, inward(0.05), seed=7),
        "mixed.csv": lambda: MIXED,
    },
    "docs/how-to/language-models.md": {
        "gpt.csv": attempts,
        "gemma.csv": lambda: attempts(seed=8, power=4),
        "samples_sums_2026-01-21T03-44-18.jsonl": samples,
        "chains.jsonl": chains,
        "responses.jsonl": responses,
        "gold.csv": gold_letters,
    },
    "docs/how-to/gate.md": {
        "preds.csv": lambda: sample(5000, inward(0.06), seed=2),
        "old.csv": lambda: replaced("old"),
        "new.csv": lambda: replaced("new"),
    },
    "docs/how-to/groups.md": {"tokens.csv": lambda: sample_groups(300, seed=2)},
    "docs/how-to/large-data.md": {
        "monday.csv": lambda: sample_groups(700, inward(0.05), seed=11),
        "tuesday.csv": lambda: sample_groups(700, inward(0.05), seed=12),
    },
    "docs/how-to/recalibrate.md": {
        "dev.csv": lambda: sample_groups(200, inward(0.15), seed=13),
        "test.csv": lambda: sample_groups(300, inward(0.15), seed=14),
    },
    "docs/how-to/intervals.md": {"preds.csv": lambda: sample(5000, inward(0.05), seed=3)},
    "docs/how-to/slices.md": {"preds.csv": reviews},
    "docs/reference/command-line.md": EXTREME,
}
USUAL = ("sent", "gold", "prob")  # the columns of most files
NAMES = {"verbs.csv": ("sent_id", "is_verb", "p_verb")}  # the columns of the other files
# commands that install or check something; they are run only if their output is shown
ELSEWHERE = ("pip install", "cd ", "./run", "./check", "jq", "zensical")


class Step(NamedTuple):
    """A command, and where its output is in the page."""

    command: str
    start: int
    end: int


def steps(text):
    """The commands of a page that are run, in order.

    Commands after the last output of a block are shown but not run. An earlier command without
    output is run, because later commands may need its result, unless it installs or checks.
    """
    found = []
    for block in re.finditer(r"^```console\n(.*?)^```$", text, re.M | re.S):
        shown = [step for step in commands(block[1], block.start(1)) if not elsewhere(step, text)]
        while shown and not output(shown[-1], text):
            shown.pop()
        found += shown
    return found


def commands(block, offset):
    """All commands of a block; after a backslash a command continues on a line with >."""
    found = list(re.finditer(r"^\$ (.*(?:(?<=\\)\n> .*)*)\n", block, re.M))
    ends = [*(each.start() for each in found[1:]), len(block)]
    return [
        Step(each[1].replace("\n> ", "\n"), offset + each.end(), offset + end)
        for each, end in zip(found, ends, strict=True)
    ]


def output(step, text):
    return text[step.start : step.end].strip()


def elsewhere(step, text):
    return step.command.startswith(ELSEWHERE) and not output(step, text)


def write_files(page, folder):
    for name, make in FILES.get(page, {}).items():
        content = make()
        if isinstance(content, Path):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(content, folder / name)
            continue
        if isinstance(content, cb.Pairs):
            group, y, q = NAMES.get(name, USUAL)
            columns = {} if content.group is None else {group: content.group}
            columns |= {y: content.y.astype("int8"), q: content.q}
            content = polars.DataFrame(columns).write_csv()
        (folder / name).write_text(content, "utf-8")


def run(command, folder):
    """What a command prints on a terminal."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    terminal = {"PATH": path, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "200"}
    reader, writer = pty.openpty()
    with subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, **terminal},
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
    ):
        os.close(writer)
        printed = b"".join(iter(lambda: read(reader), b""))
    os.close(reader)
    return printed.decode().replace("\r\n", "\n")


def read(reader):
    try:
        return os.read(reader, 65536)
    except OSError:  # Linux reports in this way that the other end is closed
        return b""


def normalised(text):
    """The text without what may differ: trailing blanks and digits beyond the tenth."""
    text = re.sub(r" +$", "", text.strip("\n"), flags=re.M)
    return re.sub(r"\d\.\d{11,}", lambda number: f"{float(number[0]):.10f}", text)


@pytest.mark.parametrize("page", PAGES)
def test_console_blocks(page, tmp_path):
    text = (TOP / page).read_text("utf-8")
    write_files(page, tmp_path)
    for command, start, end in steps(text):
        shown = re.sub(r"calibrant=\d[\w.+]*", f"calibrant={cb.__version__}", text[start:end])
        printed = run(command, tmp_path)
        assert f"$ {command}\n{normalised(printed)}" == f"$ {command}\n{normalised(shown)}"


def update(page):
    """Write what the commands of a page print into it."""
    text = (TOP / page).read_text("utf-8")
    parts, done = [], 0
    with tempfile.TemporaryDirectory() as folder:
        write_files(page, Path(folder))
        for command, start, end in steps(text):
            blank = text[start:end].endswith("\n\n")  # a line between two commands
            parts += [text[done:start], run(command, folder), "\n" * blank]
            done = end
    (TOP / page).write_text("".join(parts) + text[done:], "utf-8")


if __name__ == "__main__" and sys.argv[1:2] == ["--update"]:
    for page in sys.argv[2:] or PAGES:
        update(page)
