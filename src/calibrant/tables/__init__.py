"""From files and frames to pairs."""

from calibrant.tables.files import column_from_file, pairs_from_file
from calibrant.tables.frames import pairs_from_frame

__all__ = ["column_from_file", "pairs_from_file", "pairs_from_frame"]
