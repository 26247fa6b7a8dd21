"""Globs: the files whose paths match a pattern such as `docs/**/*.md`.

`*`, `?` and `[…]` match within one name, and no name that begins with a dot, unless the pattern
does, too. `**` stands for any number of directories, but not for links to directories: two links
to the directory that they are in would make more paths than can ever be followed.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from doxeval.errors import SourceError
from doxeval.messages import quoted

_ANY_DIRECTORIES = "**"
# No path is longer, and the time that Python takes for a part grows with the square of its length.
LONGEST_PATTERN = 4096


class Found(NamedTuple):
    """The files that match, sorted, and how many links to directories `**` did not follow."""

    files: list[str]
    links: int


def globbed(pattern: str) -> Found:
    """The files that match a pattern.

    >>> globbed("no/such/place/**/*.xml")
    Found(files=[], links=0)
    """
    if len(pattern) > LONGEST_PATTERN:
        raise SourceError(
            f"the pattern has {len(pattern):,} characters, at most {LONGEST_PATTERN:,} are allowed",
            quoted(pattern),
        )
    parts = Path(pattern).parts
    if _ANY_DIRECTORIES not in parts:
        return Found(sorted(filter(os.path.isfile, glob.glob(pattern))), 0)
    base = fixed_part(pattern)
    steps = parts[len(Path(base).parts) :] if base else parts
    return _walked(base, _Steps(steps))


def fixed_part(pattern: str) -> str:
    """The directory before the first part of a pattern that has a wildcard.

    >>> fixed_part("docs/en/**/*.md"), fixed_part("*.md")
    ('docs/en', '')
    """
    fixed = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return os.path.join(*fixed) if fixed else ""


class _Steps:
    """The parts of a pattern, as an automaton: a state is how many parts are matched so far."""

    def __init__(self, parts: Collection[str]) -> None:
        self._patterns = [
            None if part == _ANY_DIRECTORIES else re.compile(fnmatch.translate(part))
            for part in parts
        ]
        self._may_be_hidden = [part.startswith(".") for part in parts]
        self.end = len(parts)
        self.begin = self.settled({0})

    def named(self, states: set[int], name: str) -> set[int]:
        """The states after a name that parts other than `**` match."""
        hidden = name.startswith(".")
        return {
            at + 1
            for at in states
            if at < self.end
            and (pattern := self._patterns[at]) is not None
            and (not hidden or self._may_be_hidden[at])
            and pattern.match(name)
        }

    def passing(self, states: set[int], name: str) -> set[int]:
        """The states in which `**` takes a name."""
        if name.startswith("."):
            return set()
        return {at for at in states if at < self.end and self._patterns[at] is None}

    def settled(self, states: set[int]) -> set[int]:
        """The states with those that are reached because `**` may stand for nothing."""
        reached = set(states)
        for at in range(self.end):
            if at in reached and self._patterns[at] is None:
                reached.add(at + 1)
        return reached


def _walked(base: str, steps: _Steps) -> Found:
    files: list[str] = []
    links = 0
    waiting = [(base, steps.begin)]
    while waiting:
        directory, states = waiting.pop()
        for entry in _entries(directory, directory == base):
            named, passing = steps.named(states, entry.name), steps.passing(states, entry.name)
            path = os.path.join(directory, entry.name)
            if os.path.isfile(path):
                if steps.end in named or steps.end - 1 in passing:
                    files.append(path)
            elif (named or passing) and os.path.isdir(path):
                is_link = entry.is_symlink()
                links += bool(is_link and passing)
                further = steps.settled(named if is_link else named | passing) - {steps.end}
                if further:
                    waiting.append((path, further))
    return Found(sorted(files), links)


def _entries(directory: str, is_base: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory or ".") as scan:
            return list(scan)
    except OSError as error:
        if is_base and isinstance(error, FileNotFoundError | NotADirectoryError):
            return []  # nothing matches
        raise SourceError(error.strerror or str(error), directory) from error
    except ValueError as error:  # a null character or a lone surrogate in the name
        raise SourceError(str(error), directory) from error
