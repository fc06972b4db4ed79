"""`calibrant train coref`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.inputs.structures import DocumentReader, reads_brackets
from calibrant.cli.options import Show, input_option, present, shows_results
from calibrant.cli.steps.train_options import (
    Held,
    ModelFolder,
    Separate,
    check_files,
    model_option,
    recalibrate_and_save,
    training_option,
)

if TYPE_CHECKING:
    from calibrant.structures.coreference.documents import Documents
    from calibrant.structures.coreference.models.ranker import FittedMentionRanker

HEADER = {
    "model": "model",
    "features": "features",
    "weights": "weights",
    "passes": "passes",
    "dev_log_likelihood": "dev log-likelihood",
    "dev_conll": "dev CoNLL",
    "folder": "folder",
}


@shows_results
@reads_brackets
def coref_command(
    read: DocumentReader,
    show: Show,
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN",
            help="Documents with mentions, as in CoNLL-2012: a file, plain or .gz, - for standard "
            "input, a folder of such files, or a named corpus such as ontogum/train.",
        ),
    ],
    output: ModelFolder,
    dev: Annotated[
        str | None,
        input_option(
            "--dev",
            metavar="CORPUS",
            help="Held-out documents: the weights of the best pass on them are kept.",
        ),
    ] = None,
    l2: Annotated[
        float | None,
        model_option("--l2", "Strength of L2 regularisation (default: 3)."),
    ] = None,
    l1: Annotated[
        float | None,
        model_option("--l1", "Strength of L1 regularisation (default: 0)."),
    ] = None,
    augmented: Annotated[
        bool,
        training_option(
            "--augmented", "Add losses (0.1, 3, 1) in training, which distorts probabilities."
        ),
    ] = False,
    passes: Annotated[
        int | None, training_option("--passes", "Passes over all documents (default: 20).")
    ] = None,
    rate: Annotated[float | None, training_option("--rate", "Step size (default: 0.3).")] = None,
    common: Annotated[
        int | None,
        model_option("--common", "Replace words seen less often by their shape (default: 10)."),
    ] = None,
    seed: Annotated[
        int | None, training_option("--seed", "Seed of the order of documents (default: 0).")
    ] = None,
    word: Annotated[
        int | None,
        input_option(
            "--word",
            metavar="COLUMN",
            help="Column of words, from 0 (default: 3, as in CoNLL-2012).",
        ),
    ] = None,
    recalibrate: Held = None,
    separate: Separate = False,
) -> None:
    """Train a mention ranker, which finds the mentions of each entity.

    Replaces an older model in the folder.

    Examples
    --------
      calibrant train coref ontogum/train --dev ontogum/dev -o ranker
      calibrant train coref train.v4_gold_conll -o ranker
    """
    from calibrant.cli.output import show_record
    from calibrant.errors import ParameterError
    from calibrant.structures.coreference.models.ranker import DURRETT_KLEIN, MentionRanker

    given: dict[str, Any] = {
        "l2": l2,
        "l1": l1,
        "losses": DURRETT_KLEIN if augmented else None,
        "passes": passes,
        "rate": rate,
        "common": common,
        "seed": seed,
    }
    model = MentionRanker(**present(given))
    if dev == "-":
        raise ParameterError("--dev is read twice, so it must be a file or a name, not -.")
    read = read._replace(word=word)
    check_files(train, dev, output, recalibrate, separate)
    documents, others = read(train), None if dev is None else read(dev)
    fitted = model.fit(documents, dev=others, progress=True)
    fitted.save(output)
    if recalibrate is not None:
        held = others if others is not None and recalibrate == dev else read(recalibrate)
        posterior = fitted.posteriors(held)
        fitted = recalibrate_and_save(fitted, posterior, held, output, separate)
    likely = conll = None
    if dev is not None and others is not None:
        likely = fitted.log_likelihood(others)
        conll = _conll(fitted, others, read._replace(mentions_from="gold")(dev))
    record = {
        "model": "MentionRanker",
        "features": len(fitted.vocabulary.narrow),
        "weights": fitted.count,
        "passes": len(fitted.history),
        "dev_log_likelihood": likely,
        "dev_conll": conll,
        "folder": output,
    }
    show_record(show.format, HEADER, record)


def _conll(fitted: "FittedMentionRanker", found: "Documents", gold: "Documents") -> float:
    """The CoNLL score against all gold mentions; singletons count only if the gold has them."""
    from calibrant.structures.coreference.accuracy import score_clusters

    modes = zip(found, fitted.posteriors(found).mode, strict=True)
    placed = [document.places(mode) for document, mode in modes]
    single = any(len(entity) == 1 for document in gold for entity in document.clusters)
    return score_clusters(gold.spans, placed, singletons=single).conll
