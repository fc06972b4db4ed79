"""`Verdicts`: the results of several tests, as a table."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from calibrant.results.digits import p_cell
from calibrant.results.tabular import Tabular
from calibrant.results.verdict import Verdict

if TYPE_CHECKING:
    import polars


class Verdicts(Tabular, tuple[Verdict, ...]):
    """Several verdicts on the same pairs, shown as a table."""

    __slots__ = ()

    def __new__(cls, verdicts: Iterable[Verdict]) -> "Verdicts":
        """Collect verdicts."""
        return super().__new__(cls, verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return super().__iter__()

    @property
    def signature(self) -> str:
        """The signatures of the verdicts, one line each."""
        return "\n".join(verdict.signature for verdict in self)

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self[0].signature if len(self) == 1 else ""

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        rows = [[v.test, f"{v.statistic:.3f}", p_cell(v.p_value, v.least), v.how] for v in self]
        return ["test", "statistic", "p", "by"], rows

    def __repr__(self) -> str:
        return self.render()

    def to_frame(self) -> "polars.DataFrame":
        """One row per verdict."""
        import polars

        return polars.DataFrame([verdict.to_dict() for verdict in self])
