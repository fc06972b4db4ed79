import numpy as np
import pytest
from made_items import made_items

from calibrant.studies.classifiers.items import divided, drawn_documents


@pytest.mark.parametrize("folds", [4, 5])
def test_documents_are_never_in_two_parts(folds):
    items = made_items(23, 1)
    splits = divided(items, folds, 0)
    assert len(splits) == folds
    for split in splits:
        names = [set(part.document) for part in split]
        assert not names[0] & names[1]
        assert not names[0] & names[2]
        assert not names[1] & names[2]
        assert set.union(*names) == set(items.document)
        assert sum(map(len, split)) == len(items)
    tested = [name for split in splits for name in set(split.test.document)]
    assert sorted(tested) == sorted(set(items.document))  # each document once


def test_answers_are_spread_over_folds():
    items = made_items(40, 2, each=1)
    many = [int(split.test.y.sum()) for split in divided(items, 4, 0)]
    assert max(many) - min(many) <= 1


def test_rows_stay_with_their_answers():
    items = made_items(12, 3)
    split = divided(items, 4, 0)[0]
    known = {tuple(each): yes for each, yes in zip(items.features, items.y, strict=True)}
    for part in split:
        assert [known[tuple(each)] for each in part.features] == part.y.tolist()


def test_drawn_documents_are_whole_and_just_enough():
    document = np.repeat([f"d{k}" for k in range(30)], np.arange(1, 31))
    kept = drawn_documents(document, 100, 7)
    chosen = set(document[kept])
    assert kept.sum() == sum((document == name).sum() for name in chosen)
    assert 100 <= kept.sum() < 100 + 30
    assert not np.array_equal(kept, drawn_documents(document, 100, 8))
    assert drawn_documents(document, 10**6, 7).all()


def test_some_takes_all_by_default():
    items = made_items(6, 4)
    assert items.some(None, 0) is items
    assert len(items.some(7, 0)) == 10  # two documents of five
