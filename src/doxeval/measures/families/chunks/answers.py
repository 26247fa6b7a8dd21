"""Answers as strings, and questions without an answer: what can be said without any place.

An answer stands in a text if its tokens follow each other there, as in DPR's `has_answer`. Texts
are taken in canonical decomposition (NFD) and lower case; a token is a run of letters, digits and
combining marks, or any other single character that is neither white space nor a control character.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Example, Facts, Law, Measure, Need, cut_off
from doxeval.measures.caching import once
from doxeval.measures.families.chunks.text import TextMeasure, unit_parameter
from doxeval.measures.ranking import Ranking
from doxeval.measures.reading_cost import Unit, costs

# So many texts of this length are kept as tokens: chunks are returned again and again.
_MOST_TEXTS, _LONGEST_TEXT = 1 << 14, 1 << 12
_DOCUMENTS = {"terms": "<p>Unused goods may be returned within thirty (30) days.</p>"}
_JUDGED = '{"topic": "7", "answers": ["30 days", "Thirty days"]}\n'
_UNANSWERABLE = '{"topic": "8", "answerable": false}\n'
_RUN = "7 Q0 terms 1 2 run 0 28\n7 Q0 terms 2 1 run 29 24\n"
_WHY_NONE = "A question is undefined unless it is stated that no document answers it. "


@dataclass(frozen=True)
class AnswerAtRank(Measure):
    """Whether one of the answers of a question stands, word for word, in the first k results.

    For questions whose answers are known as strings but not where they stand. It is weaker than
    what measures of needs say: a short answer such as "30" or "no" occurs by chance in text that
    answers nothing, and text that answers in other words does not count.
    """

    name: ClassVar[str] = "ans"
    facts: ClassVar[Facts] = Facts(
        "whether an answer occurs as a string",
        "Karpukhin et al. 2020",
        "ans@k = 1 if the tokens of an answer follow each other in one of the first k results, "
        "else 0",
        frozenset({Need.ANSWERS, Need.RETRIEVED_TEXT}),
        "A topic without answers as strings is undefined; an empty list scores 0. Text in NFD and "
        "lower case; tokens are runs of letters, digits and marks, and other single characters "
        "but white space and controls. Each span of a result counts by itself; text that is in "
        "no document shows nothing. Short answers occur by chance: `hit` says more.",
        Example(
            "ans@2",
            0.0,
            '"thirty (30) days" has marks between its words, and the second result begins with '
            '"within thirty (30) days.": neither answer stands there word for word.',
            _JUDGED,
            _RUN,
            _DOCUMENTS,
        ),
        laws=frozenset({Law.GROWS_WITH_K}),
        repeats="keep",
    )
    k: int = cut_off(5)

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 if an answer stands in the first k results."""
        truth = ranking.truth
        scores = truth.nothing()
        first = rank_of_string(ranking)
        for topic in ranking.topics.tolist():
            answer = truth.assessments.answers.get(truth.topics[topic])
            if answer is not None and answer.texts:
                scores[topic] = float(first.get(topic, self.k + 1) <= self.k)
        return scores


@dataclass(frozen=True)
class NothingReturned(Measure):
    """Whether nothing is returned for a question that no document answers."""

    name: ClassVar[str] = "none"
    facts: ClassVar[Facts] = Facts(
        "whether nothing is returned where nothing answers",
        "Rajpurkar, Jia and Liang 2018",
        "none@k = 1 if the first k results are none, else 0",
        frozenset({Need.UNANSWERABLE}),
        _WHY_NONE + "An empty list scores 1, whatever k is. A system that always returns something "
        "scores 0, unless results below a score are not returned (--min-score).",
        Example(
            "none@5",
            1.0,
            "Question 8 has no answer, and nothing is returned for it.",
            _UNANSWERABLE,
            _RUN,
            _DOCUMENTS,
        ),
        repeats="keep",
    )
    k: int = cut_off(5)

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 where nothing is returned."""
        is_empty = ranking.counts == 0
        return np.where(ranking.truth.is_unanswerable, is_empty.astype(np.float64), np.nan)


@dataclass(frozen=True)
class ReadInVain(TextMeasure):
    """How much is read, up to a budget, for a question that no document answers."""

    name: ClassVar[str] = "vain"
    facts: ClassVar[Facts] = Facts(
        "units read in vain, up to a budget",
        "Rajpurkar, Jia and Liang 2018",
        "vain@B = min(B, Σ size(e_i)) over all results",
        frozenset({Need.UNANSWERABLE, Need.RETRIEVED_TEXT}),
        _WHY_NONE + "An empty list costs nothing. Stated tokens come before a tokeniser's.",
        Example(
            "vain@50(unit=characters)",
            50,
            "Question 8 has no answer. Of 28 + 24 characters that are returned 50 fit the budget.",
            _UNANSWERABLE,
            _RUN.replace("7 Q0", "8 Q0"),
            _DOCUMENTS,
        ),
        highest=None,
        higher_is_better=False,
        laws=frozenset({Law.GROWS_WITH_K}),
        repeats="keep",
    )
    B: int = cut_off(1000, "the budget: how many units are read at most")
    unit: Unit = unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return what is read up to the budget."""
        read = ranking.sums(costs(ranking, self.unit, "full"))
        return np.where(ranking.truth.is_unanswerable, np.minimum(read, self.B), np.nan)


# Where answers stand


@once
def rank_of_string(ranking: Ranking) -> dict[int, int]:
    """Return the first rank at which a topic's answer stands in the text of a result."""
    truth = ranking.truth
    texts, row, text = truth.known_texts, *ranking.text_of(np.arange(len(ranking)), ranking.topic)
    answers = {
        topic: [
            tokens
            for answer in truth.assessments.answers[truth.topics[topic]].texts
            if (tokens := as_tokens(answer)).strip()
        ]
        for topic in ranking.topics.tolist()
        if truth.topics[topic] in truth.assessments.answers
    }
    is_open = np.isin(text.group, list(answers))
    first: dict[int, int] = {}
    columns = (row, text.group, text.start, text.end)
    for result, topic, start, end in zip(
        *(column[is_open].tolist() for column in columns), strict=True
    ):
        if topic in first or not answers[topic]:
            continue
        document = ranking.document_names[int(ranking.document[result])]
        whole = texts.find(document)
        if whole is None or start == end:
            continue
        if truth.ignore_whitespace:
            edges = np.array([start, end - 1])  # of its first and its last character
            start, end = (texts.non_space(document).at(edges) + np.array([0, 1])).tolist()
        tokens = as_tokens(whole[start:end])
        if any(answer in tokens for answer in answers[topic]):
            first[topic] = int(ranking.rank[result])
    return first


class _CharacterTokens(dict[int, str]):
    """What each code point becomes: itself within a token, a token of its own, or a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)[0]
        kept = character if category in "LNM" else " " if category in "ZC" else f" {character} "
        self[code] = kept
        return kept


_TABLE = _CharacterTokens()


def as_tokens(text: str) -> str:
    """Return the tokens of a text in lower case, a space around each.

    >>> as_tokens("Thirty (30) days."), as_tokens(" \\n")
    (' thirty ( 30 ) days . ', '  ')
    """
    return _kept_tokens(text) if len(text) <= _LONGEST_TEXT else _tokens(text)


def _tokens(text: str) -> str:
    tokens = unicodedata.normalize("NFD", text).translate(_TABLE).split()
    return f" {' '.join(tokens).lower()} "


_kept_tokens = lru_cache(maxsize=_MOST_TEXTS)(_tokens)
