"""An aggregation for lm-evaluation-harness: how far off are the probabilities of choices?

    python examples/lm_eval_aggregation.py

In the YAML of a multiple-choice task, next to this file:

    process_results: !function lm_eval_aggregation.process_results
    metric_list:
      - metric: calib_score
        aggregation: !function lm_eval_aggregation.calib_score
        higher_is_better: false

The probabilities are the softmax of the log-likelihoods of the choices, as they are. Dividing by
the length of a choice first, as acc_norm does, gives another confidence: report which one.
The harness aggregates single numbers and knows no groups or intervals: read its samples with
cb.read_evals for those.
"""

import numpy as np

import calibrant as cb


def process_results(doc, results):
    """Whether the best choice is right, and its probability; `doc` must hold the gold index."""
    logs = np.array([float(each[0]) for each in results])
    powers = np.exp(logs - logs.max())
    best = int(powers.argmax())
    return {"calib_score": (int(best == int(doc["gold"])), float(powers[best] / powers.sum()))}


def calib_score(items) -> float:
    """The calibration score of all pairs (y, q)."""
    y, q = zip(*items, strict=True)
    return cb.score(cb.Pairs(y, q), interval=None).value


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    logs = rng.normal(size=(2000, 4)) * 2
    chances = np.exp(logs / 2) / np.exp(logs / 2).sum(axis=1, keepdims=True)  # half as sure
    gold = [int(rng.choice(4, p=each)) for each in chances]
    items = [
        process_results({"gold": right}, [(log, False) for log in row])["calib_score"]
        for right, row in zip(gold, logs, strict=True)
    ]
    print(f"CalibScore of an overconfident model: {calib_score(items):.3f}")
