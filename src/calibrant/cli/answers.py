"""Write the answers of a model to files: one row per pair, with columns that identify it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from calibrant.structures.coreference.documents import Documents
    from calibrant.structures.coreference.links import Links
    from calibrant.structures.query import Query
    from calibrant.structures.sequences.chain import Chain
    from calibrant.structures.sequences.reading.corpus import Corpus
    from calibrant.structures.trees.tree import Tree
    from calibrant.structures.trees.treebank import Treebank


class Believed(NamedTuple):
    """What a model believes about a corpus, and what is true."""

    posterior: "Chain | Tree | Links"
    gold: "Corpus | Treebank | Documents"
    numbers: "NDArray[np.int64] | None" = None  # sentence numbers, if some sentences were left out


def answer_columns(query: "Query", believed: Believed, text: bool) -> dict[str, Any]:
    """The columns that identify each pair; with `text`, also what each question is about."""
    from calibrant.cli.asked_texts import text_columns

    keys = key_columns(query, believed)
    return keys | text_columns(query, believed) if text else keys


def key_columns(query: "Query", believed: Believed) -> dict[str, Any]:
    """Return the columns that identify each pair: the query and its position.

    Documents are identified by name if the names are unique. Mentions are identified by
    their words, as `sentence:begin-end`, so models with different mentions can be compared.
    """
    from calibrant.structures.coreference.documents import Documents

    keys: dict[str, Any] = query.keys(believed.posterior)
    told = {"query": repr(query)}
    if isinstance(believed.gold, Documents):
        return told | _of_documents(keys, believed.gold)
    return told | _of_sentences(keys, believed.gold.documents, believed.numbers)


def _of_sentences(
    keys: dict[str, Any],
    documents: tuple[str, ...] | None,
    numbers: "NDArray[np.int64] | None",
) -> dict[str, Any]:
    sentence = keys.get("sentence")
    if sentence is None:
        return keys
    found = {} if documents is None else {"document": gathered(documents, sentence)}
    return found | keys | {"sentence": sentence if numbers is None else numbers[sentence]}


def _of_documents(keys: dict[str, Any], gold: "Documents") -> dict[str, Any]:
    import numpy as np

    document = keys.get("document")
    if document is None:
        return keys
    names = [each.name for each in gold]
    sizes = [len(each.mentions) for each in gold]
    start = np.cumsum([0, *sizes[:-1]])
    words = [f"{m.sentence}:{m.begin}-{m.end}" for each in gold for m in each.mentions]
    found = dict(keys)
    if len(set(names)) == len(names):
        found["document"] = gathered(names, document)
    for name in keys.keys() - {"document"}:
        found[name] = gathered(words, start[document] + keys[name])
    return found


def gathered(values: Iterable[str], at: "NDArray[np.int64]") -> "polars.Series":
    """The values at these places."""
    import polars

    return polars.Series(list(values), dtype=polars.String).gather(at)


def answer_files(output: str, queries: Iterable[str]) -> dict[str, str]:
    """Name the file of each query: `output`, or `pairs-HasSpan-PER.csv` if there are several.

    >>> answer_files("pairs.csv", ["HasSpan(type='PER')", "TagIs(tag='$')", "TagIs(tag='#')"])
    {"HasSpan(type='PER')": 'pairs-HasSpan-PER.csv', "TagIs(tag='$')": 'pairs-TagIs.csv',
     "TagIs(tag='#')": 'pairs-TagIs-2.csv'}
    """
    asked = list(queries)
    if len(asked) == 1:
        return {asked[0]: output}
    if output == "-":
        raise ParameterError("-o - supports only one query: run them one by one, or name a file.")
    path = Path(output)
    packed = ".gz" if path.suffix.lower() == ".gz" else ""
    plain = path.with_suffix("") if packed else path
    files: dict[str, str] = {}
    for query in asked:
        short = re.sub(r"[^\w.]+", "-", re.sub(r"\w+=", "", query)).strip("-.")
        name, count = short, 1
        while (found := f"{plain.stem}-{name}{plain.suffix}{packed}") in files.values():
            count += 1
            name = f"{short}-{count}"
        files[query] = found
    return {query: str(path.with_name(name)) for query, name in files.items()}
