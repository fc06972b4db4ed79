"""`calibrant train crf` and `calibrant train hmm`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.inputs.corpora import CorpusReader, reads_corpora
from calibrant.cli.options import ModelFolder, Rare, Show, Unknown, note, present, shows_results

if TYPE_CHECKING:
    from calibrant.structures.sequences.models.crf import CRF, FittedCRF
    from calibrant.structures.sequences.models.features import Features
    from calibrant.structures.sequences.models.hmm import FittedHMM
    from calibrant.structures.sequences.models.training import LBFGS, AdaGrad
    from calibrant.structures.sequences.reading.corpus import Corpus

HEADER = {
    "model": "model",
    "tags": "tags",
    "attributes": "attributes",
    "weights": "weights",
    "epochs": "passes",
    "dev_log_likelihood": "dev log-likelihood",
    "dev_accuracy": "dev accuracy",
    "folder": "folder",
}
Train = Annotated[
    str,
    typer.Argument(
        metavar="TRAIN",
        help="A file with a word per line, plain or .gz, - for standard input, or a named corpus "
        "such as ark/train.",
    ),
]


@shows_results
@reads_corpora
def crf_command(
    read: CorpusReader,
    show: Show,
    train: Train,
    output: ModelFolder,
    dev: Annotated[
        str | None,
        typer.Option("--dev", help="Other sentences, which tell AdaGrad when to stop."),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            "--features",
            help="advanced (all families; unless given), basic (word), or families such as "
            "word,shape: of word, lower, context, shape, length, prefix, suffix.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", help="A family of features to leave out; repeatable."),
    ] = None,
    l2: Annotated[
        float | None, typer.Option("--l2", help="Strength of regularisation; 0.1 unless given.")
    ] = None,
    training: Annotated[
        str | None,
        typer.Option("--training", help="adagrad (unless given), or lbfgs to the minimum."),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="Passes at most; 100 unless given.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", help="Size of steps; 0.5 unless given.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", help="Sentences per step; 100 unless given.")
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            "--patience", help="Stop after as many passes no better on dev; 10 unless given."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Of the order of sentences; 0 unless given.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew where an interrupted run could go on.")
    ] = False,
) -> None:  # fmt: skip
    """A conditional random field, which tags words.

    After Ctrl-C the same command goes on, from a checkpoint that AdaGrad
    leaves beside the folder. An older model in the folder is replaced.

    Examples
    --------
      calibrant train crf oct27.train --dev oct27.dev -o crf-model
      calibrant train crf ark/train --dev ark/dev --features basic -o crf-basic
      calibrant train crf names.conll --tag 3 --scheme IOB2 --l2 1 -o crf-names
    """
    from calibrant.structures.saving import refuse_folder
    from calibrant.structures.sequences.models.crf import CRF

    steps = {"epochs": epochs, "rate": rate, "batch": batch, "patience": patience}
    given: dict[str, Any] = {"l2": l2, "seed": seed}
    model = CRF(_features(features, without), training=_way(training, steps), **present(given))
    refuse_folder(output)
    sentences, others = read(train), read(dev) if dev is not None else None
    fitted = _fit_and_save(model, sentences, others, Path(output), fresh)
    _show(fitted, others, output, show.format)


@shows_results
@reads_corpora
def hmm_command(
    read: CorpusReader,
    show: Show,
    train: Train,
    output: ModelFolder,
    dev: Annotated[
        str | None, typer.Option("--dev", help="Other sentences, to judge the model by.")
    ] = None,
    pseudocount: Annotated[
        float | None, typer.Option("--pseudocount", help="Added to counts; 0.03 unless given.")
    ] = None,
    unknown: Unknown = None,
    rare: Rare = None,
) -> None:
    """A hidden Markov model, which tags words.

    An older model in the folder is replaced.

    Examples
    --------
      calibrant train hmm ark/train -o hmm-model
      calibrant train hmm en_ewt-ud-train.conllu --tag upos -o hmm-upos
    """
    from calibrant.structures.saving import refuse_folder
    from calibrant.structures.sequences.models.hmm import HMM

    given: dict[str, Any] = {"pseudocount": pseudocount, "unknown": unknown, "rare": rare}
    model = HMM(**present(given))
    refuse_folder(output)
    sentences, others = read(train), read(dev) if dev is not None else None
    fitted = model.fit(sentences)
    fitted.save(output)
    _show(fitted, others, output, show.format)


def _features(text: str | None, without: list[str] | None) -> "Features":
    from calibrant.structures.sequences.models.features import Advanced, Basic, Features

    known = {"advanced": Advanced, "basic": Basic}
    name = text or "advanced"
    found = known[name]() if name in known else Features(tuple(map(str.strip, name.split(","))))
    return found.without(*without) if without else found


def _way(training: str | None, steps: dict[str, Any]) -> "AdaGrad | LBFGS":
    from calibrant.errors import ParameterError, UnknownName
    from calibrant.structures.sequences.models.training import LBFGS, AdaGrad

    name = training or "adagrad"
    if name not in ("adagrad", "lbfgs"):
        raise UnknownName("way of training", name, ("adagrad", "lbfgs"))
    given = present(steps)
    if name == "adagrad":
        return AdaGrad(**given)
    if given:
        raise ParameterError(f"--{next(iter(given))} is for adagrad, not for lbfgs.")
    return LBFGS()


def _fit_and_save(
    model: "CRF", train: "Corpus", dev: "Corpus | None", folder: Path, fresh: bool
) -> "FittedCRF":
    """The fitted model, saved; a checkpoint goes only when the model is on disk."""
    from calibrant.cli.output import warnings_as_notes
    from calibrant.structures.sequences.models.training import AdaGrad

    resumable = isinstance(model.training, AdaGrad)
    checkpoint = Path(f"{folder}.checkpoint.npz")
    if fresh:
        checkpoint.unlink(missing_ok=True)
    elif resumable and checkpoint.exists():
        note(f"Going on from {checkpoint}; --fresh starts anew.")
    with _told_of_interruption(checkpoint), warnings_as_notes():
        fitted = model.fit(
            train, dev=dev, progress=True,
            checkpoint=checkpoint if resumable else None, keep_checkpoint=True,
        )  # fmt: skip
        fitted.save(folder)
    checkpoint.unlink(missing_ok=True)
    return fitted


@contextmanager
def _told_of_interruption(checkpoint: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint.exists():
            note(f"Interrupted. The same command goes on from {checkpoint}; --fresh starts anew.")
        else:
            note("Interrupted before anything could be kept.")
        raise


def _show(fitted: "FittedCRF | FittedHMM", dev: "Corpus | None", folder: str, format: str) -> None:
    from calibrant.cli.output import show_record
    from calibrant.structures.sequences.accuracy import judge_posterior
    from calibrant.structures.sequences.models.crf import FittedCRF

    judged = None if dev is None else judge_posterior(fitted.posteriors(dev), dev)
    passes = len(fitted.history) if isinstance(fitted, FittedCRF) else 0
    record = {
        "model": type(fitted.settings).__name__,
        "tags": len(fitted.tags),
        "attributes": len(fitted.vocabulary),
        "weights": fitted.count,
        "epochs": passes or None,
        "dev_log_likelihood": None if judged is None else judged.log_likelihood,
        "dev_accuracy": None if judged is None else judged.accuracy,
        "folder": folder,
    }
    show_record(format, HEADER, record)
