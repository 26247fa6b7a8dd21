"""Results that a run returns more than once for a topic: only the first of them gains anything."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from doxeval.arrays import Bools, Ints, repeated_rows
from doxeval.evaluation.placing import PlacedRun
from doxeval.messages import Parameter
from doxeval.runs import Kind, numbered_paths, numbered_spans, numbered_units, unit_kinds

# Numbers below this belong to unresolved results; no element or path has one.
_FAR_BELOW = -(1 << 60)


def repeats_in(placed: PlacedRun, topic: Ints) -> Bools | None:
    """Whether each result is a duplicate of an earlier result of its topic; None if none is.

    Passages and entry points are the same if their ranges are, all of them, elements and trees if
    their nodes are, and a document is the same as its root. Unresolved results never count as
    duplicates of each other.
    """
    run = placed.resolved.run
    kind = unit_kinds(run)
    by_range = (kind == Kind.PASSAGE) | (kind == Kind.POINT) | (kind == Kind.SPANS)
    start = np.where(by_range, placed.resolved.start, 0)
    end = np.where(by_range, placed.resolved.end, 0)
    unit = (kind, start, end, _units(placed))
    again = repeated_rows(topic, run.document_labels.keys(), *unit)
    if len(again):  # documents by their keys are almost surely told apart, by numbers surely
        again = repeated_rows(topic, run.document, *unit)
    if not len(again):
        return None
    is_repeat = np.zeros(len(run), dtype=np.bool_)
    is_repeat[again] = True
    return is_repeat


def about_repeats(count: int, line: int, policies: Collection[str]) -> str:
    """A warning about duplicates, by what measures do with them: drop, keep, or both.

    >>> about_repeats(1, 7, {"drop"})
    '1 duplicate was left out, the first on line 7'
    """
    if len(set(policies)) > 1:
        what = "1 duplicate counts" if count == 1 else f"{count:,} duplicates count"
        others = "is" if count == 1 else "are"
        return (
            f"{what} as read by measures of chunks and {others} left out by the others, the first "
            f"on line {line}; "
            + Parameter("duplicates", "keep")
            + " or drop treats all measures alike"
        )
    if "drop" in policies:
        what = "1 duplicate was" if count == 1 else f"{count:,} duplicates were"
        return f"{what} left out, the first on line {line}"
    what = "1 duplicate keeps its rank" if count == 1 else f"{count:,} duplicates keep their ranks"
    return f"{what} without gain, the first on line {line}"


def _units(placed: PlacedRun) -> Ints:
    """A number for each result's node, paths or ranges; for an unresolved result one of its own."""
    run, node = placed.resolved.run, placed.resolved.node
    if placed.in_collection:
        found = numbered_spans(run)
        found = np.where(node >= 0, -1 - node, found)
        trees = np.flatnonzero(run.kind == Kind.TREE)
        if len(trees):
            found[trees] = numbered_paths(run)[trees]
        found[placed.unresolved] = _FAR_BELOW - placed.unresolved
        return found
    if (run.path >= 0).any():
        return numbered_units(run)
    return numbered_spans(run)
