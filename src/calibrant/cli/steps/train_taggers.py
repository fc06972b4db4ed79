"""`calibrant train crf` and `calibrant train hmm`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from calibrant.cli.inputs.corpora import CorpusReader, reads_corpora
from calibrant.cli.options import Show, note, present, shows_results
from calibrant.cli.steps.train_options import (
    DevSentences,
    Held,
    ModelFolder,
    Rare,
    Separate,
    TaggedSentences,
    Unknown,
    check_files,
    model_option,
    recalibrate_and_save,
    training_option,
)

if TYPE_CHECKING:
    from calibrant.structures.sequences.models.crf import CRF, FittedCRF
    from calibrant.structures.sequences.models.features import Features
    from calibrant.structures.sequences.models.hmm import FittedHMM
    from calibrant.structures.sequences.models.training import LBFGS, AdaGrad
    from calibrant.structures.sequences.reading.corpus import Corpus

Tagger = TypeVar("Tagger", "FittedCRF", "FittedHMM")
HEADER = {
    "model": "model",
    "tags": "tags",
    "attributes": "attributes",
    "weights": "weights",
    "epochs": "passes",
    "dev_log_likelihood": "dev log-likelihood",
    "dev_accuracy": "dev accuracy",
    "dev_f1": "dev span F1",
    "folder": "folder",
}


@shows_results
@reads_corpora
def crf_command(
    read: CorpusReader,
    show: Show,
    train: TaggedSentences,
    output: ModelFolder,
    dev: DevSentences = None,
    features: Annotated[
        str | None,
        model_option(
            "--features",
            "advanced (all families, the default), basic (word), or families such as "
            "word,shape. Families: word, lower, context, shape, length, prefix, suffix.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        model_option("--without", "A family of features to leave out; repeatable."),
    ] = None,
    l2: Annotated[
        float | None, model_option("--l2", "Strength of regularisation (default: 0.1).")
    ] = None,
    training: Annotated[
        str | None,
        training_option("--training", "adagrad (the default), or lbfgs (until convergence)."),
    ] = None,
    epochs: Annotated[
        int | None, training_option("--epochs", "Maximum number of AdaGrad passes (default: 100).")
    ] = None,
    rate: Annotated[
        float | None, training_option("--rate", "Step size of AdaGrad (default: 0.5).")
    ] = None,
    batch: Annotated[
        int | None, training_option("--batch", "Sentences per step of AdaGrad (default: 100).")
    ] = None,
    patience: Annotated[
        int | None,
        training_option(
            "--patience",
            "Stop AdaGrad after this many passes that do not improve the likelihood of --dev "
            "(default: 10).",
        ),
    ] = None,
    seed: Annotated[
        int | None, training_option("--seed", "Seed of the order of sentences (default: 0).")
    ] = None,
    fresh: Annotated[
        bool,
        training_option("--fresh", "Start from scratch instead of continuing an interrupted run."),
    ] = False,
    recalibrate: Held = None,
    separate: Separate = False,
) -> None:
    """Train a conditional random field, which tags words.

    AdaGrad writes checkpoints beside the folder: after Ctrl-C, run the same
    command again to continue. Replaces an older model in the folder.

    Examples
    --------
      calibrant train crf oct27.train --dev oct27.dev -o crf-model
      calibrant train crf ark/train --dev ark/dev --features basic -o crf-basic
      calibrant train crf names.conll --tag 3 --scheme IOB2 --l2 1 -o crf-names
    """
    from calibrant.structures.sequences.models.crf import CRF

    steps = {"epochs": epochs, "rate": rate, "batch": batch, "patience": patience}
    given: dict[str, Any] = {"l2": l2, "seed": seed}
    model = CRF(_features(features, without), training=_way(training, steps), **present(given))
    check_files(train, dev, output, recalibrate, separate)
    sentences, others = read(train), None if dev is None else read(dev)
    held = _held(read, recalibrate, dev, others)
    fitted = _fit_and_save(model, sentences, others, Path(output), fresh)
    _report(_recalibrated(fitted, held, output, separate), others, output, show)


@shows_results
@reads_corpora
def hmm_command(
    read: CorpusReader,
    show: Show,
    train: TaggedSentences,
    output: ModelFolder,
    dev: DevSentences = None,
    pseudocount: Annotated[
        float | None, model_option("--pseudocount", "Added to every count (default: 0.03).")
    ] = None,
    unknown: Unknown = None,
    rare: Rare = None,
    recalibrate: Held = None,
    separate: Separate = False,
) -> None:
    """Train a hidden Markov model, which tags words.

    Replaces an older model in the folder.

    Examples
    --------
      calibrant train hmm ark/train -o hmm-model
      calibrant train hmm ark/train --recalibrate ark/dev -o hmm-mended
      calibrant train hmm en_ewt-ud-train.conllu --tag upos -o hmm-upos
    """
    from calibrant.structures.sequences.models.hmm import HMM

    given: dict[str, Any] = {"pseudocount": pseudocount, "unknown": unknown, "rare": rare}
    model = HMM(**present(given))
    check_files(train, dev, output, recalibrate, separate)
    sentences, others = read(train), None if dev is None else read(dev)
    held = _held(read, recalibrate, dev, others)
    fitted = model.fit(sentences)
    fitted.save(output)
    _report(_recalibrated(fitted, held, output, separate), others, output, show)


def _held(
    read: CorpusReader, name: str | None, dev: str | None, others: "Corpus | None"
) -> "Corpus | None":
    """The sentences of --recalibrate, read once if they are those of --dev."""
    if name is None:
        return None
    return others if name == dev else read(name)


def _recalibrated(fitted: Tagger, held: "Corpus | None", folder: str, separate: bool) -> Tagger:
    if held is None:
        return fitted
    return recalibrate_and_save(fitted, fitted.posteriors(held), held, folder, separate)


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
    """Fit a model and save it; remove the checkpoint only once the model is on disk."""
    from calibrant.cli.output import warnings_as_notes
    from calibrant.structures.sequences.models.training import AdaGrad

    resumable = isinstance(model.training, AdaGrad)
    checkpoint = Path(f"{folder}.checkpoint.npz")
    if fresh:
        checkpoint.unlink(missing_ok=True)
    elif resumable and checkpoint.exists():
        note(f"Continuing from {checkpoint}; --fresh starts again.")
    with _told_of_interruption(checkpoint), warnings_as_notes():
        fitted = model.fit(
            train,
            dev=dev,
            progress=True,
            checkpoint=checkpoint if resumable else None,
            keep_checkpoint=True,
        )
        fitted.save(folder)
    checkpoint.unlink(missing_ok=True)
    return fitted


@contextmanager
def _told_of_interruption(checkpoint: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint.exists():
            note(f"Interrupted. The same command continues from {checkpoint}.")
        else:
            note("Interrupted before the first checkpoint.")
        raise


def _report(fitted: "FittedCRF | FittedHMM", dev: "Corpus | None", folder: str, show: Show) -> None:
    """Print the model and its accuracy; report F1 only if the tags encode spans."""
    from calibrant.cli.output import show_record
    from calibrant.structures.exact_match import span_f1
    from calibrant.structures.sequences.accuracy import judge_posterior
    from calibrant.structures.sequences.models.crf import FittedCRF
    from calibrant.structures.spans import are_spans

    likely = accuracy = f1 = None
    spans = are_spans(fitted.tags)
    if dev is not None:
        posterior = fitted.posteriors(dev)
        likely, accuracy = judge_posterior(posterior, dev)
        f1 = span_f1(dev, posterior.mode).f1 if spans and are_spans(dev.tag_set) else None
    passes = len(fitted.history) if isinstance(fitted, FittedCRF) else 0
    record: dict[str, Any] = {
        "model": type(fitted.settings).__name__,
        "tags": len(fitted.tags),
        "attributes": len(fitted.vocabulary),
        "weights": fitted.count,
        "epochs": passes or None,
        "dev_log_likelihood": likely,
        "dev_accuracy": accuracy,
    }
    record |= {"dev_f1": f1, "folder": folder} if spans else {"folder": folder}
    show_record(show.format, {name: HEADER[name] for name in record}, record)
