"""calibrant tells whether the probabilities of a language model can be trusted.

The public names stand in `__init__.pyi`, once. They are imported when they are first used, so
that `import calibrant` is instant; type checkers read the same file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
