import pytest

from calibrant.cli.wording import in_options


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("ask for interval=None.", "ask for --interval none."),
        ("ask for band='confidence'.", "ask for --band confidence."),
        ("For 95 % write level=0.95.", "For 95 % write --level 0.95."),
        ("Name one with y=...: try.", "Name one with --y COLUMN: try."),
        ('repair=True needs scheme="IOB2", but', "--repair needs --scheme IOB2, but"),
        ("word=1 and tag=2 must differ", "--word 1 and --tag 2 must differ"),
        ("weight=False asks for none", "--no-weight asks for none"),
        ("format=csv", "--from csv"),
        ("seed must be a whole number", "--seed must be a whole number"),
        ("level must lie between 0 and 1", "--level must lie between 0 and 1"),
        ("leave seed out.", "leave --seed out."),
        ("or leave the group out.", "or leave the group out (--no-group)."),
        (
            "use Pairs.from_draws(y, yes, draws=8).",
            "use --yes COLUMN --draws 8.",
        ),
    ],
)
def test_arguments_become_options(message, wanted):
    assert in_options(message) == wanted


@pytest.mark.parametrize(
    "message",
    [
        "a.csv, line 3, column q: q must be a number in [0, 1], but it is 'x'.",
        "'Bootstrap(seed=1, level=2)' gives an argument twice.",
        "CalibScore(size=400) is a score",
        "y = 1 and level = 2",
        "key word=s",
        "The key 'a' is in one and not in the other.",
    ],
)
def test_other_words_stay(message):
    assert in_options(message) == message.replace("key word=s", "key --word s")
