"""Maps as JSON, which an edit makes invalid."""

import hashlib
import json
from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any

from calibrant.calibration.recalibration.classes.maps import ClassMap
from calibrant.calibration.recalibration.drawn import Band, curve_from_dict, curve_to_dict
from calibrant.calibration.recalibration.maps import Map
from calibrant.calibration.recalibration.recalibrator import Recalibrator
from calibrant.checks.files import file_name, read_bytes, write_text
from calibrant.errors import FileError
from calibrant.results.estimate import Estimate, Estimates
from calibrant.version import __version__

FORMAT = "calibrant recalibrator 1"


def write_map(found: Recalibrator, path: str) -> None:
    """Write a map with its evidence."""
    body = {
        "format": FORMAT,
        "calibrant": __version__,
        "map": found.map.to_dict(),
        "quantiles": list(found.quantiles),
        "curves": {name: curve_to_dict(each) for name, each in found.curves.items()},
        "band": None if found.band is None else found.band.to_dict(),
        "column": found.column,
        "evidence": found.to_dict(),
    }
    write_text(path, json.dumps(body | {"checksum": _checksum(body)}, indent=1) + "\n")


def read_map(path: str) -> Recalibrator:
    """Read a map; one that was changed after it was written is refused."""
    name = file_name(path)
    data = read_bytes(Path(path))
    try:
        body = json.loads(data)
    except ValueError as error:
        raise FileError(f"{name} is not JSON: {error}.") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise FileError(f"{name} is not a map of calibrant recalibrate.")
    if body.pop("checksum", None) != _checksum(body):
        raise FileError(f"{name} was changed after it was written: make it again.")
    return _from_body(body)


def _checksum(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _from_body(body: Mapping[str, Any]) -> Recalibrator:
    told, band = body["evidence"], body["band"]
    return Recalibrator(
        method=told["method"],
        map=_map(body["map"]),
        told=told["told"],
        before=Estimates(Estimate(**each) for each in told["before"]),
        after=Estimates(Estimate(**each) for each in told["after"]),
        change=Estimate(**told["change"]),
        p_value=nan if told["p_value"] is None else told["p_value"],
        choices=told["choices"],
        quantiles=tuple(body["quantiles"]),
        curves={name: curve_from_dict(each) for name, each in body["curves"].items()},
        band=None if band is None else Band.from_dict(band),
        signature=told["signature"],
        column=body["column"],
    )


def _map(stored: dict[str, Any]) -> Map | ClassMap:
    if "classes" in stored:
        return ClassMap.from_dict(stored)
    return Map(**{name: tuple(values) for name, values in stored.items()})
