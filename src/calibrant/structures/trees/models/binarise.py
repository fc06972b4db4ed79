"""Binarise trees into rules with a Markov memory of chosen length."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from calibrant.structures.trees.parse import Parse

Labels = tuple[str, ...]


class Child(NamedTuple):
    """A child of a node: a phrase or a tag."""

    label: str
    is_tag: bool


class State(NamedTuple):
    """A node during expansion: its label, the labels above, and earlier children.

    `before` is None until the node has a child; then it holds the labels of the last few children.
    """

    labels: Labels  # its own, that of its parent, ..., up to the vertical order
    before: Labels | None


class Step(NamedTuple):
    """A step of an expansion: a child, then the last child, more children, or nothing."""

    child: Child
    last: Child | None = None
    more: Labels | None = None  # the memory for the children that follow


@dataclass(frozen=True)
class Memory:
    """How much of a tree a symbol remembers.

    `vertical` is the number of labels up the tree, including its own. `horizontal` is the number of
    labels of earlier children; None remembers all.
    """

    vertical: int
    horizontal: int | None

    def kept(self, before: Iterable[str]) -> Labels:
        """The labels of earlier children that are remembered."""
        labels = tuple(before)
        if self.horizontal is None:
            return labels
        return labels[-self.horizontal :] if self.horizontal else ()

    def below(self, labels: Labels, child: str) -> Labels:
        """The labels of a child's own symbol."""
        return (child, *labels)[: self.vertical]


@dataclass
class Counts:
    """Counts of each step, and of each word with its tag and parent."""

    steps: dict[State, Counter[Step]] = field(default_factory=dict)
    words: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # tag, parent, word


def count_steps(trees: Iterable[Parse], memory: Memory) -> Counts:
    """Count the steps and words of all trees."""
    counts = Counts()
    for tree in trees:
        waiting: deque[tuple[Parse, Labels]] = deque([(tree, (tree.label,))])
        while waiting:
            node, labels = waiting.popleft()
            children = [Child(each.label, each.word is not None) for each in node.children]
            for state, step in steps_of(labels, children, memory):
                counts.steps.setdefault(state, Counter())[step] += 1
            for child in node.children:
                if child.word is None:
                    waiting.append((child, memory.below(labels, child.label)))
                else:
                    counts.words[child.label, node.label, child.word] += 1
    return counts


def steps_of(labels: Labels, children: list[Child], memory: Memory) -> list[tuple[State, Step]]:
    """How a node is expanded, from left to right."""
    found: list[tuple[State, Step]] = []
    before: Labels | None = None
    for k in range(len(children) - 2):
        more = memory.kept([*(before or ()), children[k].label])
        found.append((State(labels, before), Step(children[k], more=more)))
        before = more
    *_, last = children
    step = Step(children[-2], last=last) if len(children) > 1 else Step(last)
    return [*found, (State(labels, before), step)]


def smoothed(
    counts: Counts, memory: Memory, strength: float, common: int
) -> dict[State, dict[Step, float]]:
    """The probability of every step, smoothed towards that of its label in any context.

    P(step | state) ∝ count + strength · P(step | state without the labels above), over the steps
    seen in this state and those seen `common` times below the label anywhere; over all steps of the
    label if there are none. With vertical order 1 there are no labels above, so these are relative
    frequencies.
    """
    usual: dict[State, Counter[Step]] = {}
    for state, seen in counts.steps.items():
        usual.setdefault(_alone(state), Counter()).update(seen)
    found: dict[State, dict[Step, float]] = {}
    waiting = deque(counts.steps)
    known = set(counts.steps)
    while waiting:
        state = waiting.popleft()
        seen = counts.steps.get(state, Counter())
        found[state] = _shares(seen, usual[_alone(state)], strength, common)
        for step in found[state]:
            for next_state in _next(state, step, memory):
                if next_state not in known:  # not seen with these labels above
                    known.add(next_state)
                    waiting.append(next_state)
    return found


def _alone(state: State) -> State:
    return State(state.labels[:1], state.before)


def _shares(
    seen: Counter[Step], usual: Counter[Step], strength: float, common: int
) -> dict[Step, float]:
    anywhere = usual.total()
    weights = {
        step: seen[step] + strength * many / anywhere
        for step, many in usual.items()
        if step in seen or (strength > 0 and many >= common)
    }
    if not weights:  # not seen here, and rare everywhere
        weights = {step: float(many) for step, many in usual.items()}
    total = sum(weights.values())
    return {step: weight / total for step, weight in weights.items()}


def _next(state: State, step: Step, memory: Memory) -> list[State]:
    """The states that a step leads to."""
    phrases = [each for each in (step.child, step.last) if each is not None and not each.is_tag]
    found = [State(memory.below(state.labels, each.label), None) for each in phrases]
    if step.more is not None:
        found.append(State(state.labels, step.more))
    return found
