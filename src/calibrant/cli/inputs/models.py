"""Models to compare on the command line: one file each, or several columns of one file."""

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from calibrant.cli.options import Reader, input_option, note, pairs_input, with_reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.pairs import Pairs
    from calibrant.tables.columns import Given
    from calibrant.tables.predictions import Predictions


class Models(NamedTuple):
    """The pairs of each model by name, and the keys of the rows of each, if there are any."""

    pairs: "dict[str, Pairs]"
    keys: "list[NDArray[Any]] | None" = None


class ReadModels(NamedTuple):
    """Each model by name with the columns beside its pairs, and the keys of its rows, if any.

    Files that are summarised, or summaries, have no columns, so they are only pairs.
    """

    predictions: "dict[str, Predictions | Pairs]"
    keys: "list[NDArray[Any]] | None" = None


class ModelReader(NamedTuple):
    """Reads models as the command-line options specify."""

    read: Reader  # without --y and --q
    y: tuple[str, ...]
    q: tuple[str, ...]

    def __call__(self, files: Sequence[str], key: Sequence[str], own_answers: bool) -> Models:
        """Read all models, and print the columns used as notes."""
        from calibrant.errors import ParameterError

        if len(files) == 1 and len(self.q) > 1:
            return self._of_columns(files[0], key, own_answers)
        if len(files) < 2:
            raise ParameterError(
                "Two or more files are needed to compare, or one file with a --q for each model."
            )
        self._check_files(files)
        return self._of_files(files, key)

    def _of_files(self, files: Sequence[str], key: Sequence[str]) -> Models:
        """Read one model per file."""
        from calibrant.tables import file_names

        one = self._reader(self.y[0] if self.y else None, self.q[0] if self.q else None)
        found = [one.with_keys(each, key) for each in files]
        pairs = dict(zip(file_names(files), [each for each, _ in found], strict=True))
        return Models(pairs, [joint_key(key, columns) for _, columns in found] if key else None)

    def _of_columns(self, file: str, key: Sequence[str], own_answers: bool) -> Models:
        """Read several models of one file, each named after its column of predictions."""
        from calibrant.tables import several_pairs_from_file

        self._check_columns(key, own_answers)
        found = several_pairs_from_file(file, self._given(own_answers), self.read.format, note)
        return Models(dict(zip(self.q, found, strict=True)))

    def predictions(
        self, files: Sequence[str], key: Sequence[str], own_answers: bool
    ) -> ReadModels:
        """Read one or more models with all columns of their files."""
        from calibrant.tables import file_names

        self._check_files(files)
        if len(files) == 1 and len(self.q) > 1:
            self._check_columns(key, own_answers)
            return ReadModels(self._columns_of(files[0], own_answers))
        one = self._reader(self.y[0] if self.y else None, self.q[0] if self.q else None)
        named = dict(
            zip(file_names(files), [_with_columns(one, each) for each in files], strict=True)
        )
        keys = [_key_of(each, key) for each in named.values()] if key and len(files) > 1 else None
        return ReadModels(named, keys)

    def _columns_of(self, file: str, own_answers: bool) -> "dict[str, Predictions | Pairs]":
        """Read several models of one file, with the same columns beside them."""
        from calibrant.tables.predictions import several_predictions_from_file

        given = self._given(own_answers)
        found = several_predictions_from_file(file, given, self.read.format, note)
        return dict(zip(self.q, found, strict=True))

    def _check_files(self, files: Sequence[str]) -> None:
        """Refuse a file twice, and columns that cannot be told apart."""
        from calibrant.errors import ParameterError

        if len(set(files)) < len(files):
            raise ParameterError("A file is named twice.")
        for name, given in (("--y", self.y), ("--q", self.q)):
            if len(files) > 1 and len(given) > 1:
                raise ParameterError(
                    f"Several {name} are for models in one file, but there are {len(files)} files: "
                    f"give {name} once, and the same column in every file."
                )

    def _check_columns(self, key: Sequence[str], own_answers: bool) -> None:
        """Refuse options that do not fit models in one file."""
        from calibrant.errors import ParameterError

        twice = next((name for name in self.q if self.q.count(name) > 1), None)
        if twice is not None:
            raise ParameterError(f"The column {twice} is given twice with --q: name each once.")
        if key:
            raise ParameterError(
                "--key joins the rows of several files; in one file, each row is one question: "
                "leave --key out."
            )
        if own_answers and len(self.y) != len(self.q):
            raise ParameterError(
                "With --own-answers every --q in one file needs a --y of its own, but there are "
                f"{len(self.q)} --q and {len(self.y)} --y."
            )
        if not own_answers and len(self.y) > 1:
            raise ParameterError(
                f"All models must have the same --y, but there are {len(self.y)}. If each model is "
                "asked whether its own answer is right, add --own-answers."
            )

    def _given(self, own_answers: bool) -> "list[Given]":
        """The columns of each model of one file."""
        observed = self.y if own_answers else [self.y[0] if self.y else None] * len(self.q)
        return [self._reader(y, q).given for y, q in zip(observed, self.q, strict=True)]

    def _reader(self, y: str | None, q: str | None) -> Reader:
        return self.read._replace(given={**self.read.given, "y": y, "q": q})


