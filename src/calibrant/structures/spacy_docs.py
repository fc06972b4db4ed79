"""Documents of spaCy, ready for one component of a pipeline."""

from collections.abc import Sequence
from typing import Any

from calibrant.errors import InputError, nearest


def component(nlp: Any, pipe: str) -> Any:  # noqa: ANN401 - objects of spaCy
    """A component of a pipeline by name."""
    if pipe not in nlp.pipe_names:
        near = nearest(pipe, nlp.pipe_names)
        hint = f" Did you mean {near!r}?" if near else ""
        raise InputError(
            f"pipe must name a component of nlp ({', '.join(nlp.pipe_names)}), but it is "
            f"{pipe!r}.{hint}"
        )
    return nlp.get_pipe(pipe)


def fresh_docs(nlp: Any, docs: Sequence[Any], pipe: str) -> list[Any]:  # noqa: ANN401
    """New documents with the same words, processed by the components before `pipe`.

    New, so that no annotation of the given documents reaches the model. The components before it
    must run: one that listens to a shared tok2vec would otherwise see zeros, without an error.
    """
    if isinstance(docs, str) or not len(docs):
        raise InputError("docs must be a list with at least one document or text.")
    from spacy.tokens import Doc

    made = [
        nlp.make_doc(each)
        if isinstance(each, str)
        else Doc(
            nlp.vocab,
            words=[token.text for token in each],
            spaces=[bool(token.whitespace_) for token in each],
        )
        for each in docs
    ]
    for name, one in nlp.pipeline:
        if name == pipe:
            break
        made = list(one.pipe(made)) if hasattr(one, "pipe") else [one(doc) for doc in made]
    return made
