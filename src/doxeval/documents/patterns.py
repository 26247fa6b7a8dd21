"""Path patterns: `//sec//p`, `/article/*/fig`, `//(sec|ss1)/p`.

    pattern : ( '//' | '/' ) node, one or more times
    node    : tag | '*' | '(' tag ( '|' tag )+ ')'

Several patterns are separated by commas: `//tig, //fm/au`.

A pattern matches whole paths without ordinals. So it is matched against the path summary, by a
few bit operations per distinct path, no matter how many elements there are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from doxeval.arrays import Bools
from doxeval.documents.summary import NO_PARENT, PathSummary
from doxeval.errors import SyntaxProblem

_TAG = r"[^\s/()|\[\]@*,]+"
_STEP = re.compile(rf"(//?)\s*(?:(\*)|({_TAG})|\(\s*({_TAG}(?:\s*\|\s*{_TAG})+)\s*\))\s*")


@dataclass(frozen=True)
class PatternStep:
    """One step: the tags it accepts (none: any tag), at any depth or one level below."""

    tags: frozenset[str]
    any_depth: bool


@dataclass(frozen=True)
class PathPattern:
    """A parsed path pattern.

    >>> from doxeval.documents.summary import PathSummary
    >>> summary = PathSummary(["article", "sec", "p"], np.array([-1, 0, 1]), np.array([0, 1, 2]))
    >>> PathPattern.parse("//sec//p").matches(summary).tolist()
    [False, False, True]
    """

    text: str
    steps: tuple[PatternStep, ...]

    @classmethod
    def parse(cls, text: str) -> PathPattern:
        """Parse a pattern; an error names the column."""
        steps = []
        stripped = text.strip()
        at = 0
        while at < len(stripped):
            step = _STEP.match(stripped, at)
            if step is None:
                raise SyntaxProblem(
                    f"path pattern {text!r}, column {at + 1}: "
                    "expected '/' or '//' and then a tag, '*' or '(tag|tag)'"
                )
            axis, star, tag, choice = step.groups()
            tags = [] if star else [name.strip() for name in (tag or choice).split("|")]
            steps.append(PatternStep(frozenset(tags), axis == "//"))
            at = step.end()
        if not steps:
            raise SyntaxProblem("empty path pattern: expected something like //sec//p")
        return cls(stripped, tuple(steps))

    def __str__(self) -> str:
        return self.text

    def matches(self, summary: PathSummary) -> Bools:
        """For each path of the summary, whether the pattern matches all of it."""
        # Bit j of here[i]: the first j steps of the pattern match path i.
        # Bit j of above[i]: they match path i or a path above it.
        any_depth = sum(1 << j for j, step in enumerate(self.steps) if step.any_depth)
        whole = 1 << len(self.steps)

        @cache
        def accepting(tag: int) -> int:
            name = summary.tags[tag]
            return sum(
                1 << j for j, step in enumerate(self.steps) if not step.tags or name in step.tags
            )

        here: list[int] = []
        above: list[int] = []
        for parent, tag in zip(summary.parent_of.tolist(), summary.tag_of.tolist(), strict=True):
            last, seen = (1, 1) if parent == NO_PARENT else (here[parent], above[parent])
            reached = ((last & ~any_depth | seen & any_depth) & accepting(tag)) << 1
            here.append(reached)
            above.append(seen | reached)
        return np.fromiter((bool(bits & whole) for bits in here), dtype=np.bool_)


@dataclass(frozen=True)
class PathPatterns:
    """One or more patterns; a path needs to match one of them.

    >>> from doxeval.documents.summary import PathSummary
    >>> summary = PathSummary(["article", "sec", "p"], np.array([-1, 0, 1]), np.array([0, 1, 2]))
    >>> PathPatterns.parse("/article, //p").matches(summary).tolist()
    [True, False, True]
    """

    patterns: tuple[PathPattern, ...]

    @classmethod
    def parse(cls, text: str) -> PathPatterns:
        """Parse patterns that are separated by commas."""
        return cls(tuple(PathPattern.parse(one) for one in text.split(",")))

    def __str__(self) -> str:
        return ", ".join(map(str, self.patterns))

    def matches(self, summary: PathSummary) -> Bools:
        """For each path of the summary, whether one of the patterns matches all of it."""
        found: Bools = np.any([one.matches(summary) for one in self.patterns], axis=0)
        return found
