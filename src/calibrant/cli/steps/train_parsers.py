"""`calibrant train pcfg`."""

from typing import Annotated, Any

import typer

from calibrant.cli.inputs.structures import note_fallback, read_trees, short_sentences
from calibrant.cli.options import ModelFolder, Rare, Show, Unknown, present, shows_results

HEADER = {
    "model": "model",
    "labels": "labels",
    "symbols": "symbols",
    "binary_rules": "binary rules",
    "unary_rules": "unary rules",
    "dev_f1": "dev F1",
    "dev_sentences": "dev sentences",
    "folder": "folder",
}


@shows_results
def pcfg_command(
    show: Show,
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN",
            help="Trees in brackets: a file, plain or .gz, - for standard input, a folder of such "
            "files, or a named treebank such as gum/train.",
        ),
    ],
    output: ModelFolder,
    dev: Annotated[
        str | None, typer.Option("--dev", help="Other trees, to judge the grammar by.")
    ] = None,
    horizontal: Annotated[
        str | None,
        typer.Option(
            "--horizontal",
            help="Children to the left that are remembered, or all; 1 unless given.",
        ),
    ] = None,
    vertical: Annotated[
        int | None,
        typer.Option("--vertical", help="Labels up the tree that a symbol has; 2 unless given."),
    ] = None,
    smoothing: Annotated[
        float | None,
        typer.Option(
            "--smoothing",
            help="Observations that the usual probability of a rule counts for; 10 unless given.",
        ),
    ] = None,
    common: Annotated[
        int | None,
        typer.Option(
            "--common", help="Rules seen as often are tried everywhere; 20 unless given."
        ),
    ] = None,
    pseudocount: Annotated[
        float | None,
        typer.Option("--pseudocount", help="Of the tags of rare words; 0.5 unless given."),
    ] = None,
    unknown: Unknown = None,
    rare: Rare = None,
    longest: Annotated[
        int | None,
        typer.Option("--longest", help="Most words of a sentence to be parsed; 40 unless given."),
    ] = None,
) -> None:  # fmt: skip
    """A probabilistic context-free grammar, which parses sentences.

    Empty nodes and functions (NP-SBJ) are taken out of trees. An older
    model in the folder is replaced.

    Examples
    --------
      calibrant train pcfg gum/train --dev gum/dev -o parser
      calibrant train pcfg wsj/ --horizontal all --vertical 1 -o plain
    """
    from calibrant.cli.output import show_record
    from calibrant.structures.saving import refuse_folder
    from calibrant.structures.trees.models.pcfg import PCFG

    given: dict[str, Any] = {
        "vertical": vertical, "smoothing": smoothing, "common": common,
        "pseudocount": pseudocount, "unknown": unknown, "rare": rare, "longest": longest,
    }  # fmt: skip
    given = present(given)
    if horizontal is not None:
        given["horizontal"] = _horizontal(horizontal)
    model = PCFG(**given)
    refuse_folder(output)
    trees = read_trees(train)
    others = None
    if dev is not None:
        others, _ = short_sentences(dev, read_trees(dev), model.longest)
    fitted = model.fit(trees)
    fitted.save(output)
    judged: float | None = None
    if others is not None:
        from calibrant.structures.trees.accuracy import bracket_f1

        posterior = fitted.posteriors(others, progress=True)
        judged = bracket_f1(others, posterior.mode).f1
        note_fallback(posterior)
    record = {
        "model": "PCFG",
        "labels": len(fitted.labels),
        "symbols": len(fitted.grammar.symbols),
        "binary_rules": len(fitted.grammar.binary),
        "unary_rules": len(fitted.grammar.unary),
        "dev_f1": judged,
        "dev_sentences": None if others is None else len(others),
        "folder": output,
    }
    show_record(show.format, HEADER, record)


def _horizontal(text: str) -> int | None:
    from calibrant.errors import ParameterError

    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"--horizontal must be a number or all, but it is {text!r}.") from None
