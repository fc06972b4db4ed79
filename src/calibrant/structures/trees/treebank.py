"""`Treebank`: sentences with their trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError
from calibrant.results.wording import listed
from calibrant.structures.trees.parse import Parse


@dataclass(frozen=True, eq=False, repr=False)
class Treebank:
    """Parsed sentences.

    Attributes
    ----------
    trees
        The tree of each sentence.
    documents
        The document of each sentence; None if unknown.
    name
        The source of the treebank.

    Examples
    --------
    >>> from calibrant.corpora import Parse, Treebank
    >>> Treebank((Parse.from_text("(ROOT (S (NP (PRP She)) (VP (VBZ sees))))"),))
    Treebank(1 sentence, 2 words, 4 labels)
    """

    trees: tuple[Parse, ...]
    documents: tuple[str, ...] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "trees", tuple(self.trees))
        for k, tree in enumerate(self.trees):
            if not isinstance(tree, Parse):
                raise InputError(
                    f"trees must contain Parse objects, but trees[{k}] is {type(tree).__name__}."
                )
        if self.documents is not None and len(self.documents) != len(self.trees):
            raise InputError(
                f"documents must have one item for each of the {len(self.trees)} sentences, but it "
                f"has {len(self.documents)}."
            )

    def __len__(self) -> int:
        return len(self.trees)

    def __repr__(self) -> str:
        where = f"{self.name}: " if self.name else ""
        sizes = {"sentence": len(self), "word": self.tokens, "label": len(self.label_set)}
        return f"Treebank({where}{listed(sizes)})"

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each sentence."""
        return tuple(tree.words for tree in self.trees)

    @cached_property
    def tags(self) -> tuple[tuple[str, ...], ...]:
        """The tags of each sentence."""
        return tuple(tree.tags for tree in self.trees)

    @cached_property
    def tokens(self) -> int:
        """The number of words."""
        return sum(tree.size for tree in self.trees)

    @cached_property
    def label_set(self) -> tuple[str, ...]:
        """The labels of phrases that occur, sorted."""
        return tuple(sorted({span.type for tree in self.trees for span in tree.spans}))

    def up_to(self, longest: int) -> "Treebank":
        """The sentences with at most `longest` words."""
        longest = whole_number("longest", longest, 1)
        return self.take([k for k, tree in enumerate(self.trees) if tree.size <= longest])

    def take(self, numbers: Sequence[int]) -> "Treebank":
        """Some of the sentences, by their numbers."""
        chosen = [whole_number("number", k, 0, len(self) - 1) for k in numbers]
        its = None if self.documents is None else tuple(self.documents[k] for k in chosen)
        return Treebank(tuple(self.trees[k] for k in chosen), its, self.name)
