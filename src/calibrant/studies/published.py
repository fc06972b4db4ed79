"""Values printed in the thesis: figures 4.7, 4.10 and 4.11, taggers and coreference."""

from typing import NamedTuple


class Published(NamedTuple):
    """A printed CalibScore (plug-in), or a range of them, and the setting it belongs to."""

    figure: str
    n: int
    size: int
    k: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The value as printed."""
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g}-{self.high:g}"


BIN_SIZES = tuple(2**power for power in range(1, 17))
_PERFECT = (
    *(0.206, 0.146, 0.104, 0.073, 0.051, 0.037, 0.026, 0.018),
    *(0.013, 0.0075, 0.0052, 0.0033, 0.0024, 0.0014, 0.0012, 0.0011),
)  # for bins of these sizes

PUBLISHED: tuple[Published, ...] = (
    *(
        Published("4.7", 100_000, size, 0.0, value, value)
        for size, value in zip(BIN_SIZES, _PERFECT, strict=True)
    ),
    Published("4.10", 10_000, 100, 0.0, 0.034, 0.034),
    Published("4.10", 49_000, 221, 0.0, 0.018, 0.018),
    Published("4.11", 10_000, 100, 0.1, 0.105, 0.112),
    Published("4.11", 49_000, 221, 0.1, 0.102, 0.102),
    Published("4.11", 10_000, 100, 0.2, 0.20, 0.20),
    Published("4.11", 49_000, 221, 0.2, 0.20, 0.20),
)


class Tagger(NamedTuple):
    """A tagger of the thesis: its accuracy in per cent, and its CalibScore (plug-in)."""

    accuracy: float
    score: float


THESIS = {
    "twitter-pos": {  # 6160 questions; bins of 400
        "HMM": Tagger(67.55, 0.075),
        "CRF-Basic": Tagger(78.12, 0.034),
        "CRF-Advanced": Tagger(86.19, 0.048),
    },
    "web-pos": {  # the Wall Street Journal, 30543 questions; bins of 1000
        "HMM": Tagger(88.10, 0.042),
        "CRF-Basic": Tagger(93.02, 0.021),
        "CRF-Advanced": Tagger(96.08, 0.018),
    },
}


class Coreference(NamedTuple):
    """The coreference system of the thesis: its plug-in CalibScore, overall and above 0.1."""

    score: float
    above: float


# CoNLL-2011, Berkeley with surface features, about 4 million pairs; the second read off a figure
COREFERENCE = Coreference(0.007, 0.043)
