"""Names in texts of genres that the model was not trained on, counted by document and month."""

from collections.abc import Iterator

from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.spans import types_of
from calibrant.studies.pipelines.counting import Case, columns_of
from calibrant.studies.pipelines.documents import Names, genre_of, month_of
from calibrant.studies.pipelines.plan import PipelinesPlan
from calibrant.studies.progress import Progress

SAME, OTHER = "the same genres", "other genres"


def count_names(plan: PipelinesPlan, progress: Progress) -> list[Case]:
    """Train on some genres and count the names in others, and once in the same."""
    names = plan.load_names()
    genres = tuple(dict.fromkeys(names.genres))
    found = [*_cases(plan, SAME, names.of(genres, ("train",)), names.of(genres, ("dev", "test")))]
    for learnt, counted in progress.track(plan.counted.items(), len(plan.counted), "Names"):
        found += _cases(plan, OTHER, names.of(learnt), names.of(counted))
    return found


def _cases(plan: PipelinesPlan, trained: str, train: Names, test: Names) -> Iterator[Case]:
    chain = plan.tagger.fit(train.corpus).posteriors(test.corpus)
    documents = test.documents
    by = columns_of(
        {
            "document": documents,
            "genre": [genre_of(each) for each in documents],
            "month": [month_of(each) for each in documents],
        }
    )
    units = ["document", "genre"] + ["month"] * any(by["month"])
    where = "" if trained == SAME else f" in {' and '.join(dict.fromkeys(test.genres))}"
    for type in types_of(chain.tags):
        tallies = HasSpan(type).tallies(chain, test.corpus, by=by)
        yield Case(trained, f"{type}{where}", tallies, units)
