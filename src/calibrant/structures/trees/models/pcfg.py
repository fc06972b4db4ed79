"""`PCFG`: a probabilistic context-free grammar, estimated from a treebank."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.results.progress import bar
from calibrant.structures.given import words_of
from calibrant.structures.saving import write_model
from calibrant.structures.tempering.recalibrated import RecalibratedModel
from calibrant.structures.tempering.temperatures import Temperatures
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.likelihoods.grammar_trees import TreeLikelihood
from calibrant.structures.trees.models.binarise import (
    Child,
    Counts,
    Memory,
    State,
    Step,
    count_steps,
    smoothed,
)
from calibrant.structures.trees.models.lexicon import learn_entries, word_shares
from calibrant.structures.trees.models.saving_grammar import pack_grammar, unpack_grammar
from calibrant.structures.trees.models.symbols import Words, write_grammar
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.treebank import Treebank
from calibrant.structures.unknown import RULES, Entry, look_up

TINY = 1e-6  # minimum smoothing of words across the contexts of a tag
AT_ONCE = 24  # sentences between two steps of a progress bar: about a second
UNSEEN = 1e-3  # pseudocount of the fallback for children of the root


@dataclass(frozen=True)
class PCFG:
    """A probabilistic context-free grammar with vertical and horizontal markovisation.

    Symbols remember the labels above them and to their left (Klein & Manning 2003); every tree has
    one derivation. Probabilities are relative frequencies, smoothed towards those of the label in
    any context. Rare and unknown words are replaced by classes of their shape and ending. A
    sentence that the grammar cannot derive is parsed by a simpler fallback grammar, which has no
    memory and allows anything below its root. So every sentence has a parse; the posterior records
    which sentences needed the fallback.

    Parameters
    ----------
    horizontal
        How many labels to the left a symbol remembers (default: 1); None remembers all.
    vertical
        How many labels up the tree a symbol remembers, its own included (default: 2).
    smoothing
        How many observations the prior probability of a rule is worth (default: 10).
    common
        A rule seen at least this often is possible in every context (default: 20).
    pseudocount
        How many observations the tags of the class of a rare word are worth (default: 0.5).
    unknown
        The class of a rare word: "shape" (default) or "one".
    rare
        Treat words seen at most this often as rare (default: 1).
    longest
        The longest sentence to parse, in words (default: 40); time grows with the cube.

    References
    ----------
    D. Klein and C. Manning (2003). Accurate Unlexicalized Parsing.
    https://aclanthology.org/P03-1054

    Examples
    --------
    >>> import calibrant as cb
    >>> text = "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ runs))))"
    >>> model = cb.models.PCFG(rare=0).fit(cb.corpora.Treebank((cb.corpora.Parse.from_text(text),)))
    >>> print(model.posteriors([["the", "dog", "runs"]]).mode[0])
    (ROOT (S (NP (DT the) (NN dog)) (VP (VBZ runs))))
    """

    horizontal: int | None = 1
    vertical: int = 2
    smoothing: float = 10.0
    common: int = 20
    pseudocount: float = 0.5
    unknown: str = "shape"
    rare: int = 1
    longest: int = 40

    def __post_init__(self) -> None:
        if self.horizontal is not None:
            object.__setattr__(self, "horizontal", whole_number("horizontal", self.horizontal, 0))
        for name, least in (("vertical", 1), ("common", 1), ("rare", 0), ("longest", 1)):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least))
        for name in ("smoothing", "pseudocount"):
            value = real_number(name, getattr(self, name))
            if value < 0 or (name == "pseudocount" and value == 0):
                bound = "positive" if name == "pseudocount" else "at least 0"
                raise ParameterError(f"{name} must be {bound}, but it is {value}.")
            object.__setattr__(self, name, value)
        if self.unknown not in RULES:
            raise UnknownName("rule for unknown words", str(self.unknown), tuple(RULES))

    def fit(self, train: Treebank) -> "FittedPCFG":
        """Count the rules of a treebank."""
        if not isinstance(train, Treebank):
            raise InputError(
                f"train must be a Treebank, not {type(train).__name__}. Make one from trees with "
                "Treebank(trees)."
            )
        if len(train) == 0:
            raise InputError("train must have at least one tree, but it has none.")
        roots = {tree.label for tree in train.trees if tree.word is None}
        bare = ["single words"] if any(tree.word is not None for tree in train.trees) else []
        if len(roots) != 1 or bare:
            raise InputError(
                "All trees must have the same root, but the roots are "
                f"{', '.join([*sorted(roots)[:5], *bare])}. Put a node ROOT above each tree."
            )
        return FittedPCFG(self, self._grammar(train), self._fallback(train))

    def _grammar(self, train: Treebank) -> Grammar:
        memory = Memory(self.vertical, self.horizontal)
        counts = count_steps(train.trees, memory)
        steps = smoothed(counts, memory, self.smoothing, self.common)
        return write_grammar(steps, self._words(counts, memory), memory, train.trees[0].label)

    def _fallback(self, train: Treebank) -> Grammar:
        """The fallback grammar: no memory, and anything below the root."""
        memory = Memory(1, 0)
        counts = count_steps(train.trees, memory)
        root = train.trees[0].label
        every = {
            child
            for seen in counts.steps.values()
            for step in seen
            for child in (step.child, step.last)
            if child is not None
        }
        for state in (State((root,), None), State((root,), ())):
            seen: Counter[Step] = counts.steps.setdefault(state, Counter())
            for step in _anything(every, alone=state.before is None):
                seen[step] += UNSEEN  # type: ignore[assignment]  # fractional counts
        steps = smoothed(counts, memory, 0.0, 1)
        return write_grammar(steps, self._words(counts, memory), memory, root)

    def _words(self, counts: Counts, memory: Memory) -> Words:
        """P(entry | tag, label above it), by tag and label; the label is "" without memory."""
        usual = word_shares(counts.words, self.unknown, self.rare, self.pseudocount)
        if memory.vertical == 1:
            return {(tag, ""): shares for tag, shares in usual.items()}
        entries, _ = learn_entries(counts.words, self.unknown, self.rare)
        seen: dict[tuple[str, str], Counter[Entry]] = {}
        for (tag, parent, entry), many in entries.items():
            seen.setdefault((tag, parent), Counter())[entry] += many
        strength = max(self.smoothing, TINY)
        found: Words = {}
        for (tag, parent), its in seen.items():
            total = its.total() + strength
            found[tag, parent] = {
                entry: (its[entry] + strength * share) / total
                for entry, share in usual[tag].items()
            }
        return found


def _anything(every: set[Child], alone: bool) -> list[Step]:
    steps = [Step(one, more=()) for one in every]
    steps += [Step(one, last=other) for one in every for other in every]
    return [*steps, *(Step(one) for one in every)] if alone else steps


@dataclass(frozen=True, eq=False, repr=False)
class FittedPCFG(RecalibratedModel):
    """A fitted grammar, and a simpler fallback for sentences that it cannot derive."""

    likelihood: ClassVar[type[TreeLikelihood]] = TreeLikelihood
    settings: PCFG
    grammar: Grammar
    fallback: Grammar
    temperatures: Temperatures = Temperatures.none

    def __repr__(self) -> str:
        return f"FittedPCFG({repr(self.grammar).removeprefix('Grammar(')}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of constituents."""
        return self.grammar.labels

    def posteriors(
        self, sentences: Treebank | Sequence[Sequence[str]], *, progress: bool = False
    ) -> Tree:
        """The posterior over the parses of these sentences.

        Parameters
        ----------
        sentences
            Lists of words, or a treebank.
        progress
            Whether to show a bar on the standard error stream.
        """
        words = words_of(sentences)
        most = self.settings.longest
        long = [k for k, each in enumerate(words) if len(each) > most]
        if long:
            raise InputError(
                f"Sentences must have at most {most} words, but sentence {long[0]} has "
                f"{len(words[long[0]])} ({len(long)} of {len(words)} are longer). Leave them out "
                f"(treebank.up_to({most})), or fit with a larger longest."
            )
        known = self.grammar.tags_of
        rule = self.settings.unknown
        entries = [[look_up(word, known, rule) for word in sentence] for sentence in words]
        size = AT_ONCE if progress else len(words)
        parts = []
        grammar, fallback = self._tempered
        with bar(progress, len(words), "Parsing") as tell:
            for at in range(0, len(words), size):
                here = slice(at, at + size)
                parts.append(
                    Tree.from_grammar(
                        grammar, words[here], entries=entries[here], fallback=fallback
                    )
                )
                tell(min(at + size, len(words)), "")
        return Tree.joined(parts)

    @cached_property
    def _tempered(self) -> tuple[Grammar, Grammar]:
        """Both grammars with the temperatures."""
        if not self.temperatures:
            return self.grammar, self.fallback
        words, rules = (1 / self.temperatures[kind] for kind in self.likelihood.kinds)
        return self.grammar.tempered(words, rules), self.fallback.tempered(words, rules)

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder of npz and json; `load_model` reads it back."""
        facts = {
            "settings": asdict(self.settings),
            "root": self.grammar.root,
            "labels": self.labels,
            **self.tempered_facts(),
        }
        arrays = pack_grammar("main", self.grammar) | pack_grammar("fallback", self.fallback)
        return write_model(folder, "PCFG", facts, arrays)

    @classmethod
    def of_saved(cls, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "FittedPCFG":
        """Restore a model from the contents of a saved folder."""
        root = str(facts["root"])
        grammar, fallback = (unpack_grammar(name, arrays, root) for name in ("main", "fallback"))
        temperatures = cls.saved_temperatures(facts)
        return cls(PCFG(**facts["settings"]), grammar, fallback, temperatures)
