"""Distinct entities of LitBank's excerpts, from the antecedents of given mentions."""

from calibrant.structures.coreference.queries import NewEntity
from calibrant.studies.pipelines.counting import Case, columns_of
from calibrant.studies.pipelines.plan import FAITHFUL, PipelinesPlan
from calibrant.studies.progress import Progress


def count_entities(plan: PipelinesPlan, progress: Progress) -> Case:
    """The number of entities of each excerpt, by rankers that were trained on others."""
    resolved = plan.resolve(plan.ranker, progress)
    names = resolved.found.names
    by = columns_of({"document": names})
    tallies = NewEntity().tallies(resolved.links[FAITHFUL], resolved.found, group=names, by=by)
    return Case("other excerpts", "entities", tallies, ["document"])
