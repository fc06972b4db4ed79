"""Where real corpora lie: tests on them are left out where they are not here."""

import os
from pathlib import Path

DATA = Path(os.environ.get("CALIBRANT_DATA", Path(__file__).parents[2] / "shared" / "data"))
