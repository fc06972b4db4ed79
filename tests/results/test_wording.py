from calibrant.results.wording import counted, listed


def test_only_one_is_singular():
    assert [counted(n, "word") for n in (0, 1, 2)] == ["0 words", "1 word", "2 words"]
    assert counted(1, "entity", "entities") == "1 entity"
    assert counted(3, "entity", "entities") == "3 entities"


def test_several_things():
    assert listed({"document": 2, "mention": 1}) == "2 documents, 1 mention"
    assert listed({}) == ""
