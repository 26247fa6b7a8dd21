"""What is found in a run besides its scores: added up over its blocks, and told in the end.

A finding about a part of a run says where it is by line and by topic, so that many parts have the
same findings together as the run has at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import NamedTuple

from doxeval.errors import InputError, UnknownReference
from doxeval.evaluation.inputs import RunOptions
from doxeval.evaluation.ranking import Against, Ties, about_repeats, about_split, about_unknown
from doxeval.messages import Parameter
from doxeval.runs import Kind

MOST_SHOWN = 20


class Place(NamedTuple):
    """Where something was found: the number of its topic, and its line. Perhaps why it is told."""

    topic: int
    line: int
    reason: str = ""


class Places(NamedTuple):
    """How often something was found, and where first: topic by topic, in their order."""

    times: int = 0
    first: tuple[Place, ...] = ()

    @classmethod
    def joined(cls, several: Sequence[Places]) -> Places:
        """All together, where no topic is in two of them."""
        first = sorted(chain.from_iterable(one.first for one in several), key=lambda p: p.topic)
        return cls(sum(one.times for one in several), tuple(first[:MOST_SHOWN]))

    def moved(self, lines: int) -> Places:
        """With so many lines before them."""
        return self._replace(
            first=tuple(place._replace(line=place.line + lines) for place in self.first)
        )


NOWHERE = Places()


class Findings(NamedTuple):
    """What was found in a run, or in a part of it.

    kinds: of its results. unplaced_starts, unplaced_ends: whether it is unknown where some result
    begins or ends. unordered: that it has no column to be ordered by, and is taken as listed.
    against: ranks and scores that contradict the list. unknown: topics that are not assessed.
    split: numbers of topics in several places. unresolved, repeats: results that name nothing, and
    those that were returned before. ties: documents with equal scores, for measures
    that rank documents.
    """

    kinds: frozenset[Kind] = frozenset()
    unplaced_starts: bool = False
    unplaced_ends: bool = False
    unordered: tuple[str, ...] = ()
    against: tuple[Against, ...] = ()
    unknown: tuple[str, ...] = ()
    split: tuple[int, ...] = ()
    unresolved: Places = NOWHERE
    repeats: Places = NOWHERE
    ties: Ties = Ties()

    @classmethod
    def joined(cls, several: Sequence[Findings]) -> Findings:
        """What was found in all parts of a run, which have no assessed topic in common.

        >>> parts = [Findings(repeats=Places(2, (Place(topic, 7),))) for topic in (4, 1)]
        >>> Findings.joined(parts).repeats.times, Findings.joined(parts).repeats.first[0].topic
        (4, 1)
        """
        if len(several) == 1:
            return several[0]
        return cls(
            frozenset().union(*(one.kinds for one in several)),
            any(one.unplaced_starts for one in several),
            any(one.unplaced_ends for one in several),
            tuple(dict.fromkeys(chain.from_iterable(one.unordered for one in several))),
            _all_against(several),
            tuple(dict.fromkeys(chain.from_iterable(one.unknown for one in several))),
            tuple(sorted(chain.from_iterable(one.split for one in several))),
            Places.joined([one.unresolved for one in several]),
            Places.joined([one.repeats for one in several]),
            Ties(*(sum(counts) for counts in zip(*(one.ties for one in several), strict=True))),
        )

    def moved(self, lines: int) -> Findings:
        """The same with so many lines before them."""
        return self._replace(
            against=tuple(one._replace(line=one.line + lines) for one in self.against),
            unresolved=self.unresolved.moved(lines),
            repeats=self.repeats.moved(lines),
        )

    def told(
        self,
        topics: Sequence[str],
        options: RunOptions,
        policies: Collection[str],
        origin: str | None,
    ) -> tuple[str, ...]:
        """The warnings; results that name nothing are an error, unless they may.

        policies: what the measures do with duplicates, if the options leave it to them.
        """
        policies = policies if options.duplicates == "auto" else {options.duplicates}
        has_repeats = self.repeats.times > 0 and len(policies) > 0
        return (
            *self.unordered,
            *(one.told() for one in self.against),
            *self.ties.about("list" if self.unordered else options.order),
            *about_unknown(self.unknown),
            *about_split(self.split, topics),
            *_about_unresolved(self.unresolved, options, origin),
            *(
                [about_repeats(self.repeats.times, self.repeats.first[0].line, policies)]
                if has_repeats
                else []
            ),
        )


def _all_against(several: Sequence[Findings]) -> tuple[Against, ...]:
    """Contradictions by what they are, ranks before scores as in each part."""
    by_what: dict[str, list[Against]] = {}
    for one in chain.from_iterable(findings.against for findings in several):
        by_what.setdefault(one.what, []).append(one)
    return tuple(
        Against(what, sum(one.times for one in own), min(one.line for one in own))
        for what, own in sorted(by_what.items())
    )


def _about_unresolved(found: Places, options: RunOptions, origin: str | None) -> tuple[str, ...]:
    """A warning about results that name nothing, or an error, as the policy says."""
    if not found.times:
        return ()
    lines = [str(InputError(place.reason, origin, place.line)) for place in found.first]
    if found.times > len(lines):
        lines.append(f"… and {found.times - len(lines):,} more")
    count = f"{found.times:,} result{' does' if found.times == 1 else 's do'} not resolve"
    if options.unresolved == "error":
        policy = Parameter("unresolved", "irrelevant")
        message = f"{count}; " + policy + " keeps such results as not relevant"
        raise UnknownReference(message + "".join(f"\n  {line}" for line in lines))
    return (f"{count} and count as not relevant; the first: {lines[0]}",)
