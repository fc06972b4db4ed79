"""From files and frames to pairs, and back to files."""

from calibrant.tables.files import (
    keyed_pairs_from_file,
    pairs_from_file,
    several_pairs_from_file,
)
from calibrant.tables.frames import is_frame, pairs_from_frame
from calibrant.tables.names import file_names
from calibrant.tables.summaries import write_summary
from calibrant.tables.writing import check_table, frame_of_pairs, table_text, write_pairs

__all__ = [
    "check_table",
    "file_names",
    "frame_of_pairs",
    "is_frame",
    "keyed_pairs_from_file",
    "pairs_from_file",
    "pairs_from_frame",
    "several_pairs_from_file",
    "table_text",
    "write_pairs",
    "write_summary",
]
