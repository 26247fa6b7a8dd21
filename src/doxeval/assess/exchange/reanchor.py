"""Judgments of a text that has changed: where the same text stands in the new version.

A highlight moves to where its text stands in the new version. The quote must occur exactly once in
the old text and once in the new one; where it occurs more often, it is taken with more and more of
the text around it. A best entry point moves with the text after it in the same way. A grade stays
if its element, found by path, has the same text. Whatever cannot be placed for certain is lost and
listed. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from doxeval.assess.judging import Article, Grade, Mode, Range, State, problems
from doxeval.assessments import merge_passages
from doxeval.messages import quoted, short_path

# How much text after a best entry point it is found by.
_AFTER = 32
_FIRST_CONTEXT = 8


def reanchor(state: State, old: Article, new: Article, mode: Mode) -> tuple[State, tuple[str, ...]]:
    """The state in the new version of the text, and what of it is lost.

    The state stays validated if nothing is lost and the rules still allow it.

    >>> from doxeval.documents.examples import example_collection
    >>> before = example_collection({"a": "<s><p>Low tide.</p></s>"})
    >>> after = example_collection({"a": "<s><p>At night, low or high.</p><p>Low tide.</p></s>"})
    >>> state = State(highlights=((4, 8),), bep=4, status="validated")
    >>> found, lost = reanchor(state, Article.of(before, "a"), Article.of(after, "a"), "2006")
    >>> found.highlights, found.bep, found.status, lost
    (((26, 30),), 26, 'validated', ())
    >>> gone = Article.of(example_collection({"a": "<s>High water.</s>"}), "a")
    >>> found, lost = reanchor(state, Article.of(before, "a"), gone, "2006")
    >>> found.highlights, found.status, len(lost)
    ((), 'open', 2)
    """
    lost: list[str] = []
    highlights: list[Range] = []
    for start, end in state.highlights:
        at, why = _new_place(old.text, new.text, start, end)
        if at is None:
            lost.append(f"the highlight {start:,} to {end:,}, {quoted(old.text[start:end])}: {why}")
        else:
            highlights.append((at, at + end - start))
    bep = state.bep
    if bep is not None:
        after = min(bep + _AFTER, len(old.text))
        bep, why = _new_place(old.text, new.text, bep, after)
        if bep is None:
            quote = quoted(old.text[state.bep : after])
            lost.append(f"the best entry point {state.bep:,}, before {quote}: {why}")
    joined, _ = merge_passages(highlights)
    grades: dict[str, Grade] = {}
    for path, grade in state.grades.items():
        if reason := _why_not(path, old, new, joined if mode == "2005" else None):
            lost.append(f"the grade of {short_path(path)}: {reason}")
        else:
            grades[path] = grade
    found = replace(
        state,
        highlights=joined,
        bep=bep,
        grades=grades,
        inferred=state.inferred & grades.keys(),
    )
    if lost or problems(found, new, mode):
        found = replace(found, status="open")
    return found, tuple(lost)


def _new_place(old: str, new: str, start: int, end: int) -> tuple[int | None, str]:
    """Where a range of the old text begins in the new one; or None, and why."""
    if old == new:
        return start, ""
    around = 0
    while True:
        left, right = max(start - around, 0), min(end + around, len(old))
        quote = old[left:right]
        at = new.find(quote)
        if at < 0:
            if not around:
                return None, "its text is not there any more"
            return None, "its text stands in several places, and the text around it has changed"
        if quote and _is_only(quote, old, left) and _is_only(quote, new, at):
            return at + start - left, ""
        if right - left == len(old):
            return None, "its text stands in several places"
        around = 2 * around or _FIRST_CONTEXT


def _is_only(quote: str, text: str, at: int) -> bool:
    """Whether a quote that stands at a place in a text stands nowhere else in it."""
    return text.find(quote) == at and text.find(quote, at + 1) < 0


def _why_not(
    path: str, old: Article, new: Article, highlights: Sequence[Range] | None
) -> str | None:
    """Why the grade of an element does not stay, if it does not.

    highlights: those that the element must touch, if it must.
    """
    before, after = old.row_of(path), new.row_of(path)
    if after < 0:
        return "there is no such element any more"
    start, end = int(new.start[after]), int(new.end[after])
    if before < 0 or old.text[old.start[before] : old.end[before]] != new.text[start:end]:
        return "its text has changed"
    if highlights is not None and not any(a < end and start < b for a, b in highlights):
        return "nothing in it is highlighted any more"
    return None
