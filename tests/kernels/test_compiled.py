"""A compilation cache whose files are damaged costs time, and nothing else."""

import numba
import pytest

from calibrant.kernels.compiled import compiled


def double(x):
    return 2 * x


DAMAGES = {
    "empty": lambda whole: b"",
    "half": lambda whole: whole[: len(whole) // 2],
    "other": lambda whole: b"not what was written here",
}


def fresh():
    """The function as a new process would find it."""
    return compiled()(double)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder with the files of one compiled function."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert fresh()(2.0) == 4.0
    return tmp_path


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_replaced(cache, ending, damage):
    (path,) = cache.rglob(f"*double*.{ending}")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    again = fresh()
    assert again(2.0) == 4.0
    assert not again.stats.cache_hits
    mended = fresh()
    assert mended(2.0) == 4.0
    assert mended.stats.cache_hits


def test_a_full_disk_is_no_reason_to_stop(cache, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._open_for_write", full)
    function = fresh()
    assert (function(2), function(2.0)) == (4, 4.0)
