"""Words by brute force: a space where an element that is not inline begins or ends, then split."""

from __future__ import annotations

from brute_force.scene import Scene

# Those of the tags in random worlds that are inline by default.
INLINE = {"b", "collectionlink"}


def words_in(scene: Scene, document: str, start: int, end: int) -> int:
    """How many words a range of a document's text holds, whole or in part."""
    borders = {
        at
        for element in scene.elements
        if element.document == document and element.tag not in INLINE
        for at in (element.start, element.end)
    }
    text = scene.texts[document]
    spaced = ((" " if at in borders else "") + text[at] for at in range(start, end))
    return len("".join(spaced).split())
