"""Checkpoints, from which an interrupted run continues with identical results."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from calibrant.checks.files import check_writable
from calibrant.errors import FileError
from calibrant.structures.saving import checked_array, read_arrays, write_arrays
from calibrant.structures.sequences.models.epochs import State
from calibrant.structures.sequences.models.objective import Objective
from calibrant.structures.sequences.reading.corpus import Corpus


class Checkpoint:
    """A file that training writes after every pass, and continues from if it exists."""

    def __init__(
        self, path: str | Path, told: dict[str, Any], objective: Objective, dev: Corpus | None
    ) -> None:
        self.path = Path(path)
        check_writable(self.path)
        self._size = objective.size
        self._mark = _mark(told, objective, dev)

    def read(self) -> State | None:
        """Read the state of the last run; None without a checkpoint."""
        if not self.path.exists():
            return None
        arrays = read_arrays(self.path)
        mark = arrays.pop("mark", None)
        if mark is None or str(mark) != self._mark:
            raise FileError(
                f"{self.path} is the checkpoint of a run with other settings or sentences. Repeat "
                "those to continue it, or delete it to start again (on the command line: --fresh)."
            )
        try:
            for name in ("values", "square", "best"):
                checked_array(arrays, name, (self._size,))
            return State.of_arrays(arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{self.path} is damaged: {error}. Delete it.") from error

    def write(self, state: State) -> None:
        """Write the state of training."""
        write_arrays(self.path, {**state.arrays(), "mark": np.array(self._mark)})

    def remove(self) -> None:
        """Delete the file: training is done."""
        self.path.unlink(missing_ok=True)


def _mark(told: dict[str, Any], objective: Objective, dev: Corpus | None) -> str:
    """A hash of everything the result depends on, including custom features."""
    found = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    encoded = objective.encoded
    held = (encoded.start, encoded.bundle, encoded.hold_start, encoded.hold, objective.gold)
    for array in held:
        found.update(np.ascontiguousarray(array).data)
    found.update(json.dumps(None if dev is None else [dev.words, dev.tags]).encode())
    return found.hexdigest()
