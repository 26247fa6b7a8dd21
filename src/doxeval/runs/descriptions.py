"""What runs are, in a few words, as lines of the form `NAME: text`.

Files of runs may also say so themselves: text in a comment, INEX's XML in `<description>`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from doxeval.errors import FormatError, InputError
from doxeval.files import open_input, text_lines
from doxeval.messages import Parameter, join_names, quoted

Descriptions = Mapping[str, str] | str | os.PathLike[str]


def descriptions_of(given: Descriptions | None, runs: Sequence[str]) -> dict[str, str]:
    """Return the descriptions of runs: as given, or from a file.

    A mapping may only have runs that are there; a file must describe at least one of them.

    >>> descriptions_of({"mine": "the right elements"}, ["mine", "base"])
    {'mine': 'the right elements'}
    """
    if given is None:
        return {}
    if isinstance(given, str | os.PathLike):
        described, where, may_have_others = read_descriptions(given), f" in {given}", True
    else:
        described, where, may_have_others = dict(given), "", False
    unknown = [run for run in described if run not in runs]
    if len(unknown) > (len(described) - 1 if may_have_others else 0):
        raise InputError(
            Parameter("descriptions")
            + f" of no run{where}: {join_names(unknown)}; there are {join_names(list(runs))}"
        )
    return {run: text for run, text in described.items() if run in runs}


def read_descriptions(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a file with a line `NAME: text` for each run; lines that begin with # are comments.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "runs.txt"
    >>> _ = path.write_text("words:50:0: fifty words each\\nmine: the right elements\\n")
    >>> read_descriptions(path)
    {'words:50:0': 'fifty words each', 'mine': 'the right elements'}
    """
    origin, described = os.fspath(path), dict[str, str]()
    with open_input(path) as file:
        for number, line in text_lines(file, origin):
            if line.lstrip().startswith("#"):
                continue
            name, text = description_in(line, origin, number)
            if name in described:
                raise FormatError(f"{quoted(name)} is described twice", origin, number)
            described[name] = text
    if not described:
        raise FormatError("no lines of the form NAME: text", origin)
    return described


def description_in(
    line: str, origin: str | None = None, number: int | None = None
) -> tuple[str, str]:
    """Return the name and the text of one line; a colon in a name is not followed by a space.

    >>> description_in("words:50:0: fifty words each")
    ('words:50:0', 'fifty words each')
    """
    name, colon, text = line.strip().partition(": ")
    if not colon or not name.strip() or not text.strip():
        raise FormatError(f"expected NAME: text, not {quoted(line.strip())}", origin, number)
    return name.strip(), text.strip()
