"""What `count` can count: posteriors, tables, pairs and tallies, and what is known elsewhere."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.categories import period_of
from calibrant.calibration.counting.counting import Wanted
from calibrant.calibration.curves import Curve
from calibrant.errors import InputError, ParameterError, UnsupportedError, option
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.results.choices import choose
from calibrant.structures.known_queries import parse_query
from calibrant.structures.query import Query
from calibrant.tables import is_frame

if TYPE_CHECKING:
    from calibrant.tables.files import Note
    from calibrant.tables.tallied import Table

Float = NDArray[np.float64]
Found = tuple[Tallies, Float | None, Tallies | Pairs | Curve | None]


class Asked(NamedTuple):
    """What is given to `count` beside the source."""

    query: Query | str | None = None
    gold: object = None
    key: str | Sequence[str] = ()
    label_weight: object = None
    elsewhere: object = None
    columns: Mapping[str, object] | None = None
    format: str | None = None
    note: "Note | None" = None


def counted_from(source: object, asked: Asked, given: Mapping[str, Any], wanted: Wanted) -> Found:
    """The tallies, the weights of the design of their labels, and what is known elsewhere."""
    if isinstance(source, str | PathLike) or is_frame(source):
        return _of_table(source, asked, given, wanted)
    tallies = _in_memory(source, asked, given)
    if asked.label_weight is None:
        design = None
    else:
        _check_one_design(wanted)
        design = np.asarray(asked.label_weight, np.float64)
        if design.shape != (len(tallies),):
            raise InputError(
                f"label_weight must have one number for each of the {len(tallies)} units, but its "
                f"shape is {design.shape}."
            )
    return tallies, design, _elsewhere(asked, given, wanted)


def _check_one_design(wanted: Wanted, column: str = "") -> None:
    """Refuse labels that are said to be drawn evenly, and have weights."""
    if wanted.labels is None:
        return
    given = f"the table has a column {column!r}" if column else option("label_weight") + " is given"
    raise ParameterError(
        f"{option('labels')} says that all labels have the same chance, but {given}: leave one out."
    )


def _in_memory(source: Any, asked: Asked, given: Mapping[str, Any]) -> Tallies:  # noqa: ANN401
    """Pairs, tallies or a posterior as tallies."""
    named = [role for role in ("y", "q", "weight") if given.get(role) not in (None, False)]
    if named:
        raise ParameterError(f"{named[0]} names a column of a table: leave it out.")
    if isinstance(source, Pairs | Tallies):
        for name in ("query", "gold"):
            if getattr(asked, name) is not None:
                raise ParameterError(f"{name} is for posteriors and tables: leave it out.")
        return _of_pairs(source, asked) if isinstance(source, Pairs) else source
    if asked.query is None and not hasattr(source, "sample") and not hasattr(source, "classes"):
        raise InputError(
            "A data frame, a path, Pairs, Tallies or a posterior was expected, not "
            f"{type(source).__name__}."
        )
    if asked.query is None:
        raise ParameterError("Say what to count with query, such as TagIs('NN').")
    query: Query = choose(
        parse_query(asked.query) if isinstance(asked.query, str) else asked.query, "query"
    )
    query.check_about(type(source))
    group = given.get("group")
    return query.tallies(source, asked.gold, None if group is False else group, asked.columns)


def _of_pairs(pairs: Pairs, asked: Asked) -> Tallies:
    if pairs.held is not None or pairs.moments is not None:
        raise UnsupportedError(
            "Pairs from draws, and compressed pairs, have several predictions in a row: count the "
            "pairs as they were read."
        )
    return Tallies.of_rows(
        pairs.q.astype(np.float64),
        pairs.y.astype(np.float64),
        weight=pairs.weight,
        group=pairs.group,
        by=asked.columns,
    )


def _of_table(source: object, asked: Asked, given: Mapping[str, Any], wanted: Wanted) -> Found:
    from calibrant.tables.tallied import DESIGN, Labels, tallies_of_table

    if asked.query is not None:
        raise ParameterError("A query is about a posterior: a table has predictions already.")
    table = _table(source, asked.format)
    labels = None
    if asked.key and asked.gold is None:
        raise ParameterError(f"{option('key')} is for labels in a table of their own.")
    if asked.gold is not None:
        key = [asked.key] if isinstance(asked.key, str) else list(asked.key)
        labels = Labels(_table(asked.gold), key)
    weight = asked.label_weight
    if weight is not None and not isinstance(weight, str):
        raise ParameterError(f"{option('label_weight')} must name a column of the table.")
    by = [period_of(each, list(table.names))[0] for each in (wanted.by, wanted.within) if each]
    found = tallies_of_table(table, given, list(dict.fromkeys(by)), weight, labels, asked.note)
    if weight is not None or found.design is not None:
        _check_one_design(wanted, weight or DESIGN)
    keep = wanted.labels is None and wanted.estimator in (None, "rectified")
    other = _elsewhere(asked, given, wanted)
    design = found.design if (weight is not None or keep) and other is None else None
    if not found.tallies.labelled.any() and weight is None:
        design = None
    return found.tallies, design, other


def _table(source: object, format: str | None = None) -> "Table":
    from calibrant.tables.tallied import table_of

    return table_of(fspath(source) if isinstance(source, str | PathLike) else source, format)


def _elsewhere(
    asked: Asked, given: Mapping[str, Any], wanted: Wanted
) -> Tallies | Pairs | Curve | None:
    """Labels of other documents, or a curve."""
    from calibrant.tables.tallied import tallies_of_table

    other = asked.elsewhere
    if other is None or isinstance(other, Tallies | Pairs | Curve):
        return other
    if not (isinstance(other, str | PathLike) or is_frame(other)):
        raise InputError(
            f"{option('elsewhere')} must be labelled pairs, a frame, a path or a curve, not "
            f"{type(other).__name__}."
        )
    by = [] if wanted.within is None else [wanted.within]
    columns = {role: name for role, name in given.items() if name is not False}
    return tallies_of_table(_table(other), columns, by, None, None, asked.note).tallies
