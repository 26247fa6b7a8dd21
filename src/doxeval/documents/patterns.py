"""Path patterns: `//sec//p`, `/article/*/fig`, `//(sec|ss1)/p`.

    pattern : ( '//' | '/' ) node, one or more times
    node    : tag | '*' | '(' tag ( '|' tag )+ ')'

Several patterns are separated by commas: `//tig, //fm/au`.

A pattern matches whole paths without ordinals. So it is matched against the path summary, no
matter how many elements there are, and any number of patterns in one pass over the summary
(`path_automaton`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents.path_automaton import PathAutomaton, PatternStep, bits_of
from doxeval.documents.summary import PathSummary
from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted

_TAG = r"[^\s/()|\[\]@*,]+"
_STEP = re.compile(rf"(//?)\s*(?:(\*)|({_TAG})|\(\s*({_TAG}(?:\s*\|\s*{_TAG})+)\s*\))\s*")


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
        return _parsed(text, {})

    def __str__(self) -> str:
        return self.text

    def matches(self, summary: PathSummary) -> Bools:
        """For each path of the summary, whether the pattern matches all of it."""
        return _matched([self], summary)


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
        return cls(tuple(parsed_patterns(text.split(","))))

    def __str__(self) -> str:
        return ", ".join(map(str, self.patterns))

    def matches(self, summary: PathSummary) -> Bools:
        """For each path of the summary, whether one of the patterns matches all of it."""
        return _matched(self.patterns, summary)


def _parsed(text: str, known: dict[str, PatternStep]) -> PathPattern:
    """A pattern; steps that are written alike are made once, and kept in `known`."""
    steps = []
    stripped = text.strip()
    at = 0
    while at < len(stripped):
        match = _STEP.match(stripped, at)
        if match is None:
            raise SyntaxProblem(
                f"path pattern {quoted(text)}, column {at + 1}: "
                "expected '/' or '//' and then a tag, '*' or '(tag|tag)'"
            )
        at = match.end()
        step = known.get(match[0])
        if step is None:
            step = known[match[0]] = _step(*match.groups())
        steps.append(step)
    if not steps:
        raise SyntaxProblem("empty path pattern: expected something like //sec//p")
    return PathPattern(stripped, tuple(steps))


def _step(axis: str, star: str | None, tag: str | None, choice: str | None) -> PatternStep:
    tags = [] if star else [name.strip() for name in (tag or choice or "").split("|")]
    return PatternStep(frozenset(tags), axis == "//")


def parsed_patterns(texts: Sequence[str]) -> list[PathPattern]:
    """Many patterns, which may be long and begin alike.

    >>> [len(pattern.steps) for pattern in parsed_patterns(["//sec", "//sec//p"])]
    [1, 2]
    """
    known: dict[str, PatternStep] = {}
    return [_parsed(text, known) for text in texts]


def _matched(patterns: Sequence[PathPattern], summary: PathSummary) -> Bools:
    automaton = PathAutomaton([pattern.steps for pattern in patterns])
    reached = automaton.reached(summary)
    return np.fromiter((one & automaton.ends > 0 for one in reached), np.bool_, len(summary))


def counts_by_pattern(
    patterns: Sequence[PathPattern], summary: PathSummary, elements: Ints
) -> list[int]:
    """How many elements each pattern matches, given how many elements have each path.

    >>> summary = PathSummary(["article", "sec", "p"], np.array([-1, 0, 1]), np.array([0, 1, 2]))
    >>> patterns = [PathPattern.parse(text) for text in ("//sec", "//sec//p", "/p")]
    >>> counts_by_pattern(patterns, summary, np.array([1, 5, 20]))
    [5, 20, 0]
    """
    automaton = PathAutomaton([pattern.steps for pattern in patterns])
    counts = [0] * (automaton.ends.bit_length() + 1)
    by_reached: dict[int, int] = {}
    for reached, count in zip(automaton.reached(summary), elements.tolist(), strict=True):
        if reached & automaton.ends:
            by_reached[reached] = by_reached.get(reached, 0) + count
    for reached, count in by_reached.items():
        for state in bits_of(reached & automaton.ends):
            counts[state] += count
    return [counts[state] for state in automaton.end_of]
