"""Checks of arrays: anything array-like becomes one checked numpy vector, copied only if needed.

Every check is written so that NaN fails it, and every message says what must hold, what was
found (index, value, how many) and what to do.
"""

from collections.abc import Iterable
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, on_command_line

Vector = NDArray[Any]
COUNTABLE = 2.0**53  # every larger float is a whole number, so the check would be meaningless
ROUNDING = 1e-5  # error of single-precision probabilities that were summed or scaled
PERCENT = 2  # a larger maximum cannot be rounding error; it suggests percentages
DENSE = 4  # integers per row: a lookup table of this size is cheaper than sorting the rows
COMPACT = 1 << 16  # rows from which labels are worth storing in fewer bytes
CHUNK = 1 << 18  # rows that are copied or converted at once: 2 MB of floats
Label = str | int
Numbers = NDArray[np.signedinteger[Any]]  # 0, 1, ..., in as few bytes as hold them


def vector(values: object, name: str) -> Vector:
    """Convert `values` to a one-dimensional array; refuse missing values."""
    refuse_missing(values, name)
    array = as_array(values, name)
    if array.ndim == 0:
        raise InputError(
            f"{name} must be a sequence of values, but it is the single value {array}."
        )
    if array.ndim > 1:
        hint = ""
        if array.ndim == 2 and array.shape[1]:
            only = array.shape[1] == 1
            hint = f" Pass {name}[:, 0]." if only else f" Pass one column, such as {name}[:, 1]."
        raise InputError(
            f"{name} must have one dimension, but its shape is {tuple(array.shape)}.{hint}"
        )
    return array


