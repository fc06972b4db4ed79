"""`calibrant train pcfg`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.inputs.structures import note_fallback, read_trees, short_sentences
from calibrant.cli.options import Show, input_option, present, shows_results
from calibrant.cli.steps.train_options import (
    Held,
    ModelFolder,
    Rare,
    Separate,
    Unknown,
    check_files,
    model_option,
    recalibrate_and_save,
)

if TYPE_CHECKING:
    from calibrant.structures.trees.models.pcfg import FittedPCFG
    from calibrant.structures.trees.treebank import Treebank

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
        str | None,
        input_option("--dev", metavar="TREES", help="Held-out trees to evaluate the grammar on."),
    ] = None,
    horizontal: Annotated[
        str | None,
        model_option(
            "--horizontal", "Number of children to the left to remember, or all (default: 1)."
        ),
    ] = None,
    vertical: Annotated[
        int | None,
        model_option("--vertical", "Number of labels up the tree to remember (default: 2)."),
    ] = None,
    smoothing: Annotated[
        float | None,
        model_option(
            "--smoothing",
            "Number of observations that the prior probability of a rule is worth (default: 10).",
        ),
    ] = None,
    common: Annotated[
        int | None,
        model_option(
            "--common",
            "Allow rules seen at least this often in every context of a label (default: 20).",
        ),
    ] = None,
    pseudocount: Annotated[
        float | None,
        model_option("--pseudocount", "Pseudocount of the tags of rare words (default: 0.5)."),
    ] = None,
    unknown: Unknown = None,
    rare: Rare = None,
    longest: Annotated[
        int | None,
        model_option("--longest", "Longest sentence to parse, in words (default: 40)."),
    ] = None,
    recalibrate: Held = None,
    separate: Separate = False,
) -> None:
    """Train a probabilistic context-free grammar, which parses sentences.

    Removes empty nodes and grammatical functions (NP-SBJ becomes NP) from
    the trees. Replaces an older model in the folder.

    Examples
    --------
      calibrant train pcfg gum/train --dev gum/dev -o parser
      calibrant train pcfg wsj/ --horizontal all --vertical 1 -o plain
    """
    from calibrant.cli.output import show_record
    from calibrant.structures.trees.models.pcfg import PCFG

    given: dict[str, Any] = {
        "vertical": vertical,
        "smoothing": smoothing,
        "common": common,
        "pseudocount": pseudocount,
        "unknown": unknown,
        "rare": rare,
        "longest": longest,
    }
    given = present(given)
    if horizontal is not None:
        given["horizontal"] = _horizontal(horizontal)
    model = PCFG(**given)
    check_files(train, dev, output, recalibrate, separate)
    trees, others = read_trees(train), None
    if dev is not None:
        others, _ = short_sentences(dev, read_trees(dev), model.longest)
    fitted = model.fit(trees)
    fitted.save(output)
    if recalibrate is not None:
        held, _ = short_sentences(recalibrate, read_trees(recalibrate), model.longest)
        posterior = fitted.posteriors(held, progress=True)
        fitted = recalibrate_and_save(fitted, posterior, held, output, separate)
    record = {
        "model": "PCFG",
        "labels": len(fitted.labels),
        "symbols": len(fitted.grammar.symbols),
        "binary_rules": len(fitted.grammar.binary),
        "unary_rules": len(fitted.grammar.unary),
        "dev_f1": None if others is None else _f1(fitted, others),
        "dev_sentences": None if others is None else len(others),
        "folder": output,
    }
    show_record(show.format, HEADER, record)


def _f1(fitted: "FittedPCFG", trees: "Treebank") -> float:
    from calibrant.structures.trees.accuracy import bracket_f1

    posterior = fitted.posteriors(trees, progress=True)
    note_fallback(posterior)
    return bracket_f1(trees, posterior.mode).f1


def _horizontal(text: str) -> int | None:
    from calibrant.errors import ParameterError

    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"--horizontal must be a number or all, but it is {text!r}.") from None
