"""`calibrant train`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.corpora import CorpusReader, reads_corpora
from calibrant.cli.options import Format, note

if TYPE_CHECKING:
    from calibrant.corpora import Corpus
    from calibrant.models import CRF, HMM, LBFGS, AdaGrad, Features, FittedCRF, FittedHMM

KINDS = ("crf", "hmm")
OF_ADAGRAD = ("epochs", "rate", "batch", "patience")
OF_CRF = ("features", "without", "l2", "training", "seed", *OF_ADAGRAD)
OF_HMM = ("pseudocount", "unknown", "rare")
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


@reads_corpora
def train_command(
    read: CorpusReader,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="crf or hmm.")],
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN",
            help="A file with a word per line, plain or .gz, - for standard input, or a named "
            "corpus such as ark/train.",
        ),
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="Folder for the model.")],
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
    pseudocount: Annotated[
        float | None,
        typer.Option("--pseudocount", help="Of hmm: added to counts; 0.03 unless given."),
    ] = None,
    unknown: Annotated[
        str | None,
        typer.Option(
            "--unknown", help="Of hmm: rare words become classes by shape (unless given), or one."
        ),
    ] = None,
    rare: Annotated[
        int | None,
        typer.Option("--rare", help="Of hmm: words seen as often are rare; 1 unless given."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew where an interrupted run could go on.")
    ] = False,
    format: Format = None,
) -> None:  # fmt: skip
    """Fit a tagger to a corpus and save it.

    After Ctrl-C the same command goes on, from a checkpoint that AdaGrad
    leaves beside the folder. An older model in the folder is replaced.

    Examples
    --------
      calibrant train crf oct27.train --dev oct27.dev -o crf-model
      calibrant train crf ark/train --dev ark/dev --features basic -o crf-basic
      calibrant train crf names.conll --tag 3 --scheme IOB2 --l2 1 -o crf-names
      calibrant train hmm en_ewt-ud-train.conllu --tag upos -o hmm-model
    """
    from calibrant.cli.output import chosen_format, render
    from calibrant.errors import UnknownName
    from calibrant.models.saving import refuse_folder

    given = {name: value for name, value in locals().items() if name in (*OF_CRF, *OF_HMM)}
    shown = chosen_format(format)
    if kind not in KINDS:
        raise UnknownName("kind of model", kind, KINDS)
    model = _hmm(given) if kind == "hmm" else _crf(given)
    refuse_folder(output)
    sentences, others = read(train), read(dev) if dev is not None else None
    fitted = _fit_and_save(model, sentences, others, Path(output), fresh)
    record = _record(fitted, others, output)
    row = [_text(name, value) for name, value in record.items()]
    typer.echo(render(shown, (list(HEADER.values()), [row]), [record]))


def _hmm(given: dict[str, Any]) -> "HMM":
    from calibrant.models import HMM

    _refuse(given, OF_CRF, "crf, not for hmm")
    return HMM(**{name: given[name] for name in OF_HMM if given[name] is not None})


def _crf(given: dict[str, Any]) -> "CRF":
    from calibrant.models import CRF

    _refuse(given, OF_HMM, "hmm, not for crf")
    numbers = {name: given[name] for name in ("l2", "seed") if given[name] is not None}
    return CRF(_features(given["features"], given["without"]), training=_way(given), **numbers)


def _refuse(given: dict[str, Any], names: tuple[str, ...], whose: str) -> None:
    from calibrant.errors import ParameterError

    for name in names:
        if given[name] not in (None, []):
            raise ParameterError(f"--{name} is for {whose}.")


def _features(text: str | None, without: list[str] | None) -> "Features":
    from calibrant.models import Advanced, Basic, Features

    known = {"advanced": Advanced, "basic": Basic}
    name = text or "advanced"
    found = known[name]() if name in known else Features(tuple(map(str.strip, name.split(","))))
    return found.without(*without) if without else found


def _way(given: dict[str, Any]) -> "AdaGrad | LBFGS":
    from calibrant.errors import UnknownName
    from calibrant.models import LBFGS, AdaGrad

    name = given["training"] or "adagrad"
    if name not in ("adagrad", "lbfgs"):
        raise UnknownName("way of training", name, ("adagrad", "lbfgs"))
    if name == "lbfgs":
        _refuse(given, OF_ADAGRAD, "adagrad, not for lbfgs")
        return LBFGS()
    return AdaGrad(**{each: given[each] for each in OF_ADAGRAD if given[each] is not None})


def _fit_and_save(
    model: "CRF | HMM", train: "Corpus", dev: "Corpus | None", folder: Path, fresh: bool
) -> "FittedCRF | FittedHMM":
    """The fitted model, saved; a checkpoint goes only when the model is on disk."""
    from calibrant.cli.output import warnings_as_notes
    from calibrant.models import HMM, AdaGrad

    if isinstance(model, HMM):
        fitted = model.fit(train)
        fitted.save(folder)
        return fitted
    resumable = isinstance(model.training, AdaGrad)
    checkpoint = Path(f"{folder}.checkpoint.npz")
    if fresh:
        checkpoint.unlink(missing_ok=True)
    elif resumable and checkpoint.exists():
        note(f"Going on from {checkpoint}; --fresh starts anew.")
    with _told_of_interruption(checkpoint), warnings_as_notes():
        fitted_crf = model.fit(
            train, dev=dev, progress=True,
            checkpoint=checkpoint if resumable else None, keep_checkpoint=True,
        )  # fmt: skip
        fitted_crf.save(folder)
    checkpoint.unlink(missing_ok=True)
    return fitted_crf


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


def _record(fitted: "FittedCRF | FittedHMM", dev: "Corpus | None", folder: str) -> dict[str, Any]:
    """What was made, by the names of the header."""
    from calibrant.models import FittedCRF
    from calibrant.models.judging import judge_posterior

    judged = None if dev is None else judge_posterior(fitted.posteriors(dev), dev)
    passes = len(fitted.history) if isinstance(fitted, FittedCRF) else 0
    return {
        "model": type(fitted.settings).__name__,
        "tags": len(fitted.tags),
        "attributes": len(fitted.vocabulary),
        "weights": fitted.count,
        "epochs": passes or None,
        "dev_log_likelihood": None if judged is None else judged.log_likelihood,
        "dev_accuracy": None if judged is None else judged.accuracy,
        "folder": folder,
    }


def _text(name: str, value: Any) -> str:  # noqa: ANN401 - numbers and names
    if value is None:
        return ""
    return f"{value:.4f}" if name.startswith("dev_") else str(value)
