"""Import this first: it takes this folder off the path.

The folder holds a `coverage.py`, and numba looks for a package of that name.
"""

import sys
from pathlib import Path

sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).parent]
