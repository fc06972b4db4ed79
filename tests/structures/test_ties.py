import numpy as np

import calibrant as cb
from calibrant.structures.ties import without_noise


def test_twelve_digits_are_kept():
    q = np.concatenate([np.random.default_rng(0).random(1000) ** 20, [0, 1, 1e-300, 5e-324, 0.001]])
    found = without_noise(q)
    np.testing.assert_allclose(found, q, rtol=5e-12, atol=0)
    np.testing.assert_array_equal(without_noise(found), found)
    for last in (1, -1, 3, -3):
        noisy = np.where(found > 1e-290, found * (1 + last * 2.3e-16), found)
        np.testing.assert_array_equal(without_noise(noisy), found)
    np.testing.assert_array_equal(without_noise(np.array([1 + 1e-9, -1e-17])), [1, 0])


def test_what_is_equal_on_paper_is_a_tie():
    """n phrases that belong to a verb or a noun: spans of equal probability, summed otherwise."""
    rules = {
        ("S", "N", "VP"): 1.0,
        ("VP", "V", "NP"): 0.6,
        ("VP", "VP", "P"): 0.4,
        ("NP", "NP", "P"): 0.3,
        ("NP", "N", "N"): 0.7,
    }
    words = {("N", "n"): 1.0, ("V", "v"): 1.0, ("P", "with"): 0.5, ("P", "near"): 0.1}
    grammar = cb.models.Grammar(rules, {}, words, root="S")
    sentences = [
        ["n", "v", "n", "n", *[word] * many] for word in ("with", "near") for many in range(1, 9)
    ]
    found = cb.HasConstituent("NP").where(cb.Tree.from_grammar(grammar, sentences))
    one, other = (found.q[(found.sentence >= 8) == near] for near in (False, True))
    np.testing.assert_array_equal(one, other)
