import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError

pytestmark = pytest.mark.libraries

pa = pytest.importorskip("pyarrow")


def stand_in(name, **members):
    """A class that looks as if it came from the library datasets."""
    return type(name, members.pop("bases", (object,)), {"__module__": "datasets.made", **members})


TABLE = {"gold": [0, 1, 1, 0], "prob": [0.1, 0.8, 0.6, 0.3], "doc_id": ["a", "a", "b", "b"]}


class Whole:
    def __getitem__(self, rows):
        assert rows == slice(None)
        return pa.table(TABLE)


@pytest.fixture
def dataset():
    return stand_in("Dataset", __len__=lambda self: 4, with_format=lambda self, format: Whole())()


def test_a_dataset_is_a_frame(dataset):
    pairs = cb.read(dataset)
    assert pairs == cb.Pairs(TABLE["gold"], TABLE["prob"], group=TABLE["doc_id"])
    assert cb.read(dataset, q="prob", group=False).group is None
    assert cb.score(dataset, "Brier", interval=None).value == cb.Brier()(pairs)


def test_splits_and_streams_are_refused():
    splits = stand_in("DatasetDict", bases=(dict,))(train=1, test=2)
    with pytest.raises(InputError, match="not all its splits: choose one of train, test"):
        cb.score(splits)
    stream = stand_in("IterableDataset")()
    with pytest.raises(InputError, match="not IterableDataset: load it without streaming"):
        cb.read(stream)


def test_the_real_library():
    datasets = pytest.importorskip("datasets", reason="the library datasets is not installed")
    made = datasets.Dataset.from_dict(TABLE)
    assert cb.read(made) == cb.Pairs(TABLE["gold"], TABLE["prob"], group=TABLE["doc_id"])
    moved = made.select([3, 1])  # rows in another order, kept apart from the table
    np.testing.assert_array_equal(cb.read(moved).q, [0.3, 0.8])
    assert cb.Pairs(made["gold"], made["prob"]) == cb.Pairs(TABLE["gold"], TABLE["prob"])
    with pytest.raises(InputError, match="choose one of train"):
        cb.read(datasets.DatasetDict(train=made))
    with pytest.raises(InputError, match="without streaming"):
        cb.read(made.to_iterable_dataset())
