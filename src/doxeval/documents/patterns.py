"""Path patterns: `//sec//p`, `/article/*/fig`, `//(sec|ss1)/p`.

    pattern : ( '//' | '/' ) node, one or more times
    node    : tag | '*' | '(' tag ( '|' tag )+ ')'

Several patterns are separated by commas: `//tig, //fm/au`.

A pattern matches whole paths without ordinals. So it is matched against the path summary, no matter
how many elements there are, and any number of patterns in one pass, by one automaton that reads
paths from the root down (`PathAutomaton`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents.nodes import NO_PARENT, PathSummary
from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted

_OTHER = -1  # stands for all tags that no pattern names
_TAG = r"[^\s/()|\[\]@*,]+"
_STEP = re.compile(rf"(//?)\s*(?:(\*)|({_TAG})|\(\s*({_TAG}(?:\s*\|\s*{_TAG})+)\s*\))\s*")


@dataclass(frozen=True)
class PathPattern:
    """A parsed path pattern.

    >>> from doxeval.documents.nodes import PathSummary
    >>> summary = PathSummary(["article", "sec", "p"], np.array([-1, 0, 1]), np.array([0, 1, 2]))
    >>> PathPattern.parse("//sec//p").matches(summary).tolist()
    [False, False, True]
    """

    text: str
    steps: tuple[PatternStep, ...]

    @classmethod
    def parse(cls, text: str) -> PathPattern:
        """Parse a pattern; an error names the column."""
        return _parse(text, {})

    def __str__(self) -> str:
        return self.text

    def matches(self, summary: PathSummary) -> Bools:
        """Return for each path of the summary whether the pattern matches all of it."""
        return _match([self], summary)


@dataclass(frozen=True)
class PathPatterns:
    """One or more patterns; a path needs to match one of them.

    >>> from doxeval.documents.nodes import PathSummary
    >>> summary = PathSummary(["article", "sec", "p"], np.array([-1, 0, 1]), np.array([0, 1, 2]))
    >>> PathPatterns.parse("/article, //p").matches(summary).tolist()
    [True, False, True]
    """

    patterns: tuple[PathPattern, ...]

    @classmethod
    def parse(cls, text: str) -> PathPatterns:
        """Parse patterns that are separated by commas."""
        return cls(tuple(parse_patterns(text.split(","))))

    def __str__(self) -> str:
        return ", ".join(map(str, self.patterns))

    def matches(self, summary: PathSummary) -> Bools:
        """Return for each path of the summary whether one of the patterns matches all of it."""
        return _match(self.patterns, summary)


def parse_patterns(texts: Sequence[str]) -> list[PathPattern]:
    """Parse many patterns, which may be long and begin alike.

    >>> [len(pattern.steps) for pattern in parse_patterns(["//sec", "//sec//p"])]
    [1, 2]
    """
    known: dict[str, PatternStep] = {}
    return [_parse(text, known) for text in texts]


def _parse(text: str, known: dict[str, PatternStep]) -> PathPattern:
    """Return a pattern; steps that are written alike are made once, and kept in `known`."""
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
            axis, star, tag, choice = match.groups()
            tags = [] if star else [name.strip() for name in (tag or choice).split("|")]
            step = known[match[0]] = PatternStep(frozenset(tags), axis == "//")
        steps.append(step)
    if not steps:
        raise SyntaxProblem("empty path pattern: expected something like //sec//p")
    return PathPattern(stripped, tuple(steps))


def _match(patterns: Sequence[PathPattern], summary: PathSummary) -> Bools:
    automaton = PathAutomaton([pattern.steps for pattern in patterns])
    reached = automaton.reached(summary)
    return np.fromiter((steps & automaton.ends > 0 for steps in reached), np.bool_, len(summary))


def count_elements(
    patterns: Sequence[PathPattern], summary: PathSummary, elements: Ints
) -> list[int]:
    """Return how many elements each pattern matches, given how many elements have each path.

    >>> summary = PathSummary(["article", "sec", "p"], np.array([-1, 0, 1]), np.array([0, 1, 2]))
    >>> patterns = [PathPattern.parse(text) for text in ("//sec", "//sec//p", "/p")]
    >>> count_elements(patterns, summary, np.array([1, 5, 20]))
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


# The steps of all patterns form a tree: patterns that begin alike share their first steps. While a
# path is read, a set of steps is *open*, to be taken by the next tag. A step that is taken opens
# the steps behind it; a `//` step that was open stays open further down. Sets of steps are the bits
# of whole numbers, and what follows from a set and a tag is worked out once, when a path first
# needs it. So the work is a lookup for each path, and one operation on bits for each combination of
# a set and a tag that occurs.


