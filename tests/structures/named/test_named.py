import csv
import gzip
import hashlib
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from real_data import DATA

from calibrant.errors import FileError, ParameterError, UnknownName
from calibrant.structures.named.catalogue import CATALOGUE, Part, Source
from calibrant.structures.named.coreference import LIBRARIES
from calibrant.structures.named.sequences import load_corpus, locate_corpus, named_corpora
from calibrant.structures.named.trees import BANKS
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.spans import spans

TEXT = b"Ada\tB-PER\nsings\tO\n"
SHA256 = hashlib.sha256(TEXT).hexdigest()
PATH = "/someone/tiny/abc123/data/tiny.train"


class Server(ThreadingHTTPServer):
    """Serves one file, perhaps another than it should, and keeps account of what was asked."""

    body, promised, asked = TEXT, None, ()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked += (self.path,)
        if self.path != PATH:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(self.server.promised or len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_):
        pass


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A catalogue of one small corpus, an empty cache, and no folder of data."""
    parts = {"train": Part("data/tiny.train", SHA256), "dev": Part("data/tiny.dev", None)}
    parts["test"] = Part("data/missing", SHA256)
    source = Source("two words", "CC0-1.0", "someone/tiny", "abc123", "ner/tiny", read_conll, parts)
    monkeypatch.setitem(CATALOGUE, "tiny", source)
    monkeypatch.setenv("CALIBRANT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CALIBRANT_DATA", raising=False)
    for each in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(each, "127.0.0.1")
    return source


@pytest.fixture
def server(tiny, monkeypatch):
    with Server(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("CALIBRANT_MIRROR", server.address + "/")
        yield server
        server.shutdown()
        thread.join()


def kept(folder):
    return [each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()]


def test_fetched_once(server, tmp_path):
    first = load_corpus("tiny", "train")
    assert first.words == (("Ada", "sings"),)
    assert server.asked == (PATH,)
    assert kept(tmp_path) == ["cache/ner/tiny/tiny.train"]
    assert load_corpus("tiny", "train").tags == first.tags
    assert server.asked == (PATH,)


def test_a_changed_file_in_the_cache_is_fetched_again(server, tmp_path):
    path = locate_corpus("tiny", "train")
    path.write_text("changed\tO\n")
    assert load_corpus("tiny", "train").words == (("Ada", "sings"),)
    assert len(server.asked) == 2
    path.write_text("changed\tO\n")
    server.body = b"another\tO\n"
    with pytest.raises(FileError, match="must have the SHA-256 checksum"):
        load_corpus("tiny", "train")


def test_a_wrong_checksum_leaves_nothing(server, tmp_path):
    server.body = b"another\tO\n"
    with pytest.raises(FileError) as caught:
        load_corpus("tiny", "train")
    assert str(caught.value) == (
        f"{server.address}{PATH} must have the SHA-256 checksum {SHA256}, but the downloaded "
        "file has another one and was not kept. To use your own copy, put it at "
        "ner/tiny/tiny.train in a folder and set CALIBRANT_DATA to that folder."
    )
    assert kept(tmp_path) == []


@pytest.mark.parametrize("promised", [len(TEXT), 1000])
def test_half_a_file_leaves_nothing(server, tmp_path, promised):
    server.body, server.promised = TEXT[:9], promised
    with pytest.raises(
        FileError,
        match=r"tiny.train cannot be downloaded: the connection failed .*your own copy, put",
    ):
        load_corpus("tiny", "train")
    assert kept(tmp_path) == []
    server.body, server.promised = TEXT, None
    assert load_corpus("tiny", "train").tokens == 2


def test_a_file_that_is_not_there(server, tmp_path):
    with pytest.raises(
        FileError, match=r"missing cannot be downloaded: the server says 404\. To use your own copy"
    ):
        load_corpus("tiny", "test")
    assert kept(tmp_path) == []


def test_nobody_answers(tiny, tmp_path, monkeypatch):
    with Server(("127.0.0.1", 0), Answers) as gone:
        monkeypatch.setenv("CALIBRANT_MIRROR", gone.address)
    with pytest.raises(FileError) as caught:
        load_corpus("tiny", "train")
    assert str(caught.value) == (
        f"{gone.address}{PATH} cannot be downloaded: the connection failed "
        "(ConnectionError). To use your own copy, put it at ner/tiny/tiny.train in a "
        "folder and set CALIBRANT_DATA to that folder."
    )
    assert kept(tmp_path) == []


def test_a_cache_that_cannot_be_written(server, tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(FileError, match=r"tiny.train cannot be written: .*your own copy, put it"):
        load_corpus("tiny", "train")
    monkeypatch.setattr("pooch.retrieve", refuse)
    with pytest.raises(FileError, match=r"tiny.train cannot be written: Permission denied"):
        load_corpus("tiny", "train")


def refuse(*_, **__):
    raise PermissionError("no")  # as pooch says it, without a number


@pytest.mark.parametrize("pack", [None, gzip.compress])
def test_files_of_ones_own_are_taken_as_they_are(server, tmp_path, monkeypatch, pack):
    own = tmp_path / "own" / "ner" / "tiny" / ("tiny.train.gz" if pack else "tiny.train")
    own.parent.mkdir(parents=True)
    own.write_bytes((pack or bytes)(b"mine\tO\n"))
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path / "own"))
    assert load_corpus("tiny", "train").words == (("mine",),)
    assert locate_corpus("tiny", "train") == own
    assert server.asked == ()
    own.unlink()
    assert load_corpus("tiny", "train").words == (("Ada", "sings"),)


def test_a_folder_of_data_must_be_one(server, tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileError, match=r"CALIBRANT_DATA must name a folder, but .*nowhere is not"):
        load_corpus("tiny", "train")
    assert server.asked == ()


def test_a_mirror_must_be_an_address(tiny, monkeypatch):
    monkeypatch.setenv("CALIBRANT_MIRROR", "example.org")
    with pytest.raises(ParameterError, match="must begin with http:// or https://, but it is 'ex"):
        load_corpus("tiny", "train")


def test_nothing_without_a_checksum_is_fetched(server):
    with pytest.raises(
        FileError, match=r"tiny dev cannot be downloaded, .*github.com/someone/tiny\."
    ):
        load_corpus("tiny", "dev")
    assert server.asked == ()


def test_unknown_names():
    with pytest.raises(UnknownName, match=r"no corpus 'udewt'. Did you mean ud-ewt\?"):
        load_corpus("udewt", "train")
    with pytest.raises(UnknownName, match=r"no part of btc 'tests'. Did you mean test\?"):
        load_corpus("btc", "tests")


def test_notes_go_to_stderr(server, tiny):
    code = f"""
