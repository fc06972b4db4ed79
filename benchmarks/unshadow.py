"""Takes this folder off the module path. Every benchmark imports this before anything else.

Python puts the folder of a script first on the path, so `import coverage` anywhere would find
`benchmarks/coverage.py` (how often intervals contain the truth) and not the package of that name
that measures coverage of code. numba imports that package if it is there, so without this module
a benchmark that imports numba would run `benchmarks/coverage.py` by accident.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]
