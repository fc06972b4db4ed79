"""A metric for Inspect: can the confidence of a single attempt be trusted?

    python examples/inspect_metric.py

Scorers that return {"correct": 1, "confidence": 0.8} can use it: @scorer(metrics=[calib_score()]).
Epochs are attempts. Inspect averages them before most metrics, and an average of right and wrong
answers is neither, so this metric asks for the scores of the attempts. Attempts at the same sample
depend on each other, so samples are groups; attempts without a number are left out, not wrong.
"""

import math

import calibrant as cb


def attempt_pairs(scores) -> cb.Pairs:
    """One pair per attempt, from the scores that Inspect passes to a metric."""
    rows = [
        (each.score.value["correct"], each.score.value["confidence"], each.sample_id)
        for each in scores
    ]
    known = [row for row in rows if not any(v is None or math.isnan(v) for v in row[:2])]
    y, q, sample = zip(*known, strict=True)
    return cb.Pairs(y, q, group=[str(each) for each in sample])


def calib_score():
    """The metric; only this function needs Inspect."""
    from inspect_ai.scorer import SampleScore, metric

    @metric(name="calib_score", scores="unreduced")
    def of_attempts():
        def value(scores: list[SampleScore]) -> float:  # Inspect looks at these types
            return cb.score(attempt_pairs(scores), interval=None).value

        return value

    return of_attempts()


if __name__ == "__main__":
    from types import SimpleNamespace as Made

    # 200 samples with 4 epochs each: the model says 0.9, and half of its attempts are right
    attempts = [
        Made(sample_id=k, score=Made(value={"correct": (k + epoch) % 2, "confidence": 0.9}))
        for k in range(200)
        for epoch in range(4)
    ]
    print(f"By attempt: {cb.score(attempt_pairs(attempts))}")