def _with_columns(read: Reader, file: str) -> "Predictions | Pairs":
    """A file with all its columns; only the pairs of a summary, or of what must be summarised."""
    from calibrant.tables.large import why_summarised
    from calibrant.tables.predictions import every, predictions_from_file
    from calibrant.tables.summaries import is_summary

    if is_summary(file) or why_summarised(file) is not None:
        return read(file)
    return predictions_from_file(file, read.given, every, read.format, note)


def _key_of(read: "Predictions | Pairs", names: Sequence[str]) -> "NDArray[Any]":
    from calibrant.errors import InputError
    from calibrant.pairs import Pairs
    from calibrant.tables.files import labels_of
    from calibrant.tables.predictions import check_columns

    if isinstance(read, Pairs):
        raise InputError("A summary has no columns to join rows by: leave --key out.")
    check_columns(names, read.columns.columns, read.name)
    return joint_key(names, [labels_of(read.columns[name]) for name in names])


def joint_key(names: Sequence[str], columns: "list[NDArray[Any]]") -> "NDArray[Any]":
    """The name of each question; several columns name it together."""
    import numpy as np

    if len(columns) == 1:
        return columns[0]
    rows = zip(*(each.tolist() for each in columns), strict=True)
    return np.array(
        [
            ", ".join(f"{name} {part!r}" for name, part in zip(names, row, strict=True))
            for row in rows
        ]
    )


Columns = list[str] | None
REPEATED = {
    "y": Annotated[
        Columns,
        input_option(
            "--y",
            metavar="COLUMN",
            help="Column of observations, 0 or 1 (default: guessed from common names). With "
            "--own-answers and one file: repeat it, one for each --q in the same order.",
        ),
    ],
    "q": Annotated[
        Columns,
        input_option(
            "--q",
            metavar="COLUMN",
            help="Column of predicted probabilities of 1 (default: guessed from common names). "
            "With one file: repeat it, one for each model.",
        ),
    ],
}


def _models_input(y: Columns, q: Columns, **others: Any) -> ModelReader:  # noqa: ANN401
    """Turn the options for reading models into a reader."""
    return ModelReader(pairs_input(y=None, q=None, **others), tuple(y or ()), tuple(q or ()))


def _signature() -> inspect.Signature:
    """The options for reading pairs, with --y and --q repeatable."""
    options = inspect.signature(pairs_input).parameters.values()
    return inspect.Signature(
        [each.replace(annotation=REPEATED.get(each.name, each.annotation)) for each in options]
    )


def reads_models(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading models to a command; its first argument is the reader."""
    make: Any = _models_input
    make.__signature__ = _signature()
    return with_reader(make, command)
