import re

import pytest

from calibrant.structures.named.catalogue import CATALOGUE
from calibrant.structures.named.coreference import LIBRARIES
from calibrant.structures.named.trees import BANKS


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_corpus_has_three_parts_with_checksums(name):
    source = CATALOGUE[name]
    assert set(source.parts) == {"train", "dev", "test"}
    unknown = [part for part, its in source.parts.items() if its.sha256 is None]
    assert unknown == (["train"] if name == "uner-ewt" else [])
    for part, its in source.parts.items():
        assert its.sha256 is None or re.fullmatch("[0-9a-f]{64}", its.sha256)
        assert source.place(part) == f"{source.folder}/{its.path.rpartition('/')[2]}"
    assert re.fullmatch("[0-9a-f]{12}", source.commit)


def test_addresses():
    source = CATALOGUE["btc"]
    assert source.address("dev", "https://host") == (
        f"https://host/GateNLP/broad_twitter_corpus/{source.commit}/train_dev_test_conll/btc.dev"
    )


def test_names_are_unique_over_all_kinds():
    names = [*CATALOGUE, *BANKS, *LIBRARIES]
    assert len(set(names)) == len(names)
    for each in (*CATALOGUE.values(), *BANKS.values(), *LIBRARIES.values()):
        assert each.about
        assert each.licence
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", each.repository)
