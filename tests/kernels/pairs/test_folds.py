"""Folds of groups, against arithmetic with Python's integers and MD5."""

from hashlib import md5

import numpy as np
import pytest

from calibrant.kernels.pairs.folds import fold_labels


def exact_fold(g):
    p = 2**31 - 1
    x = (g * 1 % p * 1103515245 + 12345) % p
    x = x * x % p
    return (x * 1664525 + 1013904223) % p // 2**19


def test_folds_of_integers_are_those_of_their_definition():
    labels = [0, 1, -1, 2**31 - 1, -(2**63), 2**63 - 1, 123456789012345, *range(50)]
    assert fold_labels(np.array(labels)).tolist() == [exact_fold(each) for each in labels]


def test_folds_of_large_unsigned_integers():
    labels = [2**64 - 1, 2**63, 5]
    found = fold_labels(np.array(labels, np.uint64))
    assert found.tolist() == [exact_fold(each) for each in labels]


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, bool])
def test_type_of_integers_does_not_matter(kind):
    labels = np.array([0, 1, 1]).astype(kind)
    assert np.array_equal(fold_labels(labels), fold_labels(labels.astype(np.int64)))


def test_folds_of_text_are_leading_digits_of_md5():
    labels = ["a", "Straße", "", "文"]
    expected = [int(md5(each.encode()).hexdigest()[:3], 16) for each in labels]
    assert fold_labels(np.array(labels)).tolist() == expected


@pytest.mark.parametrize("labels", [np.arange(100_000), np.arange(100_000) * 4096 + 7])
def test_folds_are_even(labels):
    """Counts are Poisson if folds are random: their variance is their mean, ± 5 errors."""
    count = np.bincount(fold_labels(labels), minlength=4096)
    assert count.size == 4096
    assert np.var(count) / count.mean() == pytest.approx(1, abs=5 * np.sqrt(2 / 4096))


def test_fewer_folds_are_unions_of_more():
    labels = np.arange(1000)
    assert np.array_equal(fold_labels(labels, 256), fold_labels(labels, 4096) // 16)
    texts = labels.astype(str)
    assert np.array_equal(fold_labels(texts, 8), fold_labels(texts, 256) // 32)
