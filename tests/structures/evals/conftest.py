import json

import pytest


@pytest.fixture
def samples(tmp_path):
    """Write lines of lm-eval samples, and return the path."""

    def write(*rows, name="org__m__samples_toy_2026-01-02T03-04-05.678.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write
