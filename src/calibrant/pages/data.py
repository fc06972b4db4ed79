"""The examples of a page as JSON, as many as fit into it."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.bridges.findings import ModelFindings
from calibrant.calibration.curves import Curve
from calibrant.pages.chosen import Chosen, choose, edges_of, rows_behind
from calibrant.pages.figures import line_of
from calibrant.pages.markup import Markup, shown
from calibrant.pages.texts import PLACES, Values, marked_pieces
from calibrant.pairs.examples import Seen

ESCAPES = {each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}
# rows of each cell and characters of each text, from the most generous
SIZES = (
    *((20, 4000), (20, 2000), (20, 1000), (20, 500), (12, 500), (12, 300), (8, 300), (5, 300)),
    *((5, 200), (3, 200), (2, 150), (1, 150), (1, 80)),
)


class Kept(NamedTuple):
    """How many examples were kept of each cell, and how many characters of each text."""

    rows: int
    characters: int


class Examples(NamedTuple):
    """The data block of a page, and what was left out of it."""

    block: str
    kept: Kept | None  # None: no example fits, or there are none


def json_text(value: object) -> Markup:
    """JSON that cannot end the element it is in, whatever strings it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for each, escaped in ESCAPES.items():
        text = text.replace(each, escaped)
    return Markup(text)


def fitted(models: Sequence[ModelFindings], limit: int, seed: int) -> Examples:
    """The data of the page in at most `limit` bytes, with as many examples as fit."""
    seen = [rows_behind(model.asked.pairs) for model in models]
    for rows, characters in SIZES:
        block = json_text(_data(models, seen, Kept(rows, characters), seed))
        if len(block.encode()) <= limit:
            return Examples(block, Kept(rows, characters))
    return Examples(json_text(_data(models, seen, Kept(0, 0), seed)), None)


def _data(
    models: Sequence[ModelFindings], seen: Sequence[Seen | None], kept: Kept, seed: int
) -> dict[str, Any]:
    tables = _Tables(kept.characters)
    found = [
        ({"examples": False} if each is None else _cells(model, each, kept.rows, seed, tables))
        | {"slices": [_path(curve) for curve in model.slice_curves]}
        for model, each in zip(models, seen, strict=True)
    ]
    return {"models": found, "tables": tables.found()}


def _path(curve: Curve | None) -> str:
    """The curve of a slice as the figure draws it; empty if there is none."""
    return "" if curve is None else line_of(curve)


def _cells(
    model: ModelFindings, seen: Seen, rows: int, seed: int, tables: "_Tables"
) -> dict[str, Any]:
    """The cells of one model: edges, counts, and the rows kept of each."""
    assert model.bins.upper is not None
    edges = edges_of(model.bins.upper)
    chosen = choose(seen, edges, rows, seed)
    table = tables.of(model)

    def entry(k: int) -> list[Any]:
        row = int(seen.row[k])
        number = tables.number(table, row)
        return [number, int(seen.y[k]), round(float(seen.q[k]), 6), int(chosen.order[k])]

    return {
        "examples": rows > 0,
        "kept": rows,
        "table": table,
        "outcomes": model.asked.outcomes,
        "edges": edges.tolist(),
        "upper": model.bins.upper.tolist(),
        "count": chosen.rows.tolist(),
        **_sums(chosen),
        "surprising": [[entry(k) for k in each.tolist()] for each in chosen.surprising],
        "random": [[entry(k) for k in each.tolist()] for each in chosen.random],
    }


def _sums(chosen: Chosen) -> dict[str, list[float]]:
    """The sums of each cell; its weight only if that is not the number of its rows."""
    if chosen.weight is None:
        total = [round(each, 6) for each in chosen.total.tolist()]
        return {"positive": chosen.positive.astype(int).tolist(), "total": total}
    sums = {"weight": chosen.weight, "positive": chosen.positive, "total": chosen.total}
    return {name: _significant(each) for name, each in sums.items()}


def _significant(values: NDArray[np.float64]) -> list[float]:
    """Numbers of any size, since weights may all be tiny, with nine digits."""
    return [float(f"{each:.9g}") for each in values.tolist()]


class _Tables:
    """The shown values of rows, once for models that share a table."""

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self.sources: list[_Source] = []

    def of(self, model: ModelFindings) -> int:
        """The number of the table that a model's rows are in."""
        for number, source in enumerate(self.sources):
            if source.shared_by(model):
                return number
        self.sources.append(_Source(model, {}))
        return len(self.sources) - 1

    def number(self, table: int, row: int) -> int:
        """The number of a row among those that are kept."""
        rows = self.sources[table].rows
        return rows.setdefault(row, len(rows))

    def found(self) -> list[dict[str, Any]]:
        """All tables: the names of their columns, and their rows."""
        return [source.table(self.longest) for source in self.sources]


class _Source(NamedTuple):
    model: ModelFindings
    rows: dict[int, int]  # the number of each row that is kept

    def shared_by(self, other: ModelFindings) -> bool:
        """Whether the rows of another model have the same columns and groups."""
        mine, theirs = self.model.asked, other.asked
        if mine.columns is None or theirs.columns is None:
            return False
        if not mine.columns.equals(theirs.columns):
            return False
        return np.array_equal(np.asarray(mine.pairs.group), np.asarray(theirs.pairs.group))

    def table(self, longest: int) -> dict[str, Any]:
        columns = self.model.asked.columns
        names = [] if columns is None else [each for each in columns.columns if not _is_place(each)]
        place = self.model.asked.place or (lambda row: f"row {row}")
        group = _groups_by_row(self.model)
        wanted = list(self.rows)
        values = columns[wanted].to_dict(as_series=False) if columns is not None and names else {}
        return {
            "columns": [shown(name) for name in names],
            "rows": [
                [place(row), group(row), _row(values, k, names, longest)]
                for k, row in enumerate(wanted)
            ],
        }


def _groups_by_row(model: ModelFindings) -> Callable[[int], str | None]:
    """The group of a row of the source."""
    pairs = model.asked.pairs
    if pairs.group is None or (pairs.numbered is not None and bool(pairs.numbered.all())):
        return lambda row: None
    labels = pairs.group
    if pairs.origin is None:
        return lambda row: shown(str(labels[row]))
    first = {row: k for k, row in reversed(list(enumerate(pairs.origin.tolist())))}
    return lambda row: shown(str(labels[first[row]]))


def _is_place(name: str) -> bool:
    return any(name in both for both in PLACES)


def _row(values: Values, k: int, names: Sequence[str], longest: int) -> list[Any]:
    """The shown values of one row; each is a list of pieces."""
    return [marked_pieces(values, name, k, longest) for name in names]
