"""Where training stands, on disk, so that an interrupted run goes on as if it had not been."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from calibrant.corpora import Corpus
from calibrant.errors import FileError
from calibrant.files import check_writable
from calibrant.models.saving import read_arrays, write_arrays
from calibrant.models.training import State


class Checkpoint:
    """A file that training writes after every pass and goes on from, where there is one."""

    def __init__(self, path: str | Path, told: dict[str, Any], *corpora: Corpus | None) -> None:
        self.path = Path(path)
        check_writable(self.path)
        self._mark = _mark(told, corpora)

    def read(self) -> State | None:
        """Where the last run stood; None where there was none."""
        if not self.path.exists():
            return None
        arrays = read_arrays(self.path)
        mark = arrays.pop("mark", None)
        if mark is None or str(mark) != self._mark:
            raise FileError(
                f"{self.path} is the checkpoint of a training with other settings or sentences. "
                "Repeat those to go on with it, or delete it to start anew."
            )
        try:
            return State.of_arrays(arrays)
        except KeyError as error:
            raise FileError(f"{self.path} is damaged: there is no {error}.") from error

    def write(self, state: State) -> None:
        """Keep where training stands."""
        write_arrays(self.path, {**state.arrays(), "mark": np.array(self._mark)})

    def remove(self) -> None:
        """Training is done."""
        self.path.unlink(missing_ok=True)


def _mark(told: dict[str, Any], corpora: tuple[Corpus | None, ...]) -> str:
    """A hash of all that the result depends on."""
    found = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    for corpus in corpora:
        what = None if corpus is None else [corpus.words, corpus.tags]
        found.update(json.dumps(what).encode())
    return found.hexdigest()
