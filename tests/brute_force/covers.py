"""Covers of text, character by character."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brute_force.scene import Unit


def cover(
    elements: Sequence[Unit], text: str, wanted: Collection[int], ignored: Collection[str] = ()
) -> frozenset[Unit]:
    """The coarsest disjoint elements of a document that hold the wanted characters of its text."""
    known = [element for element in elements if element.tag not in ignored]

    def is_wholly_wanted(element: Unit) -> bool:
        return element.size > 0 and all(at in wanted for at in range(element.start, element.end))

    inside = [element for element in known if is_wholly_wanted(element)]
    members = {e for e in inside if not any(e.is_inside(other) for other in inside)}
    held = {at for member in members for at in range(member.start, member.end)}
    for at in wanted:
        if at not in held and not text[at].isspace():
            around = [element for element in known if element.start <= at < element.end]
            members |= set(sorted(around, key=lambda element: element.depth)[-1:])
    return frozenset(m for m in members if not any(m.is_inside(other) for other in members))
