import json
from math import exp, log

import polars as pl
import pytest

import calibrant as cb
from calibrant.errors import FileError, InputError

TOP = [{"token": "A", "logprob": log(0.6)}, {"token": " A", "logprob": log(0.1)}]
TOP += [{"token": "B", "logprob": log(0.2)}]
CONTENT = [{"token": "A", "logprob": log(0.6), "top_logprobs": TOP}]
CHAT = {"model": "m", "choices": [{"message": {"content": "A"}, "logprobs": {"content": CONTENT}}]}
OLD = {
    "model": "m",
    "choices": [
        {
            "text": " A",
            "logprobs": {
                "tokens": [" A"],
                "token_logprobs": [log(0.1)],
                "top_logprobs": [{"A": log(0.6), " A": log(0.1), "B": log(0.2)}],
            },
        }
    ],
}
NEW = {
    "object": "response",
    "model": "m",
    "output": [
        {"type": "reasoning"},
        {
            "type": "message",
            "content": [{"type": "output_text", "text": "(A)", "logprobs": CONTENT}],
        },
    ],
}
BATCH = {"response": {"status_code": 200, "body": CHAT}}


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.csv"
    frame = {"question": ["q", "r"], "gold": ["A", "Paris"], "subject": ["x", "y"]}
    pl.DataFrame(frame).write_csv(path)
    return path


def write(tmp_path, *rows):
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("row", [CHAT, OLD, NEW, BATCH])
def test_every_interface(tmp_path, gold, row):
    evals = cb.read_evals(write(tmp_path, {"custom_id": "q"} | row), gold=gold)
    assert evals.frame["correct"].to_list() == [True]
    assert evals.frame["token"].to_list() == pytest.approx([0.7])
    assert evals.frame["group"].to_list() == ["x"]
    assert "10.0 % of the probability is not on any letter" in evals.notes


def test_several_choices_are_attempts(tmp_path, gold):
    texts = ["The answer is B", "Answer: (A)", "who knows", "A"]
    row = {"choices": [{"message": {"content": text}} for text in texts]}
    evals = cb.read_evals(write(tmp_path, {"custom_id": "q"} | row), gold=gold)
    assert evals.frame["answer"].to_list() == ["B", "A", None, "A"]
    assert evals.frame["correct"].to_list() == [False, True, None, True]
    assert evals.set_aside() == {"unparsed": 1}


def test_texts_and_unknown_questions(tmp_path, gold):
    def chat(name, text):
        return {"custom_id": name, "choices": [{"message": {"content": text}}]}

    path = write(tmp_path, chat("r", "paris."), chat("r2", "Rome"))
    evals = cb.read_evals(path, gold=gold)
    assert evals.frame["correct"].to_list() == [True, None]
    assert evals.set_aside() == {"no gold answer": 1}


def test_sentinels_are_no_probabilities(tmp_path, gold):
    token = {"token": "A", "logprob": -9999.0}
    row = {"choices": [{"message": {"content": "A"}, "logprobs": {"content": [token]}}]}
    evals = cb.read_evals(write(tmp_path, {"custom_id": "q"} | row), gold=gold)
    assert evals.kinds == ()
    assert exp(-9999.0) == 0


def test_bad_input(tmp_path, gold):
    path = write(tmp_path, {"custom_id": "q"} | CHAT)
    with pytest.raises(InputError, match="name a table with the columns question and gold"):
        cb.read_evals(path)
    with pytest.raises(FileError, match="line 2: not a response"):
        cb.read_evals(write(tmp_path, CHAT, {"a": 1}), gold=gold)
    with pytest.raises(FileError, match=r"line 2, choices\[0\]: an object was expected, not 3"):
        cb.read_evals(write(tmp_path, {"custom_id": "q"} | CHAT, {"choices": [3]}), gold=gold)
    gold.write_text("question,gold\nq,A\nq,B\n")
    with pytest.raises(FileError, match="line 3: question 'q' is there twice"):
        cb.read_evals(path, gold=gold)
    gold.write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match="needs the columns question and gold"):
        cb.read_evals(path, gold=gold)
