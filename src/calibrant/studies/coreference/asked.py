"""What the systems of the study of coreference answered."""

from collections.abc import Mapping
from dataclasses import dataclass

from calibrant.pairs import Pairs
from calibrant.studies.coreference.rankers import Resolved


@dataclass(frozen=True, eq=False)
class Asked:
    """One corpus: its systems, and their answers about pairs of mentions."""

    found: Resolved
    pairs: Mapping[str, Pairs]
