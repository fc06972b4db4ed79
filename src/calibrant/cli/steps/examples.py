"""`calibrant examples`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.options import OUTPUT, File, Reader, Show, note, reads_pairs, shows_results

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from calibrant.pairs import Pairs
    from calibrant.pairs.examples import Seen
    from calibrant.tables.predictions import Predictions

ORDERS = ("surprise", "random")
LONGEST = 100  # characters of a value in a table; JSON and CSV have all of them
OWN = ("row", "y", "q", "surprise", "group")  # what is told of every row
Record = dict[str, Any]
Table = tuple[list[str], list[list[str]]]


@shows_results
@reads_pairs
def examples_command(
    read: Reader,
    show: Show,
    file: File,
    between: Annotated[
        tuple[float, float],
        typer.Option(
            "--between",
            metavar="LOW HIGH",
            help="Only rows with LOW ≤ q ≤ HIGH.",
        ),
    ] = (0.0, 1.0),
    n: Annotated[int, typer.Option("--n", metavar="NUMBER", help="How many rows to show.")] = 20,
    order: Annotated[
        str,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="surprise (the default): the rows whose observation had the lowest probability, "
            "the lowest first. random: a random sample.",
        ),
    ] = "surprise",
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--show",
            metavar="COLUMN",
            help="Column to show; repeatable (default: columns of text).",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Seed of the random sample (default: 0).")
    ] = 0,
) -> None:
    """Show the rows behind a part of the calibration curve.

    The columns begin and end mark a place in the column text, which tables show in brackets.

    Examples
    --------
      calibrant examples preds.parquet --between 0.8 0.9 --show text
      calibrant examples preds.csv --order random --n 50
      calibrant examples preds.csv --between 0.95 1 --json
    """
    from calibrant.checks.parameters import check_seed, whole_number
    from calibrant.errors import UnknownName
    from calibrant.pairs.examples import seen_in
    from calibrant.tables.predictions import every
    from calibrant.tables.text_columns import shown_columns

    if order not in ORDERS:
        raise UnknownName("order", order, ORDERS)
    n, seed = whole_number("--n", n, 1), check_seed(seed) or 0
    found = read.predictions(file, every)
    inside = found.pairs.rows_between(*between)
    rows = _chosen(found.pairs, inside, n, order, seed)
    _say(seen_in(found.pairs, inside), between, rows.size)
    show(*_described(found, seen_in(found.pairs, rows), shown_columns(found, columns)))


def _chosen(
    pairs: "Pairs", inside: "NDArray[np.int64]", n: int, order: str, seed: int
) -> "NDArray[np.int64]":
    from calibrant.pairs.examples import most_surprising, random_sample

    if order == "random":
        return random_sample(inside, n, seed)
    return most_surprising(pairs, inside, n)


def _say(seen: "Seen", between: tuple[float, float], shown: int) -> None:
    """What all rows of the range have in common."""
    from calibrant.results.wording import counted

    low, high = between
    told = f"{counted(seen.row.size, 'row')} with {low:g} ≤ q ≤ {high:g}"
    if seen.row.size:
        told += f": mean q {seen.mean:.3f}, frequency of y = 1 {seen.frequency:.3f}"
        told += f"; {shown} shown" if shown < seen.row.size else ""
    note(f"{told}.")


def _described(
    found: "Predictions", seen: "Seen", columns: "polars.DataFrame"
) -> "tuple[Table, list[Record]]":
    """The rows as a table, and as records with all digits."""
    from calibrant.pages.texts import marked_pieces

    values = columns[seen.row].to_dict(as_series=False) if columns.columns else {}
    named = _names(columns.columns)
    told = _told(columns.columns)
    group = found.roles.group
    groups = None if group is None else found.columns[group][seen.row].to_list()
    facts = zip(seen.row.tolist(), seen.y.tolist(), seen.q.tolist(), seen.surprise, strict=True)
    records, rows = [], []
    for k, (row, y, q, surprise) in enumerate(facts):
        own: Record = {"row": found.place(row), "y": y, "q": q, "surprise": float(surprise)}
        cells = [own["row"], str(y), f"{q:.4g}", f"{surprise:.3f}"]
        if groups is not None:
            own["group"] = groups[k]
            cells.append(str(groups[k]))
        records.append(own | {named[name]: each[k] for name, each in values.items()})
        rows.append(cells + [_line(marked_pieces(values, name, k, LONGEST)) for name in told])
    grouped = ["group"] if groups is not None else []
    return (["row", "y", "q", "surprise", *grouped, *(named[name] for name in told)], rows), records


def _names(columns: list[str]) -> dict[str, str]:
    """What shown columns are called: a name that is taken already is explained."""
    return {name: f"{name} (column)" if name in OWN else name for name in columns}


def _told(columns: list[str]) -> list[str]:
    """The columns that a table shows: places are marked in the text instead."""
    from calibrant.pages.texts import MARKED, PLACES

    places = {name for both in PLACES for name in both} if MARKED in columns else set()
    return [name for name in columns if name not in places]


def _line(pieces: list[list[Any]]) -> str:
    """A value in one line, with its marked places in brackets."""
    whole = "".join(f"[{text}]" if mark else text for text, mark in pieces)
    return " ".join(whole.split())
