"""The tables of how well entities and mentions are found."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from calibrant.structures.coreference.accuracy import CoreferenceScore, Share
from calibrant.studies.coreference.rankers import Resolved
from calibrant.studies.sections import Section


class SystemRow(NamedTuple):
    """How well a system finds entities, F1 in per cent."""

    corpus: str
    system: str
    muc: float
    b_cubed: float
    ceaf_e: float
    conll: float


def systems(corpora: Sequence[Resolved]) -> Section[SystemRow]:
    """The accuracy of all systems, the rule included."""
    return Section(
        name="systems",
        title="How well entities are found",
        columns={
            "corpus": "corpus",
            "system": "system",
            "muc": "MUC",
            "b_cubed": "B³",
            "ceaf_e": "CEAFe",
            "conll": "CoNLL",
        },
        rows=[
            _system_row(each.name, system, found)
            for each in corpora
            for system, found in each.scores.items()
        ],
        text="F1 in per cent; CoNLL is the mean of the three. OntoGUM: its test documents; with "
        "dev, which also chose how many passes to make, twice as many; mentions from trees, "
        "entities of one mention left out, as the corpus does not mark them. LitBank: true "
        "mentions, entities of one mention counted, ten folds pooled. The rule links mentions of "
        "the same head.",
    )


def _system_row(corpus: str, system: str, found: CoreferenceScore) -> SystemRow:
    return SystemRow(
        corpus=corpus,
        system=system,
        muc=100 * found.muc.f1,
        b_cubed=100 * found.b_cubed.f1,
        ceaf_e=100 * found.ceaf_e.f1,
        conll=100 * found.conll,
    )


class MentionsRow(NamedTuple):
    """Mentions found in trees against the true ones."""

    corpus: str
    found: Share

    @property
    def sizes(self) -> Mapping[str, int]:
        """How many mentions are true, and how many were found."""
        return {"true": int(self.found.recall_whole), "found": int(self.found.precision_whole)}

    @property
    def shares(self) -> Mapping[str, float]:
        """Recall and precision in per cent."""
        return {"recall": 100 * self.found.recall, "precision": 100 * self.found.precision}


def mentions(corpora: Sequence[Resolved]) -> Section[MentionsRow]:
    """How well the mentions of trees agree with the true ones."""
    return Section(
        name="mentions",
        title="Mentions from trees",
        columns={"corpus": "corpus", "sizes": "{}", "shares": "{}"},
        rows=[MentionsRow(each.name, each.recall) for each in corpora if each.recall is not None],
        text="Noun phrases and pronouns, the largest per head, against the mentions of the corpus, "
        "which are only those of entities with several. Recall and precision in per cent.",
    )
