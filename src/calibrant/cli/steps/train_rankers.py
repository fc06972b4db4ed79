"""`calibrant train coref`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.inputs.structures import DocumentReader, reads_brackets
from calibrant.cli.options import ModelFolder, Show, present, shows_results

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
        str | None, typer.Option("--dev", help="Other documents, which tell what pass to keep.")
    ] = None,
    l2: Annotated[
        float | None, typer.Option("--l2", help="Strength of regularisation; 3 unless given.")
    ] = None,
    l1: Annotated[
        float | None, typer.Option("--l1", help="The same, of absolute weights; 0 unless given.")
    ] = None,
    augmented: Annotated[
        bool,
        typer.Option(
            "--augmented",
            help="Loss-augmented training (0.1, 3, 1), which distorts probabilities.",
        ),
    ] = False,
    passes: Annotated[
        int | None, typer.Option("--passes", help="Over all documents; 20 unless given.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", help="Size of steps; 0.3 unless given.")
    ] = None,
    common: Annotated[
        int | None,
        typer.Option("--common", help="Rarer words go by their looks; 10 unless given."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Of the order of documents; 0 unless given.")
    ] = None,
    word: Annotated[
        int | None,
        typer.Option("--word", help="Column of words, from 0; 3, as in CoNLL-2012, unless given."),
    ] = None,
) -> None:  # fmt: skip
    """A mention ranker, which says what mentions refer to the same entity.

    An older model in the folder is replaced.

    Examples
    --------
      calibrant train coref ontogum/train --dev ontogum/dev -o ranker
      calibrant train coref train.v4_gold_conll -o ranker
    """
    from calibrant.cli.output import show_record
    from calibrant.errors import ParameterError
    from calibrant.structures.coreference.models.ranker import DURRETT_KLEIN, MentionRanker
    from calibrant.structures.saving import refuse_folder

    given: dict[str, Any] = {
        "l2": l2, "l1": l1, "losses": DURRETT_KLEIN if augmented else None,
        "passes": passes, "rate": rate, "common": common, "seed": seed,
    }  # fmt: skip
    model = MentionRanker(**present(given))
    if dev == "-":
        raise ParameterError("--dev is read twice, so it must be a file or a name, not -.")
    refuse_folder(output)
    read = read._replace(word=word)
    documents, others = read(train), read(dev) if dev is not None else None
    fitted = model.fit(documents, dev=others, progress=True)
    fitted.save(output)
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
    """The CoNLL score against all true mentions; entities of one only where the truth has such."""
    from calibrant.structures.coreference.accuracy import score_clusters

    modes = zip(found, fitted.posteriors(found).mode, strict=True)
    placed = [document.places(mode) for document, mode in modes]
    single = any(len(entity) == 1 for document in gold for entity in document.clusters)
    return score_clusters(gold.spans, placed, singletons=single).conll
