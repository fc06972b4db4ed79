"""`CalibrationDisplay`: calibration curves in the manner of scikit-learn's displays."""

from typing import TYPE_CHECKING, Any, Self

from calibrant.calibration.curves import AdaptiveBins, Curve, Estimator
from calibrant.checks.items import described
from calibrant.checks.parameters import check_level
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.estimators import positives
from calibrant.pairs.shares import warn_of_shares
from calibrant.plots.calibration import curve_lines, plot_curve
from calibrant.results.choices import choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


class CalibrationDisplay:
    """A calibration curve with its band, drawn on the axes that you pass.

    It is used like `sklearn.calibration.CalibrationDisplay`, and has the same attributes after
    drawing. Differences: there are bands, so noise can be told from error; bins adapt to the data
    unless `curve` says otherwise (`n_bins=10` is `curve="UniformBins(count=10)"`, with
    `strategy="quantile"` it is `curve="AdaptiveBins(count=10)"`); weights and groups are
    respected. scikit-learn need not be installed.

    Parameters
    ----------
    curve
        The curve to draw, from `calibrant.curve`.
    name
        The name in the legend (default: no legend).

    Attributes
    ----------
    ax_
        The axes, once the curve is drawn.
    figure_
        The figure of the axes.
    line_
        The line of the curve.
    curve
        The curve, with its table.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from calibrant.plots import CalibrationDisplay
    >>> X, y = [[k] for k in range(40)], [0] * 15 + [0, 1] * 5 + [1] * 15
    >>> model = LogisticRegression().fit(X, y)
    >>> display = CalibrationDisplay.from_estimator(model, X, y, curve="AdaptiveBins(size=10)")
    >>> display.line_.get_label()
    'LogisticRegression'
    """

    ax_: "Axes"
    figure_: "Figure"
    line_: "Line2D"

    def __init__(self, curve: Curve, *, name: str | None = None) -> None:
        if not isinstance(curve, Curve):
            raise ParameterError(
                f"curve must be a Curve, as calibrant.curve returns, but it is {described(curve)}."
            )
        self.curve, self.name = curve, name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,  # noqa: ANN401 - any classifier
        X: Any,  # noqa: ANN401 - whatever the classifier takes
        y: object,
        *,
        curve: Estimator | str | None = None,
        level: float = 0.95,
        positive: object = None,
        weight: object = None,
        group: object = None,
        name: str | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the curve of a fitted classifier of two classes.

        Parameters
        ----------
        estimator, X
            As `model` and `X` of `Pairs.from_estimator`.
        y, positive, weight, group
            As in `Pairs.from_estimator`.
        curve
            The estimator of the curve, or its printed form (default: `AdaptiveBins()`).
        level
            The level of the band.
        name
            The name in the legend (default: the class of the model).
        ax
            Axes to draw on, such as `ax_` of another display (default: those of a new figure).
        """
        pairs = Pairs.from_estimator(estimator, X, y, positive=positive, weight=weight, group=group)
        label = type(estimator).__name__ if name is None else name
        return cls._of(pairs, curve, level, label, ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: object,
        y_prob: object,
        *,
        curve: Estimator | str | None = None,
        level: float = 0.95,
        positive: object = None,
        weight: object = None,
        group: object = None,
        name: str | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the curve of predictions.

        Parameters
        ----------
        y_true
            The true classes: 0 and 1, unless `positive` names the class that counts as yes.
        y_prob
            The predicted probability of the positive class.
        curve
            As in `from_estimator`.
        level
            The level of the band.
        positive, weight, group
            As in `from_estimator`.
        name
            The name in the legend (default: "Classifier").
        ax
            Axes to draw on (default: those of a new figure).
        """
        pairs = Pairs(positives(y_true, positive), y_prob, weight=weight, group=group)
        return cls._of(pairs, curve, level, "Classifier" if name is None else name, ax)

    @classmethod
    def _of(
        cls,
        pairs: Pairs,
        curve: Estimator | str | None,
        level: float,
        name: str,
        ax: "Axes | None",
    ) -> Self:
        chosen: Estimator = choose(curve, "curve", AdaptiveBins())
        warn_of_shares(pairs)
        return cls(chosen.fit(pairs, check_level(level), None, 0), name=name).plot(ax=ax)

    def plot(self, *, ax: "Axes | None" = None, name: str | None = None) -> Self:
        """Draw the curve, again or elsewhere; several on the same axes have different colours."""
        self.ax_ = plot_curve(self.curve, ax, self.name if name is None else name)
        figure = self.ax_.get_figure(root=True)
        if figure is not None:
            self.figure_ = figure
        self.line_ = curve_lines(self.ax_)[-1]
        return self
