import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.errors import FileError
from calibrant.structures.evals.reading.json_files import json_objects, parsed

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
ANY = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


def same(one, other):
    """Whether two values are equal, of equal types, with NaN equal to NaN and −0 unlike 0."""
    return repr(one) == repr(other)


@given(ANY, st.booleans())
def test_values_are_those_of_python_s_own_decoder(value, escaped):
    text = json.dumps(value, ensure_ascii=escaped)
    assert same(parsed(text.encode("utf-8", "surrogatepass"), "here"), json.loads(text))


@given(st.text(alphabet='{}[]",:0123456789.-+eEtruefalsn \\ué\x00'))
def test_whatever_is_given_the_decoders_agree(text):
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(FileError, match="here: not JSON"):
            parsed(text, "here")
    else:
        assert same(parsed(text, "here"), expected)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", r'"\ud800"', "1" * 400])
def test_what_only_python_s_own_decoder_accepts(text):
    assert same(parsed(text.encode(), "here"), json.loads(text))


def test_marks_and_encodings(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes('\n{"é": NaN}\n \t\n'.encode())
    ((line, value),) = json_objects(path)
    assert line == 2
    assert math.isnan(value["é"])
    assert parsed("\ufeff[1]".encode(), "here") == [1]
    with pytest.raises(FileError, match=r"here: not JSON \('utf-8' codec can't decode byte 0xe9"):
        parsed('["é"]'.encode("latin-1"), "here")
    with pytest.raises(FileError, match="here: lists or objects are nested too deeply"):
        parsed(b"[" * 100_000, "here")
