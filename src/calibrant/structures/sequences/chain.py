"""`Chain`: what a tagger believes about the tags of whole sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, nearest
from calibrant.results.wording import counted
from calibrant.structures.labels.labels import Labels
from calibrant.structures.potentials import Potentials, checked_potentials
from calibrant.structures.sequences import inference
from calibrant.structures.sequences.crfsuite import crfsuite_weights
from calibrant.structures.sequences.flair import flair_scores
from calibrant.structures.sequences.hidden_markov import hmm_scores
from calibrant.structures.sequences.inference import Best, Messages, Scores, Sums
from calibrant.structures.sequences.linear import crf_scores, weights_from_mappings
from calibrant.structures.tempering.temperatures import Given, given_temperatures

Float = NDArray[np.float64]
Int = NDArray[np.int64]
KINDS = ("emissions", "transitions")
SHOWN = 8  # tags that messages list, so that they stay on one line


@dataclass(frozen=True, eq=False, repr=False)
class Chain:
    """A distribution over the tag sequences of each of several sentences.

    P(tags) ∝ exp(Σ score of each tag + Σ score of each move from one tag to the next), with scores
    for the first and the last tag too. Hidden Markov models and linear-chain conditional random
    fields have this form. Make one with `Chain.from_scores`, or from another library's model with
    `Chain.from_hmm`, `Chain.from_crf`, `Chain.from_crfsuite` or `Chain.from_flair`.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> unary = [np.log([[0.9, 0.1], [0.5, 0.5]])]
    >>> moves = np.log([[0.2, 0.8], [0.5, 0.5]])
    >>> chain = cb.Chain.from_scores(unary, moves, tags=["D", "N"])
    >>> chain
    Chain(1 sentence, 2 tokens, 2 tags: D, N)
    >>> chain.mode
    [['D', 'N']]
    >>> chain.marginals.round(2)
    array([[0.9 , 0.1 ],
           [0.23, 0.77]])
    """

    start: Int
    score: Float
    move: Float
    first: Float
    last: Float
    tags: tuple[str, ...]

    @classmethod
    def from_scores(
        cls,
        unary: Sequence[object],
        move: object,
        *,
        first: object = None,
        last: object = None,
        tags: Sequence[str] | None = None,
    ) -> "Chain":
        """From the scores of any model.

        Parameters
        ----------
        unary
            One matrix for each sentence: the score of every tag (columns) at every token (rows).
            Minus infinity forbids a tag.
        move
            The score of every tag (columns) after every tag (rows), shared by all sentences.
        first, last
            Scores of the first and the last tag of a sentence (default: 0).
        tags
            The names of the tags (default: "0", "1", ...).
        """
        chain = cls(*checked_potentials(unary, move, first, last, tags))
        impossible = chain.log_partition == -np.inf
        if impossible.any():
            raise InputError(
                f"No tag sequence is possible for sentence {int(np.argmax(impossible))} "
                f"({int(impossible.sum())} of {len(chain)}): all have a score of -inf."
            )
        return chain

    @classmethod
    def from_hmm(
        cls,
        first: object,
        move: object,
        likelihoods: Sequence[object],
        *,
        last: object = None,
        tags: Sequence[str] | None = None,
    ) -> "Chain":
        """From the probabilities of a hidden Markov model.

        Parameters
        ----------
        first
            The probability that each tag is the first.
        move
            The probability of every tag (columns) after every tag (rows).
        likelihoods
            One matrix for each sentence: the probability (or density) of every token (rows) given
            every tag (columns). If these may be too small for a float, take logarithms of
            everything and use `Chain.from_scores`.
        last
            The probability that a sentence ends after each tag, if the model has one. Each row of
            `move` must sum to 1, together with `last` if that is given.
        tags
            The names of the tags (default: "0", "1", ...).

        Examples
        --------
        >>> import calibrant as cb
        >>> move = [[0.7, 0.3], [0.4, 0.6]]
        >>> chain = cb.Chain.from_hmm([0.5, 0.5], move, [[[0.9, 0.2], [0.1, 0.8]]], tags=["R", "S"])
        >>> chain.marginals.round(2)
        array([[0.73, 0.27],
               [0.19, 0.81]])
        """
        return cls._of(hmm_scores(first, move, likelihoods, last, tags))

    @classmethod
    def from_crf(
        cls,
        states: Mapping[tuple[str, str], float],
        moves: Mapping[tuple[str, str], float],
        sentences: Sequence[Any],
        *,
        tags: Sequence[str] | None = None,
    ) -> "Chain":
        """From the weights of a linear-chain conditional random field.

        Parameters
        ----------
        states
            The weight of each attribute for each tag: a mapping from pairs (attribute, tag). A
            missing pair has weight 0, so attributes that the model does not know change nothing.
        moves
            The weight of each tag after each tag: a mapping from pairs (tag, tag). A missing pair
            has weight 0; minus infinity forbids a move.
        sentences
            Lists of tokens. A token is a list or set of attributes, or a dict from names to
            numbers, booleans (1 or 0), strings ({"word": "dog"} is "word:dog") or more lists, sets
            and dicts, whose names are joined by ":", all as python-crfsuite takes them.
        tags
            The tags in order (default: those that occur in the weights, sorted).

        Examples
        --------
        >>> import calibrant as cb
        >>> states = {("word:the", "D"): 2.0, ("word:dog", "N"): 2.0}
        >>> sentences = [[{"word": "the"}, {"word": "dog"}]]
        >>> chain = cb.Chain.from_crf(states, {("D", "N"): 1.0}, sentences)
        >>> chain.mode
        [['D', 'N']]
        """
        return cls._of(crf_scores(weights_from_mappings(states, moves, tags), sentences))

    @classmethod
    def from_crfsuite(cls, model: Any, sentences: Sequence[Any]) -> "Chain":  # noqa: ANN401
        """From a model of CRFsuite, python-crfsuite or sklearn-crfsuite.

        The model file is read directly: none of the three needs to be installed. Probabilities
        are those of `Tagger.marginal` and `Tagger.probability`.

        Parameters
        ----------
        model
            The path of a model file, a fitted `sklearn_crfsuite.CRF`, or a `pycrfsuite.Tagger`.
            A tagger gives only its weights, rounded to six decimals, so its probabilities are
            off by some 1e-6. Prefer the path, which is exact.
        sentences
            Lists of tokens with their attributes, as in `Chain.from_crf`.

        Examples
        --------
        >>> import sklearn_crfsuite
        >>> import calibrant as cb
        >>> sentences = [[{"word": "the"}, {"word": "dog"}]]
        >>> crf = sklearn_crfsuite.CRF().fit(sentences, [["D", "N"]])
        >>> cb.Chain.from_crfsuite(crf, sentences)
        Chain(1 sentence, 2 tokens, 2 tags: D, N)
        """
        return cls._of(crf_scores(crfsuite_weights(model), sentences))

    @classmethod
    def from_flair(
        cls, scores: Sequence[object], transitions: object, tags: Sequence[str]
    ) -> "Chain":
        """From the CRF layer of a sequence tagger of flair.

        flair keeps transitions with a row for the tag that is reached and a column for the tag
        that is left, and has two more tags, <START> and <STOP>. Both are undone here.

        flair's own confidence of a tag is another number: the softmax of the scores of the best
        paths up to the word. It knows nothing of the words that follow, and only the best path to
        each tag, so it is not the probability of the tag.

        Parameters
        ----------
        scores
            For each sentence the emissions, words × tags, or the output of the layer
            `tagger.crf`, words × tags × tags, in which the transitions were added. Cut off the
            padding: `scores[k, :length]`.
        transitions
            `tagger.crf.transitions`.
        tags
            `tagger.label_dictionary.get_items()`, with <START> and <STOP>.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> tags = ["O", "B-PER", "<START>", "<STOP>"]
        >>> emissions = [np.array([[1.0, 2.0, 0, 0], [1.0, 0.0, 0, 0]])]
        >>> transitions = np.zeros((4, 4))
        >>> transitions[0, 1] = 2.0  # to O, from B-PER
        >>> cb.Chain.from_flair(emissions, transitions, tags).marginals.round(2)
        array([[0.06, 0.94],
               [0.94, 0.06]])
        """
        return cls._of(flair_scores(scores, transitions, tags))

    @classmethod
    def _of(cls, scores: Potentials) -> "Chain":
        return cls.from_scores(
            scores.unary, scores.move, first=scores.first, last=scores.last, tags=scores.tags
        )

    def tempered(self, temperatures: Given) -> "Chain":
        """The same posterior, flatter or sharper: all scores divided by a temperature.

        Parameters
        ----------
        temperatures
            One temperature, or a mapping with those of "emissions" (the scores of tags) and
            "transitions" (the scores of moves, first and last tags). Above 1 makes it less sure.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> chain = cb.Chain.from_scores([np.log([[0.9, 0.1]])], np.zeros((2, 2)), tags=["D", "N"])
        >>> chain.tempered(2).marginals.round(2)
        array([[0.75, 0.25]])
        """
        found = given_temperatures(temperatures, KINDS)
        words, moves = (found[kind] for kind in KINDS)
        return Chain(
            self.start,
            self.score / words,
            self.move / moves,
            self.first / moves,
            self.last / moves,
            self.tags,
        )

    def take(self, numbers: Sequence[int]) -> "Chain":
        """The posterior of some of the sentences, by their numbers."""
        chosen = [whole_number("number", k, 0, len(self) - 1) for k in numbers]
        parts = [self.score[self.start[k] : self.start[k + 1]] for k in chosen]
        start = np.concatenate([[0], np.cumsum(self.lengths[chosen])]).astype(np.int64)
        score = np.concatenate([self.score[:0], *parts])
        return Chain(start, score, self.move, self.first, self.last, self.tags)

    def __len__(self) -> int:
        return int(self.start.size) - 1

    def __repr__(self) -> str:
        sizes = {"sentence": len(self), "token": len(self.score), "tag": len(self.tags)}
        many = ", ".join(counted(size, noun) for noun, size in sizes.items())
        return f"Chain({many}: {self._shown})"

    @property
    def _shown(self) -> str:
        """The first tags, as messages list them."""
        return ", ".join(self.tags[:SHOWN]) + (", ..." if len(self.tags) > SHOWN else "")

    @property
    def lengths(self) -> Int:
        """The number of tokens of each sentence."""
        return np.diff(self.start)

    @property
    def scores(self) -> Scores:
        """All scores, as compiled code takes them."""
        return Scores(self.start, self.score, self.move, self.first, self.last)

    @cached_property
    def _sums(self) -> Sums:
        return inference.sum_up(self.scores)

    @property
    def marginals(self) -> Float:
        """The probability of every tag at every token, sentence after sentence."""
        return self._sums.single

    def pair_marginals(self, first: str, second: str) -> Float:
        """The probability that two neighbours have these tags, for all neighbours in order."""
        a, b = self.code(first), self.code(second)
        ahead, behind, whole = self._messages
        at = np.ones(self.score.shape[0], bool)
        at[self.start[:-1][self.lengths > 0]] = False  # first words follow nothing
        now = np.flatnonzero(at)
        logs = ahead[now - 1, a] + self.move[a, b] + self.score[now, b] + behind[now, b]
        found: Float = np.exp(logs - whole[now])
        return found

    @cached_property
    def _messages(self) -> Messages:
        return inference.pass_messages(self.scores)

    @property
    def expected_pairs(self) -> Float:
        """The expected number of each pair of neighbouring tags, in all sentences together."""
        return self._sums.pair

    @property
    def log_partition(self) -> Float:
        """The log of the sum over all tag sequences of each sentence."""
        return self._sums.total

    @cached_property
    def entropy(self) -> Float:
        """The uncertainty of each sentence: −Σ P log P over all its tag sequences, in nats.

        Exact, by a recursion over the tokens. It is 0 if one sequence is certain, and at most
        tokens · log(tags).

        Reference: Hernando, Crespi & Cybenko (2005), IEEE Trans. Inf. Theory 51(7), 2681–2685.
        """
        return inference.entropy(self.scores)

    def labels(self) -> Labels:
        """The marginals of all tokens, sentence after sentence, as independent items.

        For what `Labels` can do, such as scores for every tag. Its gold is one list of the tags of
        all tokens; if that has tags that the model does not know, use `labels().including(gold)`.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> cb.Chain.from_scores([np.zeros((3, 2))], np.zeros((2, 2)), tags=["D", "N"]).labels()
        Labels(3 items, 2 classes: D, N)
        """
        return Labels(self.marginals.clip(0.0, 1.0), self.tags)

    @cached_property
    def mode(self) -> list[list[str]]:
        """The most probable tag sequence of each sentence; of ties that of the first tags."""
        return [self._named(path) for path in np.split(self.mode_codes, self.start[1:-1])]

    @property
    def mode_codes(self) -> Int:
        """The columns of the tags of the most probable sequences, sentence after sentence."""
        return self._best.path

    @cached_property
    def mode_probabilities(self) -> Float:
        """The probability of the most probable tag sequence of each sentence."""
        found: Float = np.exp(self._best.value - self.log_partition).clip(0.0, 1.0)
        return found

    @cached_property
    def _best(self) -> Best:
        return inference.best(self.scores)

    def sample(self, count: int = 1, seed: int = 0) -> list[list[list[str]]]:
        """For each sentence, `count` tag sequences drawn from the posterior."""
        count, seed = whole_number("count", count, 1), whole_number("seed", seed, 0)
        drawn = inference.draw(self.scores, count, seed)
        return [[self._named(path) for path in paths] for paths in drawn]

    def kbest(self, count: int) -> list[list[tuple[list[str], float]]]:
        """For each sentence, the `count` most probable tag sequences with their probabilities."""
        best = inference.best_few(self.scores, whole_number("count", count, 1))
        return [
            [
                (self._named(path), float(np.exp(value - total)))
                for path, value in zip(few.path, few.value, strict=True)
            ]
            for few, total in zip(best, self.log_partition, strict=True)
        ]

    def probability(self, sentence: int, tags: Sequence[str], begin: int | None = None) -> float:
        """The probability that a sentence has these tags, from token `begin` on.

        Without `begin`, the tags are those of the whole sentence. Otherwise the result is a sum
        over all tags of the other tokens, not a product of marginals.
        """
        index = whole_number("sentence", sentence, 0, len(self) - 1)
        score = self.score[self.start[index] : self.start[index + 1]]
        at = 0 if begin is None else whole_number("begin", begin, 0, score.shape[0])
        codes = np.array([self.code(tag) for tag in tags], np.int64)
        if begin is None and codes.size != score.shape[0]:
            raise InputError(
                f"Sentence {sentence} has {counted(score.shape[0], 'token')}, but tags has "
                f"{codes.size}: pass begin for the tags of a part."
            )
        if at + codes.size > score.shape[0]:
            raise InputError(
                f"Sentence {sentence} has {score.shape[0]} tokens, so there cannot be "
                f"{codes.size} tags from token {at} on."
            )
        rows = np.arange(codes.size)
        masked = score.copy()
        masked[at : at + codes.size] = -np.inf
        masked[at + rows, codes] = score[at + rows, codes]
        return float(np.exp(inference.log_sum(self.scores, masked) - self.log_partition[index]))

    def code(self, tag: str) -> int:
        """The column of a tag."""
        if tag in self.tags:
            return self.tags.index(tag)
        near = nearest(str(tag), self.tags)
        hint = f"Did you mean {near!r}?" if near else f"They are {self._shown}."
        raise InputError(f"There is no tag {tag!r} among {len(self.tags)}. {hint}")

    def _named(self, path: Int) -> list[str]:
        return [self.tags[code] for code in path.tolist()]
