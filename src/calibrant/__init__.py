"""calibrant checks whether the probabilities of an NLP model can be trusted.

At the top level are the verbs (`read`, `scan`, `read_evals`, `ask`, `score`, `score_classes`,
`score_evals`, `curve`, `describe`, `decompose`, `test`, `compare`, `slices`, `recalibrate`,
`recalibrate_evals`, `count`, `plot`, `report`), `Pairs`, and the posteriors, queries, scores,
curves and intervals that the verbs accept. Readers of corpora are in `calibrant.corpora`, models in
`calibrant.models`, calibration of numeric predictions in `calibrant.numbers`, outputs of other
libraries in `calibrant.outputs`, tests in `calibrant.calibration.hypotheses`, and methods of
recalibration in `calibrant.calibration.recalibration`.

>>> import calibrant as cb
>>> pairs = cb.Pairs([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
>>> print(cb.score(pairs, "Brier", interval=None))
Brier 0.085
"""

from collections.abc import Callable
from typing import Any

import lazy_loader

# The public names are written once, in `__init__.pyi`, which type checkers read too. They are
# imported when they are first used, so that `import calibrant` is instant.
_found, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _with_suggestions(found: Callable[[str], Any]) -> Callable[[str], Any]:
    """Extend a lookup: for an unknown name, suggest the nearest public one."""

    def look_up(name: str) -> Any:  # noqa: ANN401 - any public object
        try:
            return found(name)
        except AttributeError:
            from calibrant.errors import nearest

            near = nearest(name, __all__)
            hint = f" Did you mean {near}?" if near else ""
            raise AttributeError(f"calibrant has no attribute {name!r}.{hint}") from None

    return look_up


__getattr__ = _with_suggestions(_found)
del _with_suggestions