@dataclass(frozen=True)
class PatternStep:
    """One step: the tags it accepts (none: any tag), at any depth or one level below."""

    tags: frozenset[str]
    any_depth: bool


class PathAutomaton:
    """Several patterns, each given by its steps.

    Steps are numbered from 1; 0 is the beginning. `end_of` has the last step of each pattern, and
    `ends` all of them as bits.

    >>> import numpy as np
    >>> steps = [PatternStep(frozenset(tag), any_depth=True) for tag in ("a", "b")]
    >>> automaton = PathAutomaton([steps, steps[:1]])  # //a//b and //a
    >>> summary = PathSummary(["a", "b"], np.array([-1, 0]), np.array([0, 1]))
    >>> automaton.end_of, [list(bits_of(steps)) for steps in automaton.reached(summary)]
    ([2, 1], [[1], [2]])
    """

    def __init__(self, patterns: Sequence[Sequence[PatternStep]]) -> None:
        self._steps: list[PatternStep] = []
        before: list[int] = []  # the step before each
        numbers: dict[tuple[int, PatternStep], int] = {}
        self.end_of: list[int] = []
        for steps in patterns:
            at = 0
            for step in steps:
                number = numbers.setdefault((at, step), len(numbers) + 1)
                if number > len(self._steps):
                    self._steps.append(step)
                    before.append(at)
                at = number
            self.end_of.append(at)
        self.ends = number_with_bits(set(self.end_of))
        steps_by_number = list(enumerate(self._steps, 1))
        self._any_depth = number_with_bits(
            number for number, step in steps_by_number if step.any_depth
        )
        # Most steps follow the one before them in number, so a shift opens them.
        self._next = number_with_bits(
            number for number, at in enumerate(before, 1) if at == number - 1
        )
        branches: dict[int, list[int]] = {}
        for number, at in enumerate(before, 1):
            if at != number - 1:
                branches.setdefault(at, []).append(number)
        self._branches = {at: number_with_bits(behind) for at, behind in branches.items()}
        self._branching = number_with_bits(branches)

    def reached(self, summary: PathSummary) -> list[int]:
        """Return for each path of the summary the steps that accept its last tag, as bits."""
        kinds, accepting = self._accepting(summary)
        kind_of_path = [kinds[tag] for tag in summary.tag_of.tolist()]
        first = self._steps_behind(1)
        states, opens = {first: 0}, [first]
        moves: dict[tuple[int, int], tuple[int, int]] = {}
        state_of: list[int] = []
        reached: list[int] = []
        for parent, kind in zip(summary.parent_of.tolist(), kind_of_path, strict=True):
            state = 0 if parent == NO_PARENT else state_of[parent]
            move = moves.get((state, kind))
            if move is None:
                taken = opens[state] & accepting[kind]
                now_open = self._steps_behind(taken) | opens[state] & self._any_depth
                after = states.setdefault(now_open, len(states))
                if after == len(opens):
                    opens.append(now_open)
                move = moves[state, kind] = (taken, after)
            reached.append(move[0])
            state_of.append(move[1])
        return reached

    def _accepting(self, summary: PathSummary) -> tuple[list[int], dict[int, int]]:
        """Return a number for each tag of the summary, and the steps that accept each number."""
        steps_of: dict[str, list[int]] = {}
        anything: list[int] = []
        for number, step in enumerate(self._steps, 1):
            if not step.tags:
                anything.append(number)
            for tag in step.tags:
                steps_of.setdefault(tag, []).append(number)
        kinds = {tag: kind for kind, tag in enumerate(steps_of)}
        any_tag = number_with_bits(anything)
        accepting = {
            kinds[tag]: number_with_bits(steps) | any_tag for tag, steps in steps_of.items()
        }
        return [kinds.get(tag, _OTHER) for tag in summary.tags], {**accepting, _OTHER: any_tag}

    def _steps_behind(self, taken: int) -> int:
        """Return the steps behind those that are taken."""
        behind = taken << 1 & self._next
        for step in bits_of(taken & self._branching):
            behind |= self._branches[step]
        return behind


def bits_of(number: int) -> Iterator[int]:
    """Yield the bits of a whole number that are set, from the lowest.

    >>> list(bits_of(0b1010))
    [1, 3]
    """
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def number_with_bits(bits: Iterable[int]) -> int:
    """Return the whole number that has these bits set.

    >>> number_with_bits([1, 3]) == 0b1010
    True
    """
    chosen = list(bits)
    data = bytearray(max(chosen, default=0) // 8 + 1)
    for bit in chosen:
        data[bit >> 3] |= 1 << (bit & 7)
    return int.from_bytes(data, "little")
