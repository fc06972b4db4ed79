"""Small logs of language models, under the names and in the formats of real ones."""

import json

import numpy as np
import polars

TEXT = "Is this a secret question?"  # must not appear in any output
SUBJECTS = [f"subject {k}" for k in range(8)]


def stated_log(path, seed):
    """Answers of an overconfident model, every twentieth unread, in the format of MMLU-Pro logs."""
    rng = np.random.default_rng(seed)
    size = 40 * len(SUBJECTS)
    gold = rng.choice(list("ABCDEFGHIJ"), size)
    stated = rng.choice([0.5, 0.8, 0.9, 0.95, 1.0], size)
    right = rng.random(size) < stated - 0.3
    answer = np.where(right, gold, "Z").tolist()
    answer[::20] = [None] * len(answer[::20])
    columns = {
        "category": np.repeat(SUBJECTS, 40),
        "correct_answer": gold,
        "extracted_answer": polars.Series(answer),
        "verbal_numerical_confidence": stated,
        "logit_perplexity_confidence": np.clip(stated - 0.2 + 0.1 * rng.random(size), 0, 1),
    }
    polars.DataFrame(columns).write_csv(path)


def chains_log(path, seed, questions=60, chains=5):
    """Chains of a calibrated model: options are drawn from what it believes."""
    rng = np.random.default_rng(seed)
    lines = []
    for number in range(questions):
        belief = rng.dirichlet([0.6] * 4)
        label = "ABCD"[rng.choice(4, p=belief)]
        drawn = rng.choice(4, size=chains, p=belief)
        loglik = rng.normal(-9, 1, (chains, 4))
        loglik[np.arange(chains), drawn] = loglik.max(axis=1) + rng.exponential(2, chains)
        row = {"row": number, "doc": {"id": number, "Label": label, "Question": TEXT}}
        row |= {"preds": drawn.tolist(), "pred_logliks": loglik.tolist(), "majority": "A"}
        lines.append(json.dumps(row) + "\n")
    path.write_text("".join(lines))


def truthful_log(path, seed, model="made"):
    """Two true and two false answers to each question; the third has a placeholder."""
    rng = np.random.default_rng(seed)
    size = 60
    scores = rng.normal(-20, 6, (size, 4))
    scores[2, 0] = 0.0
    columns = {
        "id": [f"q{k}" for k in range(size)],
        "Category": [f"category {k % 6}" for k in range(size)],
        "Question": [TEXT] * size,
        "Best Answer": ["one"] * size,
        "Correct Answers": [f"one; {TEXT}"] * size,
        "Incorrect Answers": ["three; four and more;"] * size,
        f"{model} lprob scores-true": [f"{a}, {b}" for a, b in scores[:, :2]],
        f"{model} lprob scores-false": [f"{a}, {b}" for a, b in scores[:, 2:]],
        f"{model} MC1": (scores[:, 0] > scores[:, 2:].max(axis=1)).astype(float),
    }
    polars.DataFrame(columns).write_csv(path)
    return scores
