"""Names for the states and children of a markovised grammar."""

from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.models.binarise import Child, Labels, Memory, State, Step
from calibrant.structures.unknown import Entry

Words = dict[tuple[str, str], dict[Entry, float]]  # P(entry | tag, label above), by tag and label


class Writer:
    """Names states and children, and remembers the label that each name shows."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.shown: dict[str, str | None] = {}
        self.tags: dict[str, tuple[str, str]] = {}
        self._owner: dict[str, object] = {}  # the owner of each name

    def child(self, child: Child, labels: Labels) -> str:
        """The symbol of a child of a node."""
        if child.is_tag:
            above = labels[0] if self.memory.vertical > 1 else ""
            name = self._own(f"{child.label}~{above}", (child, above))
            self.tags[name] = (child.label, above)
            self.shown[name] = child.label
            return name
        return self.state(State(self.memory.below(labels, child.label), None))

    def state(self, state: State) -> str:
        """The symbol of a node, or the hidden symbol of its remaining children."""
        name = "^".join(state.labels)
        if state.before is not None:
            name = f"@{name}|{'_'.join(state.before)}"
        name = self._own(name, state)
        self.shown[name] = state.labels[0] if state.before is None else None
        return name

    def _own(self, name: str, owner: object) -> str:
        """Make a name unique: labels may contain ^, |, _ or ~, so names may collide."""
        while self._owner.setdefault(name, owner) != owner:
            name += "'"
        return name


def write_grammar(
    steps: dict[State, dict[Step, float]], words: Words, memory: Memory, root: str
) -> Grammar:
    """Write a grammar whose symbols are named after states and children."""
    binary: dict[tuple[str, str, str], float] = {}
    unary: dict[tuple[str, str], float] = {}
    writer = Writer(memory)
    top = writer.state(State((root,), None))
    for state, shares in steps.items():
        parent = writer.state(state)
        for step, p in shares.items():
            one = writer.child(step.child, state.labels)
            if step.last is not None:
                binary[parent, one, writer.child(step.last, state.labels)] = p
            elif step.more is not None:
                binary[parent, one, writer.state(State(state.labels, step.more))] = p
            else:
                unary[parent, one] = p
    emissions = {
        (name, entry): p for name, key in writer.tags.items() for entry, p in words[key].items()
    }
    return Grammar(binary, unary, emissions, top, writer.shown)
