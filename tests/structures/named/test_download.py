from pathlib import Path

import pytest

from calibrant.errors import ParameterError
from calibrant.structures.named.download import HOST, cache_folder, host


def test_the_cache_may_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("CALIBRANT_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    for unset in ("", None):
        if unset is None:
            monkeypatch.delenv("CALIBRANT_CACHE")
        else:
            monkeypatch.setenv("CALIBRANT_CACHE", unset)
        assert cache_folder().name == "calibrant"
        assert isinstance(cache_folder(), Path)


def test_the_mirror_may_be_chosen(monkeypatch):
    monkeypatch.delenv("CALIBRANT_MIRROR", raising=False)
    assert host() == HOST
    monkeypatch.setenv("CALIBRANT_MIRROR", "https://mirror.example/files/")
    assert host() == "https://mirror.example/files"
    monkeypatch.setenv("CALIBRANT_MIRROR", "ftp://mirror")
    with pytest.raises(ParameterError, match="must begin with http:// or https://, but it is 'ftp"):
        host()
