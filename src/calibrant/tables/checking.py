"""Check columns of files as numbers or labels; errors name the first bad row."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from calibrant.checks.arrays import COUNTABLE, advice, label_advice
from calibrant.errors import FileError
from calibrant.tables.columns import TRUTHS
from calibrant.tables.showing import shown

if TYPE_CHECKING:
    import polars

ROUNDED = 0.01  # probabilities and sums this close to [0, 1] or 1 are rounded, not logits
LOGITS = "If these are logits, apply softmax to each row first."
RULES = {
    "y": "0 or 1",
    "q": "a number in [0, 1]",
    "probability": "a number in [0, 1]",
    "weight": "a positive number",
    "group": "a label",
    "gold": "a label",
    "yes": "a whole number of at least 0",
    "draws": "a whole number of at least 2",
}


class Column(NamedTuple):
    """A column of a file, its role, and the place of each row in the file."""

    series: "polars.Series"
    role: str
    name: str
    file: str
    place: Callable[[int], str]

    def checked(self) -> "polars.Series":
        """The column as numbers or labels, or an error that names the first bad row."""
        return self._labels() if self.role in ("group", "gold") else self._numbers()

    def refuse(self, bad: "polars.Series", rule: str, hint: str = "") -> None:
        """Raise an error about the first row that breaks a rule, if there is one."""
        if not bad.any():
            return
        index = int(bad.arg_max() or 0)
        found = self.series[index]
        is_missing = found is None or (isinstance(found, str) and not found.strip())
        value = "is missing" if is_missing else f"is {shown(found)}"
        many = int(bad.sum())
        others = f" ({many} of {self.series.len()} rows are bad)" if many > 1 else ""
        raise FileError(f"{self._row(index)}: {rule}, but it {value}{others}.{hint}")

    def _row(self, index: int) -> str:
        return f"{self.file}, {self.place(index)}, column {self.name}"

    def _labels(self) -> "polars.Series":
        import polars

        series = self.series
        missing = series.is_null()
        if series.dtype == polars.String:
            missing = missing | (series == "")
            self._refuse_garbled()
        elif not (series.dtype.is_integer() or series.dtype == polars.Categorical):
            raise FileError(
                f"{self.file}, column {self.name}: {self.role} must hold integers or strings, but "
                f"the column holds {series.dtype} values."
            )
        self.refuse(missing, f"{self.role} must be a label")
        return series

    def _refuse_garbled(self) -> None:
        garbled = self.series.str.contains("\ufffd", literal=True).fill_null(False)
        if garbled.any():
            raise FileError(
                f"{self._row(int(garbled.arg_max() or 0))}: the label is not UTF-8, so different "
                "labels might look the same: save the file in UTF-8."
            )

    def _numbers(self) -> "polars.Series":
        import polars

        numbers = self._as_floats()
        fine = _fine(self.role, numbers).fill_null(False)
        self.refuse(
            bad=~fine,
            rule=f"{self.role} must be {RULES[self.role]}",
            hint=_hint(self.role, numbers),
        )
        return numbers.cast(polars.Int8) if self.role == "y" else numbers

    def _as_floats(self) -> "polars.Series":
        import polars

        series = self.series
        if series.dtype == polars.String:
            text = series.str.strip_chars()
            if self.role == "y":
                digits = {word: f"{number:g}" for word, number in TRUTHS.items()}
                text = text.str.to_lowercase().replace(digits)
            return text.cast(polars.Float64, strict=False)
        if series.dtype.is_float():
            return series
        if series.dtype == polars.Boolean or series.dtype.is_integer() or series.dtype.is_decimal():
            return series.cast(polars.Float64)
        raise FileError(
            f"{self.file}, column {self.name}: {self.role} must be {RULES[self.role]}, but the "
            f"column holds {series.dtype} values."
        )


def _fine(role: str, numbers: "polars.Series") -> "polars.Series":
    """Mark the rows that satisfy the rule of a role."""
    if role == "y":
        return (numbers == 0) | (numbers == 1)
    finite = numbers.is_finite()  # polars orders NaN above all numbers
    if role == "q":
        return finite & (numbers >= 0) & (numbers <= 1)
    if role == "probability":
        return finite & (numbers >= -ROUNDED) & (numbers <= 1 + ROUNDED)
    if role == "weight":
        return finite & (numbers > 0)
    whole = finite & (numbers == numbers.floor()) & (numbers < COUNTABLE)
    return whole & (numbers >= (2 if role == "draws" else 0))


def _hint(role: str, numbers: "polars.Series") -> str:
    """Suggest what the column may hold instead, if all its values are numbers."""
    if role not in ("y", "q", "probability") or not numbers.is_finite().fill_null(False).all():
        return ""
    if role == "probability":
        return f" {LOGITS}"
    if role == "y":
        return label_advice(set(numbers.unique()))
    values = numbers.to_numpy()
    return " " + advice(float(values.min()), float(values.max()))
