"""Ways to train a conditional random field."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import CalibrantWarning, ParameterError
from calibrant.structures.sequences.models.objective import Objective

Float = NDArray[np.float64]


class Epoch(NamedTuple):
    """How far training is: the number of the pass, and how well dev sentences are tagged."""

    number: int
    log_likelihood: float | None  # per word of dev, natural logarithms
    accuracy: float | None  # of dev

    def __str__(self) -> str:
        return f"pass {self.number}" + (f": {self.on_dev}" if self.on_dev else "")

    @property
    def on_dev(self) -> str:
        """How well dev sentences are tagged, in words; nothing where there are none."""
        if self.log_likelihood is None or self.accuracy is None:
            return ""
        return f"dev log-likelihood {self.log_likelihood:.4f}, accuracy {100 * self.accuracy:.2f} %"


Judge = Callable[[Float], tuple[float, float] | None]  # log-likelihood and accuracy on dev


@dataclass
class State:
    """Where training stands after some passes; enough to go on from there."""

    values: Float
    square: Float
    best: Float
    history: list[Epoch]
    kept: int = 0  # the pass that `best` is from

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, to be saved."""
        told = [(e.number, e.log_likelihood, e.accuracy) for e in self.history]
        return {
            "values": self.values,
            "square": self.square,
            "best": self.best,
            "history": np.array(told, np.float64).reshape(-1, 3),
            "kept": np.array(self.kept),
        }

    @classmethod
    def of_arrays(cls, arrays: dict[str, NDArray[Any]]) -> "State":
        """From what `arrays` gave."""
        history = [
            Epoch(int(n), *(None if np.isnan(x) else float(x) for x in row))
            for n, *row in arrays["history"]
        ]
        values, square, best = (arrays[name] for name in ("values", "square", "best"))
        return cls(values, square, best, history, int(arrays["kept"]))


@dataclass(frozen=True)
class AdaGrad:
    """Mini-batch AdaGrad, stopped early where dev sentences are given.

    Parameters
    ----------
    rate
        The size of steps.
    batch
        Sentences per step.
    epochs
        Passes over the sentences, at most.
    patience
        Stop after as many passes in a row without a better log-likelihood of the dev sentences;
        the weights of the best pass are kept.
    """

    rate: float = 0.5
    batch: int = 100
    epochs: int = 100
    patience: int = 10

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", real_number("rate", self.rate))
        if not self.rate > 0:
            raise ParameterError(f"rate must be positive, but it is {self.rate!r}.")
        for name in ("batch", "epochs", "patience"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), 1))

    @property
    def passes(self) -> int:
        """How many there are at most."""
        return self.epochs

    def start(self, objective: Objective) -> State:
        """All weights at 0."""
        zeros = [np.zeros(objective.size) for _ in range(3)]
        return State(zeros[0], zeros[1], zeros[2], [])

    def run(self, objective: Objective, state: State, seed: int, judge: Judge) -> Iterator[Epoch]:
        """Go on from a state, pass by pass; `state.best` are the weights to keep."""
        from calibrant.structures.sequences.models.adagrad import Descent

        descent = Descent(objective, self.batch, self.rate, state.values, state.square)
        while len(state.history) < self.epochs and not self._tired(state):
            number = len(state.history) + 1
            descent.epoch(seed, number)
            judged = judge(state.values)
            epoch = Epoch(number, *(judged or (None, None)))
            if judged is None or self._better(epoch, state):
                state.kept, state.best = number, state.values.copy()
            state.history.append(epoch)
            yield epoch

    def _tired(self, state: State) -> bool:
        return len(state.history) - state.kept >= self.patience

    @staticmethod
    def _better(epoch: Epoch, state: State) -> bool:
        if not state.kept:
            return True
        best, now = state.history[state.kept - 1].log_likelihood, epoch.log_likelihood
        return best is None or now is None or now > best


@dataclass(frozen=True)
class LBFGS:
    """L-BFGS (scipy's) to the minimum of the objective, whatever the dev sentences say.

    A few passes of AdaGrad come first. They find weights to start from and, for each weight, a
    scale, by the sum of its squared gradients. Scaled so, L-BFGS needs a fifth to two fifths of the
    iterations.

    Parameters
    ----------
    tolerance
        Stop when ten iterations have lowered the objective by less than this share of it.
    iterations
        How many at most.
    memory
        Past steps that it learns the curvature from.
    warm
        Passes of AdaGrad before; 0 for none.
    """

    tolerance: float = 1e-5
    iterations: int = 1000
    memory: int = 10
    warm: int = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", real_number("tolerance", self.tolerance))
        if not 0 < self.tolerance < 1:
            raise ParameterError(f"tolerance must lie in (0, 1), but it is {self.tolerance!r}.")
        for name, least in (("iterations", 1), ("memory", 1), ("warm", 0)):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least))

    def minimise(
        self, objective: Objective, seed: int, tell: Callable[[int, float], None]
    ) -> tuple[Float, list[float]]:
        """The weights at the minimum, and the objective after each iteration."""
        from scipy.optimize import minimize
        from threadpoolctl import threadpool_limits

        from calibrant.structures.sequences.models.adagrad import Descent

        values, square = np.zeros(objective.size), np.zeros(objective.size)
        descent = Descent(objective, batch=100, rate=1.0, values=values, square=square)
        for number in range(self.warm):
            descent.epoch(seed, number + 1)
        scale = (np.sqrt(square) + 0.1) ** -0.35
        path: list[float] = []

        def scaled(moved: Float) -> tuple[float, Float]:
            value, gradient = objective(moved * scale)
            return value, gradient * scale

        def judge(intermediate_result: Any) -> None:  # noqa: ANN401 - scipy knows it by this name
            path.append(float(intermediate_result.fun))
            tell(len(path), path[-1])
            if len(path) > 10 and path[-11] - path[-1] < self.tolerance * path[-1]:
                raise StopIteration

        options = {
            "maxiter": self.iterations,
            "maxcor": self.memory,
            "maxfun": 20 * self.iterations,
            "ftol": 0.0,
            "gtol": 0.0,
        }
        with threadpool_limits(1, "blas"):  # its threads would wait busily where ours work
            found = minimize(
                scaled, values / scale, jac=True, method="L-BFGS-B", callback=judge, options=options
            )
        if len(path) >= self.iterations:
            warnings.warn(
                f"L-BFGS did not reach the minimum in {self.iterations} iterations: allow more, "
                "or a larger tolerance.",
                CalibrantWarning,
                stacklevel=4,
            )
        return found.x * scale, path


def described(training: AdaGrad | LBFGS) -> dict[str, Any]:
    """The name and the parameters, to be saved."""
    return {"name": type(training).__name__, **asdict(training)}
