"""Check single arguments; convert numpy numbers to Python numbers, which print plainly."""

from math import isfinite
from numbers import Integral, Real

from calibrant.errors import ParameterError, option

LARGEST_SEED = 2**63 - 1  # compiled kernels use signed 64-bit integers


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Check a whole number; both bounds are inclusive."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise ParameterError(f"{name} must be a whole number {bounds}, but it is {value!r}.")


def power_of_two(name: str, value: object, most: int) -> int:
    """Check a power of two from 2 to `most`."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if 2 <= number <= most and number & (number - 1) == 0:
            return number
    raise ParameterError(
        f"{name} must be a power of two from 2 to {most}, such as 256, but it is {value!r}."
    )


def real_number(name: str, value: object) -> float:
    """Check a finite number; integers stay integers."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    raise ParameterError(f"{name} must be a number, but it is {value!r}.")


def check_level(level: float) -> float:
    """Check a confidence level, strictly between 0 and 1."""
    level = real_number(option("level"), level)
    if not 0 < level < 1:
        hint = (
            f" For {level:g} % write {option('level', f'{level / 100:g}')}."
            if 1 < level < 100
            else ""
        )
        raise ParameterError(
            f"{option('level')} must lie between 0 and 1, but it is {level!r}.{hint}"
        )
    return float(level)


def check_seed(seed: int | None) -> int | None:
    """Check a seed; None stands for the default."""
    return None if seed is None else whole_number(option("seed"), seed, 0, LARGEST_SEED)
