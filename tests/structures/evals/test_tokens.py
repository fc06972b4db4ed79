import numpy as np
import pytest

from calibrant.structures.evals.tokens import token_confidences


def entry(token, logprob, **top):
    listed = [{"token": name, "logprob": value} for name, value in top.items()]
    return {"token": token, "logprob": logprob, "top_logprobs": listed}


def test_products_and_means():
    found = token_confidences([entry("The", -0.1), entry(" Nile", -0.5)], "nothing")
    assert found == pytest.approx({"sequence": np.exp(-0.6), "perplexity": np.exp(-0.3)})


def test_spellings_of_the_answer_are_pooled_once():
    own = entry("B", -1.0)
    own["top_logprobs"] = [
        {"token": name, "logprob": value}
        for name, value in (("B", -1.0), (" B", -2.0), ("(B", -3.0), ("A", -1.2), ("b", -9999.0))
    ]
    found = token_confidences([entry("Answer", -0.2), own], "B")
    assert found["token"] == pytest.approx(np.exp([-1, -2, -3]).sum())


def test_the_last_of_several_tokens_counts():
    found = token_confidences([entry("A", -2.0), entry(" or", -0.1), entry("A", -0.3)], "(A)")
    assert found["token"] == pytest.approx(np.exp(-0.3))


@pytest.mark.parametrize(
    "logprobs", [[], [None], [0.0, 0.0], [-9999.0, -1.0], [float("nan")], [0.5], ["-1"]]
)
def test_placeholders_are_no_confidence(logprobs):
    assert token_confidences([entry("A", each) for each in logprobs], "A") == {}
