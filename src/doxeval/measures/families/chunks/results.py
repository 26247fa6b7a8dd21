"""Results as units: which of them show a need by themselves, and which chunks there are that do.

A result is relevant if it alone shows at least `cover` of some alternative of a need; its grade is
the highest of the grades of these needs. A result that was returned before is not relevant again.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.measures.caching import once
from doxeval.measures.families.chunks.ideal import known_chunks, parts_of_chunks
from doxeval.measures.families.chunks.needs import enough_characters, shown_alone
from doxeval.measures.graded_ranking import GradedRanking
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking


@once
def graded_results(
    ranking: Ranking, cover: float, is_binary: bool, of_chunks: bool
) -> GradedRanking:
    """Return the results of a run with the grades of the needs that they show, 0 for none.

    is_binary: all grades are 1. of_chunks: what could be returned are all relevant chunks; else
    only the needs are known.
    """
    truth = ranking.truth.without_whitespace
    grade = _grades(ranking.without_whitespace, cover)
    if of_chunks:
        topic, judged = _relevant_chunks(truth, cover)
    else:
        topic, judged = truth.needs.topic, truth.needs.grade
    order = np.lexsort((-judged, topic))
    if is_binary:
        grade, judged = (grade > 0).astype(np.int64), np.ones(len(judged), dtype=np.int64)
    return GradedRanking(
        ranking=ranking,
        grade=grade,
        judged=judged[order],
        judged_begin=np.searchsorted(topic[order], np.arange(len(truth.topics) + 1)),
    )


def _grades(ranking: Ranking, cover: float) -> Floats:
    needs = ranking.truth.needs
    shown = shown_alone(ranking)
    is_enough = shown.characters >= enough_characters(needs, cover)[shown.alternative]
    grade = np.zeros(len(ranking))
    need = needs.owner[shown.alternative[is_enough]]
    np.maximum.at(grade, shown.row[is_enough], needs.grade[need])
    return grade if ranking.is_repeat is None else np.where(ranking.is_repeat, 0.0, grade)


@once
def _relevant_chunks(truth: GroundTruth, cover: float) -> tuple[Ints, Floats]:
    """Return the topic and the grade of each relevant chunk; equal chunks are one."""
    needs = truth.needs
    enough = enough_characters(needs, cover)
    owner, chunks = needs.owner, known_chunks(truth)
    spans = chunks.spans
    topics: list[int] = []
    grades: list[float] = []
    for topic, by_chunk in enumerate(parts_of_chunks(truth)):
        distinct: dict[object, float] = {}
        for chunk, parts in by_chunk.items():
            shown: Counter[int] = Counter()  # characters of each alternative
            for alternative, start, end in parts:
                shown[alternative] += end - start
            answered = [at for at, characters in shown.items() if characters >= enough[at]]
            if answered:
                first, last = spans.begin[chunk], spans.begin[chunk + 1]
                place = (spans.start[first:last].tobytes(), spans.end[first:last].tobytes())
                grade = float(needs.grade[owner[answered]].max())
                distinct[int(chunks.document[chunk]), *place] = grade
        topics += [topic] * len(distinct)
        grades += distinct.values()
    return np.array(topics, dtype=np.int64), np.array(grades, dtype=np.float64)
