"""A module for Hugging Face's evaluate: a calibration score with its interval.

    python examples/evaluate_module.py

With the library: evaluate.load("examples/evaluate_module.py").compute(references=y,
predictions=q). `predictions` are probabilities of yes, not classes: most other modules take
classes, whose calibration cannot be judged.
"""

import calibrant as cb

try:
    import datasets
    import evaluate
except ImportError:  # the numbers below do not need them
    evaluate = None


def compute(predictions, references, groups=None, score="CalibScore"):
    """The score, its limits and its signature; `groups` are sentences or documents."""
    found = cb.score(cb.Pairs(references, predictions, group=groups), score)
    return {
        "score": found.value,
        "low": found.low,
        "high": found.high,
        "signature": found.signature,
    }


if evaluate is not None:

    class Calibration(evaluate.Metric):
        """`compute` as a module of evaluate."""

        def _info(self):
            columns = {"predictions": "float64", "references": "int64"}
            features = {name: datasets.Value(kind) for name, kind in columns.items()}
            return evaluate.MetricInfo(
                description="How far probabilities of yes are from frequencies of yes.",
                citation="",
                inputs_description="predictions: probabilities; references: 0 or 1.",
                features=datasets.Features(features),
            )

        def _compute(self, predictions, references, groups=None, score="CalibScore"):
            return compute(predictions, references, groups, score)


if __name__ == "__main__":
    pairs = cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)
    for name, value in compute(pairs.q, pairs.y).items():
        print(f"{name}: {value}")
