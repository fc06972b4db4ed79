"""Checks of what was counted on the device, and of checkpoints."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.results.wording import counted
from calibrant.tensors.cells import PLACES, Grid
from calibrant.tensors.sums import IGNORED, Aside, Filled, Sums


def check_values(sums: Sums) -> None:
    """Raise an error if values were left out because they were wrong."""
    many = sums.aside()
    if not many[[Aside.Q, Aside.Y, Aside.LABEL, Aside.ROW]].any():
        return
    example = sums.to_host(sums.examples)
    if many[Aside.Q]:
        raise InputError(_wrong_q(int(many[Aside.Q]), float(example[Aside.Q])))
    if many[Aside.Y]:
        value = float(example[Aside.Y])
        found = _found(int(many[Aside.Y]), "value of y is not", "values of y are not", value)
        raise InputError(f"y must be 0 or 1, but {found}.{arrays.label_advice({value})}")
    if many[Aside.LABEL]:
        found = _found(
            int(many[Aside.LABEL]), "label is not", "labels are not", float(example[Aside.LABEL])
        )
        raise InputError(
            f"labels must number the columns of logits from 0, or be {IGNORED}, but {found}."
        )
    raise InputError(
        "logits must be finite (-inf forbids a label, but not all of a row), but "
        f"{counted(int(many[Aside.ROW]), 'row is', 'rows are')} not."
    )


def _wrong_q(many: int, example: float) -> str:
    found = _found(many, "value of q does not", "values of q do not", example)
    known = np.isfinite(example) and not 0 <= example <= 1
    hint = f" {arrays.advice(example, example)}" if known else ""
    return f"q must lie in [0, 1], but {found}.{hint}"


def _found(many: int, one: str, several: str, example: float) -> str:
    """How many values are wrong; the example stayed 0 if another process has them."""
    return counted(many, one, several) + (f" ({example:g} for example)" if example else "")


def loaded(grid: Grid, state: Mapping[str, Any], folds: int | None) -> Filled:
    """The sums of a checkpoint, checked."""
    for name in ("bits", "folds", "sums", "skipped"):
        if name not in state:
            raise InputError(f"The state of an accumulator must have {name!r}, but it has not.")
    if (state["bits"], state["folds"]) != (grid.bits, folds):
        raise InputError(
            f"The state must be that of an accumulator with bits={grid.bits}, folds={folds}, but "
            f"it has bits={state['bits']}, folds={state['folds']}."
        )
    sums = arrays.as_array(state["sums"], "sums")
    if sums.dtype.kind != "i" or sums.ndim != 2 or sums.shape[0] != 3 or not _possible(grid, sums):
        raise InputError("The state of the accumulator is damaged: its sums are not possible.")
    return Filled(*sums.astype(np.int64, copy=False))


def _possible(grid: Grid, sums: Any) -> bool:  # noqa: ANN401
    slot, count, place = sums
    inside = (slot >= 0) & (slot < grid.slots) & (count > 0)
    return bool(
        inside.all()
        and (np.diff(slot) > 0).all()
        and ((place >> PLACES) <= count).all()
        and (place >= 0).all()
    )
