from pathlib import Path

from calibrant.tables import file_names


def test_names_of_files():
    assert file_names(["a/crf.csv", Path("hmm.jsonl.gz"), "-"]) == ["crf", "hmm", "standard input"]
    assert file_names(["v1.2.csv", "v1.3.csv"]) == ["v1.2", "v1.3"]
    assert file_names(["a/x.csv", "b/x.csv", "y.csv"]) == ["a/x.csv", "b/x.csv", "y"]
