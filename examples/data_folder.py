"""Where the examples find data that the repository does not contain."""

import os
import sys
from pathlib import Path


def data_file(place: str) -> Path:
    """A file or folder in the folder that CALIBRANT_DATA names; ends the program without it."""
    folder = os.environ.get("CALIBRANT_DATA")
    if not folder:
        sys.exit(f"Set CALIBRANT_DATA to the folder that contains {place}.")
    path = Path(folder, place)
    if not path.exists():
        sys.exit(f"The folder of CALIBRANT_DATA, {folder}, does not contain {place}.")
    return path
