"""Lines of evaluation logs, made for tests."""


def option_row(doc, loglik, target, **more):
    """A line of lm-eval samples for a multiple-choice question."""
    choices = [f" {word}" for word in ("three", "four", "five", "six")[: len(loglik)]]
    arguments = {
        f"gen_args_{i}": {"arg_0": f"Q{doc}", "arg_1": text} for i, text in enumerate(choices)
    }
    answers = [[str(each), "False"] for each in loglik]
    row = {
        "doc_id": doc,
        "doc": {"category": "sums" if doc < 2 else "other"},
        "target": target,
        "arguments": arguments,
        "resps": [[each] for each in answers],
        "filtered_resps": answers,
        "filter": "none",
        "doc_hash": f"hash{doc}",
    }
    return row | more


def text_row(doc, texts, target, **more):
    """A line of lm-eval samples for generated answers."""
    row = {
        "doc_id": doc,
        "doc": {},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {}}},
        "resps": [texts],
        "filtered_resps": [texts[0]],
        "filter": "none",
    }
    return row | more
