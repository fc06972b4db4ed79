"""Download files once, verify their checksums, and keep them in a cache."""

import os
from pathlib import Path

from calibrant.errors import FileError, ParameterError

# GitHub's server for raw files
HOST = "https://raw.githubusercontent.com"


def cache_folder() -> Path:
    """`$CALIBRANT_CACHE`, or the cache folder of the system."""
    import pooch

    return Path(os.environ.get("CALIBRANT_CACHE") or pooch.os_cache("calibrant"))


def host() -> str:
    """`$CALIBRANT_MIRROR`, or GitHub's server for raw files."""
    found = os.environ.get("CALIBRANT_MIRROR") or HOST
    if not found.startswith(("http://", "https://")):
        raise ParameterError(
            f"CALIBRANT_MIRROR must begin with http:// or https://, but it is {found!r}."
        )
    return found.rstrip("/")


def fetch(address: str, sha256: str, path: Path, instead: str) -> None:
    """Download a file to `path`, unless it exists with this checksum.

    The file is written beside `path` and renamed once its checksum is verified. If the download
    fails, the error says what to do `instead`. Progress goes to stderr through pooch's logger.
    """
    import pooch

    try:
        pooch.retrieve(address, f"sha256:{sha256}", fname=path.name, path=path.parent)
    except OSError as error:
        if error.strerror or isinstance(error, PermissionError):  # not the network
            reason = error.strerror or "Permission denied"
            raise FileError(f"{path} cannot be written: {reason}. {instead}") from error
        raise FileError(f"{address} cannot be downloaded: {_reason(error)}. {instead}") from error
    except ValueError as error:
        raise FileError(
            f"{address} must have the SHA-256 checksum {sha256}, but the downloaded file has "
            f"another one and was not kept. {instead}"
        ) from error


def _reason(error: OSError) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    return (
        f"the server says {status}" if status else f"the connection failed ({type(error).__name__})"
    )
