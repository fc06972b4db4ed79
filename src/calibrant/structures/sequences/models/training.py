"""Ways to train a conditional random field."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import CalibrantWarning, ParameterError
from calibrant.structures.sequences.models.epochs import Epoch, Judge, State
from calibrant.structures.sequences.models.objective import Objective

Float = NDArray[np.float64]
WINDOW = 10  # iterations over which L-BFGS must improve: single ones may improve little by chance
BATCH = 100  # sentences per step of the AdaGrad passes before L-BFGS
# The scale of a weight for L-BFGS, from its squared gradients: the power lies between no scaling
# (0) and AdaGrad's own (1), and the floor bounds the scale of weights with tiny gradients. Both
# change how fast the minimum is reached, not which one.
FLOOR, POWER = 0.1, 0.35


@dataclass(frozen=True)
class AdaGrad:
    """Mini-batch AdaGrad, with early stopping if dev sentences are given.

    Parameters
    ----------
    rate
        The step size.
    batch
        Sentences per step.
    epochs
        The maximum number of passes over the sentences.
    patience
        Stop after this many consecutive passes without improvement of the dev log-likelihood;
        the weights of the best pass are kept.

    References
    ----------
    J. Duchi, E. Hazan and Y. Singer (2011). Adaptive subgradient methods for online learning and
    stochastic optimization. JMLR 12, 2121–2159.
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
        """The maximum number of passes."""
        return self.epochs

    def start(self, objective: Objective) -> State:
        """Start with all weights at 0."""
        zeros = [np.zeros(objective.size) for _ in range(3)]
        return State(zeros[0], zeros[1], zeros[2], [])

    def run(self, objective: Objective, state: State, seed: int, judge: Judge) -> Iterator[Epoch]:
        """Continue from a state, pass by pass; `state.best` are the weights to keep."""
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
    """L-BFGS (from scipy), which converges to the minimum; dev sentences are not used.

    A few passes of AdaGrad come first. They give weights to start from and a scale for each
    weight, from its squared gradients. With these, L-BFGS needs a fifth to two fifths of the
    iterations.

    Parameters
    ----------
    tolerance
        Stop if ten iterations lower the objective by less than this fraction.
    iterations
        The maximum number of iterations.
    memory
        The number of past steps from which the curvature is estimated.
    warm
        The number of AdaGrad passes to start with; may be 0.
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
        descent = Descent(objective, batch=BATCH, rate=1.0, values=values, square=square)
        for number in range(self.warm):
            descent.epoch(seed, number + 1)
        scale = (np.sqrt(square) + FLOOR) ** -POWER
        path: list[float] = []

        def scaled(moved: Float) -> tuple[float, Float]:
            value, gradient = objective(moved * scale)
            return value, gradient * scale

        def judge(intermediate_result: Any) -> None:  # noqa: ANN401 - scipy requires this name
            path.append(float(intermediate_result.fun))
            tell(len(path), path[-1])
            if len(path) > WINDOW and path[-WINDOW - 1] - path[-1] < self.tolerance * path[-1]:
                raise StopIteration

        options = {
            "maxiter": self.iterations,
            "maxcor": self.memory,
            "maxfun": 20 * self.iterations,  # scipy tries at most 20 steps per iteration
            "ftol": 0.0,
            "gtol": 0.0,
        }
        with threadpool_limits(1, "blas"):  # avoid competing with our own threads
            found = minimize(
                scaled, values / scale, jac=True, method="L-BFGS-B", callback=judge, options=options
            )
        if len(path) >= self.iterations:
            warnings.warn(
                f"L-BFGS did not reach the minimum in {self.iterations} iterations: allow more "
                "iterations or a larger tolerance.",
                CalibrantWarning,
                stacklevel=4,
            )
        return found.x * scale, path


def described(training: AdaGrad | LBFGS) -> dict[str, Any]:
    """The name and the parameters, to be saved."""
    return {"name": type(training).__name__, **asdict(training)}
