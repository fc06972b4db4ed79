"""`EvalMaps`: a map for each kind of confidence of language models, and what it gains."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import sub
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.bridges.recalibrating import Judging, chosen_method, recalibrate_one, row_map
from calibrant.calibration.recalibration import Temperature
from calibrant.calibration.recalibration.classes.rows import Rows
from calibrant.calibration.recalibration.method import Method, RowMethod
from calibrant.calibration.recalibration.recalibrator import Recalibrator
from calibrant.errors import CalibrantError, InputError
from calibrant.results.progress import bar
from calibrant.results.tabular import Tabular, without_empty_columns
from calibrant.structures.evals.evals import SHARES, Evals, Part
from calibrant.structures.evals.kinds import check_kind

if TYPE_CHECKING:
    import polars

OF_OPTIONS = (Temperature(),)  # logs may list the right option first, so places say too much


@dataclass(frozen=True, slots=True)
class EvalMap:
    """The map of one kind of confidence of one model in one task; or why there is none."""

    model: str
    task: str
    kind: str
    found: Recalibrator | None
    why: str = ""

    @property
    def file(self) -> str:
        """A name for the file of the map."""
        return sub(r"[^\w.-]+", "_", f"{self.model}-{self.task}-{self.kind}") + ".json"

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        own: dict[str, Any] = {"model": self.model, "task": self.task, "kind": self.kind}
        if self.found is None:
            return own | {"verdict": self.why}
        told = self.found
        return own | {
            "attempts": told.change.n,
            "method": told.method,
            "score": told.before[0].score,
            "before": told.before[0].value,
            "after": told.after[0].value,
            "change": told.change.value,
            "low": told.change.low,
            "high": told.change.high,
            "level": told.change.level,
            "groups": told.change.groups,
            "verdict": told.verdict,
            "signature": told.signature,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EvalMaps(Tabular):
    """A map for each model, task and kind of confidence, with what it gains on unseen groups."""

    rows: Sequence[EvalMap]
    level: float

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[EvalMap]:
        return iter(self.rows)

    def __getitem__(self, kind: str) -> Recalibrator:
        """The map of a kind of confidence, of a single model and task."""
        fitting = [row for row in self.rows if row.kind == check_kind(kind)]
        if len(fitting) != 1:
            raise InputError(
                f"There are {len(fitting)} maps of the kind {kind}: go through rows instead."
            )
        if fitting[0].found is None:
            raise InputError(f"There is no map of the kind {kind}: {fitting[0].why}")
        return fitting[0].found

    def __repr__(self) -> str:
        return str(self)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        share = f"{100 * self.level:g} % interval"
        header = ["model", "task", "kind", "n", "score", "method", "before", "after", "change"]
        return without_empty_columns([*header, share, "verdict"], [_cells(r) for r in self.rows])

    @property
    def signature(self) -> str:
        """The signatures of all maps, each in a line with its model, task and kind."""
        return "\n".join(
            f"{row.model}|{row.task}|{row.kind}|{row.found.signature}"
            for row in self.rows
            if row.found is not None
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """One record per map."""
        return [row.to_dict() for row in self.rows]

    def to_frame(self) -> "polars.DataFrame":
        """One row per map."""
        import polars

        return polars.DataFrame(self.to_dicts(), infer_schema_length=None)

    def save(self, folder: str | Path) -> list[Path]:
        """Write each map to a file of this folder, named by model, task and kind."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        written = []
        for row in self.rows:
            if row.found is not None:
                written.append(target / row.file)
                row.found.save(written[-1])
        return written


def _cells(row: EvalMap) -> list[str]:
    named = [row.model, row.task, row.kind]
    if row.found is None:
        return [*named, *[""] * 7, row.why]
    before, after, change = row.found.before[0], row.found.after[0], row.found.change
    return [
        *named,
        f"{change.n:g}",
        before.score,
        row.found.method,
        *(before.text("value"), after.text("value"), change.text("value"), change.interval),
        row.found.verdict,
    ]


def map_evals(
    attempts: Evals,
    kinds: Collection[str] | None,
    method: Method | str,
    judging: Judging,
    progress: bool = False,
) -> EvalMaps:
    """Learn a map of each kind, or of these kinds, for every model and task."""
    wanted = [(part, kind) for part in attempts.parts() for kind in _kinds(part.evals, kinds)]
    if not wanted:
        known = ", ".join(attempts.kinds) or "none"
        raise InputError(f"No attempt has such a confidence. These attempts have: {known}.")
    rows, errors = [], []
    with bar(progress and len(wanted) > 1, len(wanted), "Learning") as tell:
        for done, (part, kind) in enumerate(wanted, start=1):
            found, why = None, ""
            try:
                found = _learnt(part, kind, method, judging)
            except CalibrantError as error:
                errors.append(error)
                why = str(error)
            rows.append(EvalMap(part.model, part.task, kind, found, why))
            tell(done, f"{part.model}, {kind}")
    if len(errors) == len(rows):
        raise errors[0]
    return EvalMaps(rows, judging.level)


def _kinds(evals: Evals, kinds: Collection[str] | None) -> list[str]:
    asked = None if kinds is None else {check_kind(each) for each in kinds}
    return [kind for kind in evals.kinds if asked is None or kind in asked]


def _learnt(part: Part, kind: str, method: Method | str, judging: Judging) -> Recalibrator:
    """The map of a kind: of all options if one is right, of shares, or of pairs."""
    evals = part.evals
    of_pairs = not isinstance(chosen_method(method), RowMethod | None)
    if kind in ("choice", "averaged") and not of_pairs and "choice_all" in evals.kinds:
        options = _options(evals, kind)
        if options is not None:
            return row_map(options, method, OF_OPTIONS, judging)
    pairs = evals.shares(kind) if kind in SHARES else evals.pairs(kind)
    return recalibrate_one(pairs, method, judging)


def _options(evals: Evals, kind: str) -> Rows | None:
    """The probabilities of the options of each question; None if several may be right."""
    choices, groups = evals.choices(kind)
    if choices.truth.size < evals.answers(kind).height:
        return None
    classes = tuple(range(choices.q.shape[1]))
    group = np.array(groups)
    units = group if np.unique(group).size < group.size else None
    return Rows(choices.q, choices.truth, classes, units, choices.possible)
