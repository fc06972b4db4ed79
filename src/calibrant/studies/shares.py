"""How predictions are distributed: the share of them in each of several intervals."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.studies.sections import Section


class SharesRow(NamedTuple):
    """The share of each set of predictions that lies in an interval."""

    interval: str
    shares: Mapping[str, float]


def shares_section(
    q: Mapping[str, NDArray[Any]], edges: NDArray[np.float64], form: str, text: str
) -> Section[SharesRow]:
    """A table with a column for each set of predictions; `form` writes the ends of intervals."""
    shares = {name: np.histogram(each, edges)[0] / each.size for name, each in q.items()}
    rows = [
        SharesRow(
            f"{edges[k]:{form}} to {edges[k + 1]:{form}}",
            {name: float(share[k]) for name, share in shares.items()},
        )
        for k in range(edges.size - 1)
    ]
    return Section(
        name="predictions",
        title="The distribution of the predictions",
        columns={"interval": "q", "shares": "{}"},
        rows=rows,
        text=text,
    )
