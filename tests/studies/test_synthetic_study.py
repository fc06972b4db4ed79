import json
from dataclasses import replace
from itertools import pairwise

import polars
import pytest

from calibrant.calibration.scores import CalibScore
from calibrant.errors import ParameterError
from calibrant.studies.progress import Progress
from calibrant.studies.published import PUBLISHED, Published
from calibrant.studies.synthetic.plan import SYNTHETIC, Setting, SyntheticPlan
from calibrant.studies.synthetic.ranges import ComparisonRow, Range
from calibrant.studies.synthetic.study import run_synthetic

SKEWED = SYNTHETIC.betas[0]
N = 10_000
SIZES = (10, 40, 160, 640)


def printed(size):
    """A value of figure 4.7 as if it had been printed: of other data than the study draws."""
    value = CalibScore(size=size, debiased=False)(Setting(SKEWED).draw(N, seed=99))
    return Published("4.7", N, size, 0.0, value, value)


PLAN = SyntheticPlan(
    betas=SYNTHETIC.betas[:2],
    n=N,
    bin_sizes=SIZES,
    steps=(500, 2_000),
    samples=(5_000, N),
    shifts=(0.1,),
    published=(
        *map(printed, SIZES),
        *(at for at in PUBLISHED if at.n == N and at.k in (0, 0.1)),
    ),
    replicates=100,
)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The whole study on few pairs and points, with the fewest replicates."""
    out = tmp_path_factory.mktemp("study") / "out"
    seen = []

    def track(items, total, what):
        for item in items:
            seen.append(what)
            yield item

    found = run_synthetic(PLAN, out, Progress(track))
    assert set(seen) == {"points of the figures", "simulated ranges"}
    return out, found


def test_every_figure_has_numbers_and_pictures(report):
    out, found = report
    for figure in ("4.7", "4.8", "4.9", "4.10", "4.11"):
        for ending in ("csv", "png", "svg"):
            assert (out / f"figure-{figure}.{ending}").stat().st_size > 0
    assert sorted(out.iterdir()) == sorted(found.files)
    text = (out / "report.md").read_text()
    assert "![Figure 4.7" in text
    assert "## Printed values" in text
    assert "## The numbers of figure" not in text  # too long to read


def test_numbers_are_scores_with_their_truth(report):
    out, _ = report
    rows = polars.read_csv(out / "figure-4.9.csv").filter(
        polars.col("forecaster") == "inward", polars.col("k") == 0.1, polars.col("bin_size") == 500
    )
    assert rows["truth"][0] == pytest.approx(0.1)
    assert rows["plugin"][0] == pytest.approx(0.1, abs=0.03)  # n is small, and bias goes up


def test_the_printed_values_fit_the_skewed_forecaster(report):
    _, found = report
    fits = [SKEWED in row.fits for row in found.sections[0].rows if row.direction != "outward"]
    assert len(fits) == len(PLAN.published)
    assert all(fits)


def test_the_outward_map_does_not_fit(report):
    _, found = report
    outward = [row for row in found.sections[0].rows if row.direction == "outward"]
    assert outward
    assert not any(SKEWED in row.fits for row in outward)


def test_doubling_the_bin_size_lowers_the_plug_in(report):
    out, _ = report
    frame = polars.read_csv(out / "figure-4.7.csv").filter(polars.col("beta_a") == 0.5)
    values = frame["plugin"].to_list()
    assert len(values) == len(SIZES)
    assert all(after <= before + 1e-12 for before, after in pairwise(values))


def test_findings_count_the_values_that_fit(report):
    out, found = report
    rows = found.sections[0].rows
    fits = sum(SKEWED in row.fits for row in rows)
    assert found.findings[0] == (
        f"Beta(0.2, 0.5): {fits} of {len(rows)} printed values lie within its range."
    )
    assert json.loads((out / "results.json").read_text())["replicates"] == 100


def test_a_range_meets_a_printed_value_up_to_its_rounding():
    at = PUBLISHED[0]._replace(low=0.206, high=0.206)  # taken as two digits: 0.201 to 0.211
    for high, fits in ((0.2015, True), (0.2005, False)):
        row = ComparisonRow(at, "calibrated", {SKEWED: Range(0.1, high)})
        assert bool(row.fits) == fits
    assert row.fitting == "none"


def test_too_few_replicates():
    with pytest.raises(ParameterError, match="replicates must be at least 100, but it is 5"):
        replace(SYNTHETIC, replicates=5)


def test_settings_are_drawn_with_their_truth():
    for setting in (Setting(SKEWED), Setting(SKEWED, "inward", 0.1)):
        assert setting.truth == pytest.approx(setting.k)
        assert setting.draw(100, 1).n == 100
