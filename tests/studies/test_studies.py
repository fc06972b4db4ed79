import csv
from itertools import pairwise

import numpy as np
import pytest

from calibrant.errors import ParameterError
from calibrant.studies import synthetic as study
from calibrant.studies.published import PUBLISHED


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The whole study on a tenth of the points and a third of the replicates."""
    out = tmp_path_factory.mktemp("study")
    patch = pytest.MonkeyPatch()
    patch.setattr(study, "STEPS", tuple(range(5_000, 50_001, 15_000)))
    patch.setattr(study, "SAMPLES", (10_000, 30_000, 50_000))
    patch.setattr(study, "BETAS", study.BETAS[:2])
    seen = []

    def track(items, total, what):
        for item in items:
            seen.append(what)
            yield item

    found = study.run_synthetic(out, replicates=100, track=track)
    patch.undo()
    assert set(seen) == {"points of the figures", "simulated ranges"}
    return out, found


def test_every_figure_has_numbers_and_pictures(report):
    out, found = report
    for figure in ("4.7", "4.8", "4.9", "4.10", "4.11"):
        for ending in ("csv", "png", "svg"):
            assert (out / f"figure-{figure}.{ending}").stat().st_size > 0
    assert sorted(out.iterdir()) == sorted(found.files)


def test_numbers_are_scores_with_their_truth(report):
    out, _ = report
    with (out / "figure-4.9.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["forecaster"] == "inward"]
    near = [row for row in rows if row["k"] == "0.1" and row["bin_size"] == "5000"]
    assert float(near[0]["truth"]) == pytest.approx(0.1)
    assert float(near[0]["plugin"]) == pytest.approx(0.1, abs=0.01)


def test_the_printed_values_fit_the_skewed_forecaster(report):
    _, found = report
    skewed = study.BETAS[0]
    fits = [skewed in each.fits for each in found.comparisons if each.direction != "outward"]
    assert len(fits) == len(PUBLISHED)
    assert np.mean(fits) > 0.9


def test_the_outward_map_does_not_fit(report):
    _, found = report
    outward = [each for each in found.comparisons if each.direction == "outward"]
    assert not any(study.BETAS[0] in each.fits for each in outward)


def test_doubling_the_bin_size_lowers_the_plug_in(report):
    out, _ = report
    with (out / "figure-4.7.csv").open() as file:
        values = [float(r["plugin"]) for r in csv.DictReader(file) if r["beta_b"] == "0.5"][:16]
    assert all(after <= before + 1e-12 for before, after in pairwise(values))


def test_too_few_replicates(tmp_path):
    with pytest.raises(ParameterError, match="at least 100"):
        study.run_synthetic(tmp_path, replicates=5)
