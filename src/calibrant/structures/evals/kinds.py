"""The kinds of confidence that a log may hold. They are different quantities, never mixed."""

from calibrant.errors import UnknownName

KINDS = {
    "choice": "probability of the chosen option: softmax of the log-likelihoods of all options",
    "choice_per_character": "the same with log-likelihoods divided by the length in characters",
    "choice_per_byte": "the same with log-likelihoods divided by the length in bytes",
    "choice_all": "probability of every option, chosen or not; options of a question are a group",
    "averaged": "probability of the option that is best on average over attempts at the question",
    "token": "probability of the answer's token, all spellings of it together",
    "sequence": "probability of the whole answer, the product over its tokens",
    "perplexity": "mean probability of the answer's tokens; geometric if computed here",
    "stated": "what the model said in its answer or in a score field",
    "agreement": "share of the other attempts at the question that gave the same answer",
    "majority": "share of half of the attempts that gave the answer most of the other half gave",
}
SCALAR = ("token", "sequence", "perplexity", "stated")  # one number per attempt, as logged
BY_QUESTION = ("averaged", "majority")  # one number for all attempts at a question
BY_OPTION = ("choice", "choice_per_character", "choice_per_byte")


def check_kind(kind: str) -> str:
    """The kind itself, if there is one of that name."""
    if kind not in KINDS:
        raise UnknownName("kind of confidence", str(kind), KINDS)
    return kind
