"""What a `Chain` computes from its scores, sentence by sentence, in compiled code."""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.threads import at_once, workers

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Scores(NamedTuple):
    """The scores of all sentences, as compiled code takes them."""

    start: Int  # (sentences + 1,) the first token of each sentence
    score: Float  # (tokens, tags)
    move: Float  # (tags, tags)
    first: Float  # (tags,)
    last: Float  # (tags,)

    def sentences(self) -> list[Float]:
        """The scores of the tokens of each sentence."""
        return [self.score[a:b] for a, b in itertools.pairwise(self.start.tolist())]


class Sums(NamedTuple):
    """The results of one pass over all sentences."""

    single: Float  # (tokens, tags) the probability of every tag
    pair: Float  # (tags, tags) the expected number of each pair of neighbours
    total: Float  # (sentences,) the log of the sum over all sequences


class Messages(NamedTuple):
    """Log sums of what comes before and after each tag, and of all of it, at every token."""

    ahead: Float  # (tokens, tags)
    behind: Float  # (tokens, tags)
    whole: Float  # (tokens,)


class Best(NamedTuple):
    """The best tag sequence of each sentence, with its score."""

    path: Int  # (tokens,)
    value: Float  # (sentences,)


class Few(NamedTuple):
    """The best tag sequences of a sentence, with their scores."""

    path: Int  # (sequences, tokens)
    value: Float  # (sequences,)


def sum_up(scores: Scores) -> Sums:
    """Sums over all tag sequences of each sentence, on all cores."""
    from calibrant.kernels.sequences.chain import marginals

    many = scores.start.size - 1
    single, total = np.zeros_like(scores.score), np.zeros(many)
    parts = [part for part in np.array_split(np.arange(many), workers()) if part.size]
    pairs = [np.zeros_like(scores.move) for _ in parts]

    def work(k: int) -> None:
        marginals(*scores, parts[k], single, pairs[k], total)

    at_once(work, range(len(parts)))
    return Sums(single, np.sum(pairs, axis=0), total)


def pass_messages(scores: Scores) -> Messages:
    """Log sums of what comes before and after each tag."""
    from calibrant.kernels.sequences.chain import messages

    shape = scores.score.shape
    found = Messages(np.empty(shape), np.empty(shape), np.empty(shape[0]))
    messages(*scores, *found)
    return found


def entropy(scores: Scores) -> Float:
    """The entropy of each sentence, in nats."""
    from calibrant.kernels.sequences.entropy import entropies

    found = np.zeros(scores.start.size - 1)
    entropies(*scores, found)
    return found


def best(scores: Scores) -> Best:
    """The tag sequence with the highest score, of each sentence."""
    from calibrant.kernels.sequences.chain import best_paths

    found = Best(np.zeros(scores.score.shape[0], np.int64), np.zeros(scores.start.size - 1))
    best_paths(*scores, *found)
    return found


def draw(scores: Scores, count: int, seed: int) -> list[Int]:
    """For each sentence a matrix with a drawn tag sequence in each of `count` rows."""
    from calibrant.kernels.sequences.chain import sample_paths

    generator = np.random.default_rng(seed)
    drawn = []
    for score in scores.sentences():
        path = np.zeros((count, score.shape[0]), np.int64)
        if score.shape[0]:
            uniform = generator.random(path.shape)
            sample_paths(score, scores.move, scores.first, scores.last, uniform, path)
        drawn.append(path)
    return drawn


def best_few(scores: Scores, count: int) -> list[Few]:
    """The `count` tag sequences with the highest scores, of each sentence."""
    from calibrant.kernels.sequences import chain

    found = []
    for score in scores.sentences():
        if score.shape[0] == 0:  # the empty sequence is the only one
            found.append(Few(np.zeros((1, 0), np.int64), np.zeros(1)))
            continue
        path, value = np.zeros((count, score.shape[0]), np.int64), np.zeros(count)
        many = chain.best_few(score, scores.move, scores.first, scores.last, count, path, value)
        found.append(Few(path[:many], value[:many]))
    return found


def log_sum(scores: Scores, score: Float) -> float:
    """The log of the sum over all tag sequences of a sentence with other scores of its tokens."""
    from calibrant.kernels.sequences.chain import forward_logs

    if score.shape[0] == 0:
        return 0.0
    ahead = np.empty_like(score)
    return float(forward_logs(score, scores.move, scores.first, scores.last, ahead))