def refuse_missing(values: object, name: str) -> None:
    """Refuse nulls of pandas, polars and pyarrow, which would become NaN or objects."""
    if isinstance(values, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(values)
    else:
        is_null = getattr(values, "is_null", None) or getattr(values, "isna", None)
        if is_null is None:
            return
        missing = np.asarray(is_null())
    if missing.ndim != 1 or not missing.any():
        return
    where, many = int(np.argmax(missing)), int(missing.sum())
    raise InputError(
        f"{name} must have no missing values, but {name}[{where}] is missing ({many} of "
        f"{missing.size} {'is' if many == 1 else 'are'}). Drop or fill those rows first."
    )


def as_array(values: object, name: str) -> Vector:
    """A numpy array of any shape; tensors of torch may be on any device and have a gradient."""
    given: Any = values
    _refuse_masked(values, name)
    if all(hasattr(given, name) for name in ("detach", "cpu", "float")):
        given = given.detach().cpu()
        if "bfloat16" in str(given.dtype):  # numpy has no such numbers
            given = given.float()
    plain = not hasattr(given, "__array__")
    if plain and hasattr(given, "__dlpack__"):
        return np.from_dlpack(given)
    try:
        return np.asarray(given.numpy() if plain and hasattr(given, "numpy") else given)
    except ValueError as error:
        raise InputError(_irregular(values, name)) from error
    except (TypeError, RuntimeError) as error:
        reason = str(error).rstrip(".")
        raise InputError(f"{name} cannot be read as an array: {reason}.") from error


def _refuse_masked(values: object, name: str) -> None:
    """Refuse arrays with masked entries, whose values underneath would be used."""
    if not isinstance(values, np.ma.MaskedArray):
        return
    many = int(np.ma.getmaskarray(values).sum())
    if many:
        raise InputError(
            f"{name} must have no missing values, but some are masked ({many} of {values.size}). "
            "Drop or fill them first."
        )


def _irregular(values: object, name: str) -> str:
    """Describe which item of a ragged list differs from the first."""
    sizes = [len(each) if hasattr(each, "__len__") else None for each in _items(values)]
    for where, size in enumerate(sizes):
        if size != sizes[0]:
            first, other = (_held(each) for each in (sizes[0], size))
            return (
                f"All items of {name} must have the same length, but {name}[0] {first} and "
                f"{name}[{where}] {other}."
            )
    return f"{name} must be a regular array of numbers, but its items differ in shape."


def _items(values: object) -> list[Any]:
    return list(values) if isinstance(values, Iterable) else []


def _held(size: int | None) -> str:
    if size is None:
        return "is a single value"
    return f"has {size} value{'s' * (size != 1)}"


def numeric(array: Vector, name: str, half: bool = False) -> Vector:
    """Refuse objects, strings and complex numbers.

    Half precision becomes float32, exactly, unless `half` asks to keep it.
    """
    if array.size == 0:
        return array.astype(np.float64)
    if array.dtype.kind in "biu" and array.dtype.isnative:
        return array
    if array.dtype.kind in "biuf":
        if array.dtype.itemsize == 2 and array.dtype.kind == "f":
            return array.astype(np.float16 if half else np.float32, copy=False)
        plain = np.float32 if array.dtype.itemsize == 4 else np.float64
        kept = array.dtype.kind != "f"
        return array.astype(array.dtype.newbyteorder("=") if kept else plain, copy=False)
    if array.dtype.kind == "O":
        where, value = _first_not_number(array)
        raise InputError(
            f"{name} must hold numbers, but it is an array of objects: {name}[{where}] is "
            f"{value!r}. Convert it with numpy.asarray({name}, dtype=float)."
        )
    first = ", ".join("0" * array.ndim)
    raise InputError(
        f"{name} must hold numbers, but it holds {array.dtype} values "
        f"({name}[{first}] is {array.flat[0].item()!r}). Convert it first."
    )


def _first_not_number(array: Vector) -> tuple[str, object]:
    for where, value in np.ndenumerate(array):
        if not isinstance(value, int | float | np.number | np.bool_):
            return ", ".join(map(str, where)), value
    return ", ".join("0" * array.ndim), array.flat[0]


def describe(array: Vector, bad: NDArray[np.bool_], name: str, verb: str) -> str:
    """Describe bad values: `q[17] is 1.3 (4 of 7152 values are outside)`."""
    where = int(np.argmax(bad))
    count = int(bad.sum())
    be = "is" if count == 1 else "are"
    return (
        f"{name}[{where}] is {array[where].item()!r} ({count} of {array.size} values {be} {verb})"
    )


def check_predictions(q: Vector) -> None:
    """Check that every q lies in [0, 1]."""
    if q.min() >= 0 and q.max() <= 1:
        return
    if not np.isfinite(q).all():
        found = describe(q, ~np.isfinite(q), "q", "not finite")
        raise InputError(f"q must be finite, but {found}. Drop or repair those rows.")
    found = describe(q, ~((q >= 0) & (q <= 1)), "q", "outside")
    raise InputError(f"q must lie in [0, 1], but {found}. {advice(float(q.min()), float(q.max()))}")


def advice(low: float, high: float) -> str:
    """Suggest what predictions between `low` and `high` may be if not probabilities."""
    if low >= -ROUNDING and high <= 1 + ROUNDING:
        return f"If this is rounding error, clip it{_by('numpy.clip(q, 0, 1)', ' to [0, 1]')}."
    if low >= 0 and PERCENT < high <= 100:
        return f"If these are percentages, divide them{_by('q / 100', ' by 100')}."
    if high <= 0:
        softmax = _by("scipy.special.softmax(row)", ", with a softmax")
        exponential = _by("numpy.exp(q)", " with exp")
        return (
            "If these are log-likelihoods of the choices of each question, normalise them per "
            f"question{softmax}. If they are logarithms of probabilities, convert them"
            f"{exponential}."
        )
    expit = _by("scipy.special.expit(q)", " with the logistic function, 1 / (1 + exp(-x))")
    return f"If these are logits, convert them{expit}."


def _by(code: str, words: str) -> str:
    """How to do it: in Python, or in words for readers of the command line."""
    return words if on_command_line() else f": {code}"


def check_observations(y: Vector, q: Vector) -> None:
    """Check that every y is 0 or 1; report arguments that look swapped."""
    if y.dtype.kind == "b":
        return
    if y.dtype.kind in "iu":
        if y.min() >= 0 and y.max() <= 1:
            return
    elif ((y == 0) | (y == 1)).all():
        return
    if np.isnan(y).any():
        found = describe(y, np.isnan(y), "y", "NaN")
        raise InputError(f"y must be 0 or 1, but {found}. Drop those rows.")
    found = describe(y, ~((y == 0) | (y == 1)), "y", "neither")
    if ((q == 0) | (q == 1)).all() and y.min() >= 0 and y.max() <= 1:
        hint = " The arguments look swapped: pass Pairs(y, q), observations first."
    else:
        hint = label_advice(set(np.unique(y).tolist()))
    raise InputError(f"y must be 0 or 1, but {found}.{hint}")


def label_advice(labels: set[float]) -> str:
    """Suggest how to convert other pairs of labels to 0 and 1."""
    if labels <= {-1, 1}:
        return " For labels -1 and 1 take y > 0."
    return " For labels 1 and 2 take y == 2." if labels <= {1, 2} else ""


def check_weights(weight: Vector) -> None:
    """Check that every weight is positive and finite."""
    if weight.min() > 0 and np.isfinite(weight).all():
        return
    found = describe(weight, ~((weight > 0) & np.isfinite(weight)), "weight", "not")
    raise InputError(
        f"weight must be positive and finite, but {found}. "
        "Leave out the rows that should not count."
    )


def unit_weights(weight: Vector) -> Vector:
    """Scale importance weights to a mean of 1; whole numbers are counts and are kept."""
    if weight.dtype.kind != "f" or ((weight == np.floor(weight)) & (weight < COUNTABLE)).all():
        return weight
    most, least = float(weight.max()), float(weight.min())
    if least / most < np.finfo(np.float64).tiny:  # the smallest weight would underflow to 0
        raise InputError(
            f"Weights differ too much: the largest is {most:g}, so the smallest, {least:g}, would "
            "become 0. Leave out rows with such small weights."
        )
    scaled = weight.astype(np.float64) / most
    return np.asarray(scaled / (fsum(scaled) / scaled.size))  # fsum: independent of row order


def check_lengths(**arrays: Vector) -> None:
    """Check that all arrays have the same length, and that it is not zero."""
    sizes = {name: array.size for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise InputError(f"All columns must have the same length, but {listed} values.")
    if next(iter(sizes.values())) == 0:
        raise InputError("There must be at least one pair, but y and q are empty.")


def codes(group: Vector) -> Numbers:
    """Number the group labels 0, 1, ... in the order of the labels; many rows as 32-bit numbers."""
    kind = np.int32 if COMPACT <= group.size < np.iinfo(np.int32).max else np.int64
    if group.dtype.kind in "iu" and group.size:
        low, high = int(group.min()), int(group.max())
        small = low >= -(2**63) and high < 2**63
        if small and high - low < DENSE * group.size:  # no sorting needed
            return _dense_codes(group, low, high, kind)
    return np.unique(group, return_inverse=True)[1].astype(kind, copy=False)


def _dense_codes(group: Vector, low: int, high: int, kind: type[np.int32 | np.int64]) -> Numbers:
    """The same for integers of a small range, by a table with an entry for each of them."""
    seen = np.zeros(high - low + 1, bool)
    for rows in chunks(group.size):
        seen[group[rows].astype(np.int64, copy=False) - low] = True
    number = np.cumsum(seen, dtype=np.int64) - 1
    found: Numbers = np.empty(group.size, kind)
    for rows in chunks(group.size):
        found[rows] = number[group[rows].astype(np.int64, copy=False) - low]
    return found


def labels(values: object, name: str) -> Vector:
    """Convert labels to integers, strings or floats, all of the same type."""
    if isinstance(values, list | tuple) and len({isinstance(each, str) for each in values}) > 1:
        values = np.array(values, object)  # otherwise numpy would convert them all to strings
    array = vector(values, name)
    if array.dtype.kind in "US":
        _refuse_trailing_nul(values, name)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        found = describe(array, ~np.isfinite(array), name, "not finite")
        raise InputError(f"{name} must label every pair, but {found}.")
    if array.dtype.kind in "iubfUST":
        return array
    return _labels_of_objects(array, name)


def _labels_of_objects(array: Vector, name: str) -> Vector:
    """Python objects that are all strings, or all integers, as an array of those."""
    if array.dtype.kind == "O" and all(isinstance(each, str) for each in array):
        _refuse_trailing_nul(array, name)
        return array.astype(np.str_)
    if array.dtype.kind == "O" and all(isinstance(each, int | np.integer) for each in array):
        return array.astype(np.int64)
    kind = str if isinstance(array[0], str) else int | np.integer
    mixed = next((i for i, each in enumerate(array) if not isinstance(each, kind)), 0)
    raise InputError(
        f"{name} must hold integers or strings, all of one kind, but "
        f"{name}[{mixed}] is {array[mixed]!r} ({array.dtype})."
    )


def _refuse_trailing_nul(values: object, name: str) -> None:
    """Refuse labels that end in NUL: numpy drops it, which would merge different labels."""
    fixed = isinstance(values, np.ndarray) and values.dtype.kind in "US"  # dropped already
    for where, value in enumerate([] if fixed else _items(values)):
        if isinstance(value, str | bytes) and value[-1:] in ("\0", b"\0"):
            raise InputError(
                f"{name} must not hold labels that end in a NUL character, but {name}[{where}] "
                f"is {value!r}. Remove those characters."
            )


def draw_counts(yes: object, draws: object) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Check and return the number of draws that said yes, and of all draws, per row."""
    given: Any = draws
    matrix = as_array(yes, "yes")
    if draws is not None and matrix.ndim == 2:
        raise InputError("A matrix of draws already says how many there are: leave draws out.")
    if draws is None:
        if matrix.ndim != 2:
            raise InputError("Give the number of draws that `yes` counts, such as draws=10.")
        if not ((matrix == 0) | (matrix == 1)).all():
            raise InputError("A matrix of draws must hold only 0 and 1, one row for each pair.")
        yes, given = matrix.sum(axis=1), matrix.shape[1]
    counts = whole_numbers(yes, "yes")
    sizes = whole_numbers(np.full(counts.size, given) if np.ndim(given) == 0 else given, "draws")
    check_lengths(yes=counts, draws=sizes)
    if sizes.min() < 2:
        found = describe(sizes, sizes < 2, "draws", "less")
        raise InputError(
            f"draws must be at least 2, but {found}. One draw cannot be split into two parts."
        )
    wrong = (counts < 0) | (counts > sizes)
    if wrong.any():
        found = describe(counts, wrong, "yes", "not")
        most = sizes[np.argmax(wrong)]
        raise InputError(f"yes must lie between 0 and draws = {most}, but {found}.")
    return counts, sizes


def whole_numbers(values: object, name: str) -> NDArray[np.int64]:
    """Convert to a vector of whole numbers, small enough to be counts."""
    array = numeric(vector(values, name), name)
    bad = ~np.isfinite(array) if array.dtype.kind == "f" else np.zeros(array.size, bool)
    bad |= array != np.floor(array)
    if bad.any():
        raise InputError(
            f"{name} must hold whole numbers, but {describe(array, bad, name, 'not whole')}."
        )
    large = ~((array > -COUNTABLE) & (array < COUNTABLE))
    if large.any():
        raise InputError(
            f"{name} must be less than 2**53, but {describe(array, large, name, 'larger')}."
        )
    return array.astype(np.int64)


def sum_by(label: Vector, values: Vector, count: int = 0) -> NDArray[np.float64]:
    """Sum the values of each label 0, 1, ...; the result has at least `count` entries."""
    if label.size < COMPACT or label.dtype == np.intp:
        return np.asarray(np.bincount(label, values, minlength=count), np.float64)
    from calibrant.kernels.labels import add_by_label

    sums = np.zeros(max(count, int(label.max()) + 1))
    add_by_label(label, values, sums)  # numpy would first copy the labels
    return sums


def chunks(rows: int) -> list[slice]:
    """Ranges of rows that are few enough for temporary copies."""
    return [slice(first, min(first + CHUNK, rows)) for first in range(0, rows, CHUNK)]