from calibrant.corpora import load_corpus, read_conll
from calibrant.structures.named.catalogue import CATALOGUE, Part, Source
part = {{"train": Part("data/tiny.train", "{SHA256}")}}
CATALOGUE["tiny"] = Source("", "", "someone/tiny", "abc123", "ner/tiny", read_conll, part)
load_corpus("tiny", "train")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert f"Downloading data from '{server.address}{PATH}'" in done.stderr


def test_importing_does_not_import_pooch():
    code = "import calibrant.corpora, sys; print({'pooch', 'requests'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_listing_has_kinds_and_licences():
    lines = str(named_corpora()).splitlines()
    sources = {**CATALOGUE, **BANKS, **LIBRARIES}
    assert [line.split()[0] for line in lines[1:]] == list(named_corpora()) == list(sources)
    for line, source in zip(lines[1:], sources.values(), strict=True):
        assert source.licence in line
        assert source.repository in line
    kinds = [each.kind for each in named_corpora().sources.values()]
    assert kinds == ["tagged sentences"] * len(CATALOGUE) + ["trees"] * 2 + ["documents"] * 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gum", "gum is a treebank: read it with load_treebank"),
        ("litbank", "litbank is a corpus of documents: read it with load_documents"),
    ],
)
def test_corpora_of_another_kind(name, message):
    with pytest.raises(ParameterError, match=message):
        load_corpus(name, "train")


def manifest():
    with (DATA / "MANIFEST.tsv").open() as lines:
        return {row["path"]: row for row in csv.DictReader(lines, delimiter="\t")}


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_catalogue_agrees_with_the_manifest_and_the_files(name):
    if not (DATA / "MANIFEST.tsv").exists():
        pytest.skip("MANIFEST.tsv is not here")
    source, facts = CATALOGUE[name], manifest()
    for part, file in source.parts.items():
        fact = facts[source.place(part)]
        assert (source.repository, source.licence) == (fact["repo"], fact["licence"])
        if file.sha256 is not None:
            wanted = (fact["commit"], fact["source_path"], fact["sha256_unpacked"])
            assert (source.commit, file.path, file.sha256) == wanted


@pytest.mark.parametrize(
    ("name", "part", "sentences", "words"),
    [
        ("ark", "test", 500, 7152),
        ("ud-ewt", "dev", 2001, 25147),
        ("btc", "test", 2001, 35428),
        ("uner-ewt", "train", 12543, 204579),
        ("uner-ewt", "test", 2077, 25097),
    ],
)
def test_real_corpora(monkeypatch, name, part, sentences, words):
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    if not (DATA / CATALOGUE[name].place(part)).exists():
        pytest.skip(f"{CATALOGUE[name].place(part)} is not here")
    corpus = load_corpus(name, part)
    assert (len(corpus), corpus.tokens) == (sentences, words)
    if CATALOGUE[name].folder.startswith("ner/"):
        types = {span.type for tags in corpus.tags for span in spans(tags)}
        assert types == {"LOC", "ORG", "PER"}
    sha256 = CATALOGUE[name].parts[part].sha256
    if sha256 is not None:
        found = hashlib.sha256(locate_corpus(name, part).read_bytes()).hexdigest()
        assert found == sha256
