"""Needs by brute force: what is wanted of a topic, and how much of it a set of characters shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from brute_force.numbers import ZERO, quotient
from brute_force.scene import Character, Scene

Text = frozenset[Character]


@dataclass(frozen=True)
class Need:
    """A need: its grade, and the characters of each of its alternatives."""

    grade: Fraction
    alternatives: tuple[Text, ...]

    def share(self, shown: Collection[Character]) -> Fraction:
        """The largest share of an alternative that is shown."""
        return max(
            (quotient(len(text & set(shown)), len(text)) for text in self.alternatives),
            default=ZERO,
        )


def needs_of(scene: Scene, solid: bool = False) -> list[Need]:
    """The needs of a topic; perhaps in characters that are not white space."""
    grades: dict[object, Fraction] = {}
    texts: dict[object, dict[object, Text]] = {}  # of each need, and there of each alternative
    for judgment in scene.judgments:
        plain = [] if judgment.needs else [(None, *span, 1, None) for span in judgment.highlights]
        for need, start, end, grade, alternative in (*judgment.needs, *plain):
            key = (judgment.document, start, end, len(grades)) if need is None else need
            text = frozenset((judgment.document, at) for at in range(start, end))
            grades[key] = Fraction(grade)
            own = texts.setdefault(key, {})
            together = (judgment.document, start, end) if alternative is None else alternative
            own[together] = own.get(together, frozenset()) | text
    return [
        Need(
            grades[key],
            tuple(
                solid_text(scene, text) if solid else text for text in dict.fromkeys(own.values())
            ),
        )
        for key, own in texts.items()
    ]


def solid_text(scene: Scene, text: Iterable[Character]) -> Text:
    """The characters that are not white space."""
    return frozenset((name, at) for name, at in text if not scene.texts[name][at].isspace())


@dataclass(frozen=True)
class Wants:
    """What a topic wants: single ranges by their highest grade, alternatives as wholes."""

    needs: list[Need]

    @cached_property
    def _highest(self) -> Fraction:
        return max((need.grade for need in self.needs), default=ZERO)

    @cached_property
    def characters(self) -> dict[Character, Fraction]:
        """What each character of a need without alternatives is worth."""
        found: dict[Character, Fraction] = {}
        for need in self.needs:
            if len(need.alternatives) == 1:
                for at in need.alternatives[0]:
                    found[at] = max(found.get(at, ZERO), need.grade / self._highest)
        return found

    @cached_property
    def several(self) -> list[Need]:
        """The needs with alternatives."""
        return [need for need in self.needs if len(need.alternatives) > 1]

    def weight(self, need: Need) -> Fraction:
        """What a need with alternatives is worth: its grade times its shortest alternative."""
        return need.grade / self._highest * min(map(len, need.alternatives))

    @property
    def total(self) -> Fraction:
        """T."""
        return sum(self.characters.values(), ZERO) + sum(map(self.weight, self.several), ZERO)

    def shown(self, text: Collection[Character]) -> Fraction:
        """F."""
        single = sum((self.characters.get(at, ZERO) for at in text), ZERO)
        return single + sum((self.weight(n) * n.share(text) for n in self.several), ZERO)

    def by_best_shown(self, text: Collection[Character]) -> Wants:
        """The same if each need had only the alternative of which the largest share is shown.

        Of equal shares the shorter alternative, then the first in document order.
        """
        shown = set(text)

        def last_is_best(one: Text) -> tuple[Fraction, int]:
            return quotient(len(one & shown), len(one)), -len(one)

        return Wants(
            [
                Need(need.grade, (max(sorted(need.alternatives, key=sorted), key=last_is_best),))
                for need in self.needs
            ]
        )


def wants_of(scene: Scene) -> Wants:
    """What the topic of a scene wants."""
    return Wants(needs_of(scene))
