"""Summarise tables that are too large for memory, where they are."""

from calibrant.tables.scanning.sources import scan_source

__all__ = ["scan_source"]
