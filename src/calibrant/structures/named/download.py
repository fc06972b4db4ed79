"""Files downloaded once, checked by their checksum, and kept in a cache."""

import os
from pathlib import Path

from calibrant.errors import FileError, ParameterError

# GitHub's server of plain files
HOST = "https://raw.githubusercontent.com"


def cache_folder() -> Path:
    """`$CALIBRANT_CACHE`, or else the system's folder for caches."""
    import pooch

    return Path(os.environ.get("CALIBRANT_CACHE") or pooch.os_cache("calibrant"))


def host() -> str:
    """`$CALIBRANT_MIRROR`, or else GitHub's server of files."""
    found = os.environ.get("CALIBRANT_MIRROR") or HOST
    if not found.startswith(("http://", "https://")):
        raise ParameterError(
            f"CALIBRANT_MIRROR must begin with http:// or https://, but it is {found!r}."
        )
    return found.rstrip("/")


def fetch(address: str, sha256: str, path: Path, instead: str) -> None:
    """Download a file to `path`, unless it is there with this checksum.

    It is written beside `path` and renamed once its checksum is right. If that fails, the error
    says what to do `instead`. Notes go to stderr, by pooch's logger.
    """
    import pooch

    try:
        pooch.retrieve(address, f"sha256:{sha256}", fname=path.name, path=path.parent)
    except OSError as error:
        if error.strerror or isinstance(error, PermissionError):  # on this machine, not the network
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
