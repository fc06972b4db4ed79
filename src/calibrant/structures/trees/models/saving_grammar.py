"""Convert grammars to arrays and back, for saved models."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrant.structures.saving import (
    Arrays,
    checked_array,
    pack_entries,
    pack_strings,
    unpack_entries,
    unpack_strings,
)
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.unknown import Entry, WordClass


def pack_grammar(name: str, grammar: Grammar) -> Arrays:
    """Pack symbols, their labels, words and rules into arrays."""
    symbols, code = grammar.symbols, grammar.code
    shown = sorted({label for label in grammar.shown_labels if label is not None})
    words = sorted(grammar.tags_of, key=lambda each: (isinstance(each, WordClass), str(each)))
    label = {each: k for k, each in enumerate(shown)}
    entry = {each: k for k, each in enumerate(words)}
    numbers = {
        "shown": [-1 if each is None else label[each] for each in grammar.shown_labels],
        "binary": [[code[each] for each in rule] for rule in grammar.binary],
        "unary": [[code[each] for each in rule] for rule in grammar.unary],
        "words": [(code[tag], entry[word]) for tag, word in grammar.words],
    }
    widths = {"shown": (-1,), "binary": (-1, 3), "unary": (-1, 2), "words": (-1, 2)}
    found: Arrays = {
        f"{name}_{key}": np.array(each, np.int64).reshape(widths[key])
        for key, each in numbers.items()
    }
    for key in ("binary", "unary", "words"):
        found[f"{name}_{key}_p"] = np.array([*getattr(grammar, key).values()], np.float64)
    return (
        found
        | pack_strings(f"{name}_symbol", symbols)
        | pack_strings(f"{name}_label", shown)
        | pack_entries(f"{name}_entry", words)
    )


def unpack_grammar(name: str, arrays: Arrays, root: str) -> Grammar:
    """Reverse `pack_grammar`."""
    symbols = unpack_strings(f"{name}_symbol", arrays)
    labels = [*unpack_strings(f"{name}_label", arrays), None]  # index −1 is the last: hidden
    words = unpack_entries(f"{name}_entry", arrays)
    shown = checked_array(arrays, f"{name}_shown", (len(symbols),), np.int64)
    rules: dict[str, Any] = {}
    shapes: dict[str, list[Sequence[Entry]]] = {
        "binary": [symbols] * 3,
        "unary": [symbols] * 2,
        "words": [symbols, words],
    }
    for key, columns in shapes.items():
        many = arrays[f"{name}_{key}_p"].size
        codes = checked_array(arrays, f"{name}_{key}", (many, len(columns)), np.int64)
        if many and (codes.min() < 0 or (codes.max(axis=0) >= [len(c) for c in columns]).any()):
            raise ValueError(f"{name}_{key} has unknown numbers of symbols")
        p = checked_array(arrays, f"{name}_{key}_p", (many,))
        rules[key] = {
            tuple(names[k] for names, k in zip(columns, row, strict=True)): each
            for row, each in zip(codes.tolist(), p.tolist(), strict=True)
        }
    if shown.min() < -1 or shown.max() >= len(labels) - 1:
        raise ValueError(f"{name}_shown has unknown numbers of labels")
    names = dict(zip(symbols, (labels[k] for k in shown.tolist()), strict=True))
    return Grammar(rules["binary"], rules["unary"], rules["words"], root, names)
