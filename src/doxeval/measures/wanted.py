"""How much each piece of relevant text is worth, by the needs that it answers.

A character of a need with one range is worth the need's grade, divided by the highest grade of the
topic; text that several such needs share counts once, by the highest grade. A need with
alternatives is worth its grade times the length of its shortest alternative; it is answered as far
as the alternative of which the largest share is shown. If every need has one range and all weigh
the same, what is wanted is just the highlighted text, counted in whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats, Ints
from doxeval.assessments import Needs
from doxeval.spans import Spans

Numbers = npt.NDArray[Any]


class Wanted(NamedTuple):
    """What is wanted: text that is worth something by itself, and needs with alternatives.

    text, worth: disjoint ranges by judged pair, and what a character there is worth.
    several: the needs with alternatives. weight: what each need is worth as a whole (of those with
    alternatives). total: what all is worth, by topic. is_plain: everything is worth 1.
    """

    text: Spans
    worth: Floats
    several: Ints
    weight: Floats
    total: Numbers
    is_plain: bool


def wanted_of(needs: Needs, highlights: Spans, highlighted: Ints, topics: int) -> Wanted:
    """What needs want; `highlighted` is the number of highlighted characters of each topic."""
    highest = np.zeros(topics)
    np.maximum.at(highest, needs.topic, needs.grade)
    relative = needs.grade / highest[needs.topic]
    several = np.flatnonzero(needs.has_alternatives)
    if not len(several) and (relative == 1).all():
        ones = np.ones(len(highlights.group))
        return Wanted(highlights, ones, several, np.zeros(0), highlighted, True)
    single = needs.begin[np.flatnonzero(~needs.has_alternatives)]
    spans = Spans(needs.pair[single], needs.start[single], needs.end[single])
    text, worth = _disjoint(spans, relative[~needs.has_alternatives])
    total = np.zeros(topics)
    topic_of_pair = np.zeros(int(needs.pair.max(initial=-1)) + 1, dtype=np.int64)
    topic_of_pair[needs.pair] = needs.topic[needs.owner]
    np.add.at(total, topic_of_pair[text.group], worth * text.lengths())
    shortest = needs.begin[several]
    weight = relative[several] * (needs.end[shortest] - needs.start[shortest])
    np.add.at(total, needs.topic[several], weight)
    return Wanted(text, worth, several, weight, total, False)


def _disjoint(spans: Spans, worth: Floats) -> tuple[Spans, Floats]:
    """The ranges cut at each other's edges, each piece with the highest worth there."""
    found = list(_pieces(spans, worth))
    columns = np.array([piece[:3] for piece in found], dtype=np.int64).reshape(-1, 3).T
    return Spans(*columns), np.array([piece[3] for piece in found], dtype=np.float64)


def _pieces(spans: Spans, worth: Floats) -> Iterator[tuple[int, int, int, float]]:
    for group in np.unique(spans.group).tolist():
        own = np.flatnonzero(spans.group == group)
        start, end, value = spans.start[own], spans.end[own], worth[own]
        for begin, after in pairwise(np.unique(np.concatenate([start, end])).tolist()):
            covering = (start <= begin) & (end >= after)
            if covering.any():
                yield group, begin, after, float(value[covering].max())
