"""The job for Spark, submitted to a cluster of two workers on this machine."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars
import pytest

import calibrant as cb

pytestmark = pytest.mark.engines

JOB = Path(__file__).parents[2] / "examples" / "spark_job.py"
SUBMIT = Path(sys.executable).parent / "spark-submit"
CLUSTER = "local-cluster[2,1,1024]"  # workers, cores and MB of each
PARTS = 8
LONGEST = 900  # seconds: a job takes 20, and minutes on busy cores


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder of parts, as jobs leave them."""
    if not SUBMIT.exists():
        pytest.skip("pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed, which Spark needs")
    folder = tmp_path_factory.mktemp("parts")
    for part in range(PARTS):
        rng = np.random.default_rng(part)
        q = rng.beta(0.3, 0.3, 100_000)
        y = (rng.random(q.size) < q).astype(np.int8)
        frame = polars.DataFrame({"right": y, "p": q, "doc": rng.integers(0, 9000, q.size)})
        frame.write_parquet(folder / f"part-{part}.parquet")
    return folder


@contextmanager
def submitted(data, folder):
    """A job that was started, and ends with the block; summary and log are in the folder."""
    columns = ["--y", "right", "--q", "p", "--group", "doc"]
    quiet = ["--conf", "spark.ui.enabled=false", "--conf", "spark.ui.showConsoleProgress=false"]
    command = [SUBMIT, "--master", CLUSTER, *quiet, JOB, data]
    command += [folder / "summary.parquet", *columns]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            [str(each) for each in command],
            env=os.environ | {"PYSPARK_PYTHON": sys.executable},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as job,
    ):
        try:
            yield job
        finally:
            job.terminate()


def check(job, data, folder):
    """The answer is that of the files."""
    out, _ = job.communicate(timeout=LONGEST)
    assert job.returncode == 0, (folder / "log").read_text()[-3000:]
    expected = cb.scan(data, y="right", q="p", group="doc")
    assert str(cb.score(expected)) in out
    found = cb.read(folder / "summary.parquet")
    assert found.folds == expected.folds
    np.testing.assert_array_equal(found.q, expected.q)
    np.testing.assert_array_equal(found.weight, expected.weight)
    np.testing.assert_array_equal(found.group, expected.group)


def test_job(data, tmp_path):
    with submitted(data, tmp_path) as job:
        check(job, data, tmp_path)


def executors(job):
    """The processes of executors that belong to a job."""
    parent, words = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent[int(place.name)] = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
            words[int(place.name)] = (place / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue

    def belongs(process):
        while process in parent and process != job.pid:
            process = parent[process]
        return process == job.pid

    return [each for each in words if b"CoarseGrainedExecutor" in words[each] and belongs(each)]


def test_job_that_loses_an_executor(data, tmp_path):
    if not Path("/proc").exists():
        pytest.skip("finding executors needs /proc")
    with submitted(data, tmp_path) as job:
        while "(TID 2)" not in (tmp_path / "log").read_text():  # until both executors have work
            assert job.poll() is None, (tmp_path / "log").read_text()[-3000:]
            time.sleep(0.05)
        os.kill(executors(job)[0], signal.SIGKILL)
        check(job, data, tmp_path)
    assert "Lost executor" in (tmp_path / "log").read_text()


def test_job_with_a_bad_part(data, tmp_path):
    parts = tmp_path / "parts"
    shutil.copytree(data, parts)
    whole = (parts / "part-3.parquet").read_bytes()
    (parts / "part-3.parquet").write_bytes(whole[: len(whole) // 2])
    with submitted(parts, tmp_path) as job:
        out, _ = job.communicate(timeout=LONGEST)  # spark-submit joins the errors of Python to it
    assert job.returncode == 1
    assert re.search(r"^Pyspark could not sum the rows .*part-3\.parquet", out, re.MULTILINE)
    assert not (tmp_path / "summary.parquet").exists()
