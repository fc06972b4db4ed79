"""Messages of the library in the words of the command line: `--level 0.9`, not `level=0.9`.

The library speaks of arguments, `name=value`, and so must every new message. Here that becomes
an option wherever the command line has one; values of arguments of objects, such as
`Bootstrap(seed=1)`, are left alone.
"""

import re

OPTIONS = {"format": "--from"}  # arguments whose option has another name
ARGUMENTS = (
    *("band", "document", "draws", "format", "group", "interval", "key", "level", "q", "repair"),
    *("replicates", "scheme", "seed", "tag", "weight", "word", "y", "yes"),
)
SUBJECTS = ("interval", "level", "replicates", "seed")  # never also the name of a column
NAMED = "|".join(ARGUMENTS)
VALUE = r"""'[^']*'|"[^"]*"|\.\.\.|[\w+-]+(?:\.\w+)*"""
ASSIGNED = re.compile(rf"(?P<before>^|[^\s(,]\s+)(?P<name>{NAMED})=(?P<value>{VALUE})")
SUBJECT = re.compile(rf"^({'|'.join(SUBJECTS)}) (must|is for)\b")
LEAVE_OUT = re.compile(rf"\bleave ({NAMED}) out\b")
FROM_DRAWS = re.compile(r"Pairs\.from_draws\(y, yes, draws=(\d+)\)")


def in_options(message: str) -> str:
    """The same message about options.

    >>> in_options("level must lie between 0 and 1, but it is 95. For 95 % write level=0.95.")
    '--level must lie between 0 and 1, but it is 95. For 95 % write --level 0.95.'
    >>> in_options("Leave the group out, or ask for interval=None.")
    'Leave the group out (--no-group), or ask for --interval none.'
    """
    message = FROM_DRAWS.sub(r"--yes COLUMN --draws \1", message)
    message = message.replace("eave the group out", "eave the group out (--no-group)")
    message = SUBJECT.sub(lambda found: f"{_option(found[1])} {found[2]}", message)
    message = LEAVE_OUT.sub(lambda found: f"leave {_option(found[1])} out", message)
    return ASSIGNED.sub(_assigned, message)


def _option(name: str) -> str:
    return OPTIONS.get(name, f"--{name}")


def _assigned(found: re.Match[str]) -> str:
    option, value = _option(found["name"]), found["value"].strip("'\"")
    if value == "True":
        return f"{found['before']}{option}"
    if value == "False":
        return f"{found['before']}--no-{found['name']}"
    said = {"None": "none", "...": "COLUMN"}.get(value, value)
    return f"{found['before']}{option} {said}"
