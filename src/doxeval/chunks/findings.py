"""What follows from a study: a recommendation, means by group of questions, names for trackers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from doxeval.chunks.documents import Documents
from doxeval.chunks.evaluate import judgments_of
from doxeval.comparison import Comparison, mean_interval
from doxeval.errors import InputError
from doxeval.scores import (
    MeasureFacts,
    ScoreTable,
    ShownAsTable,
    TextTable,
    format_score,
    mean_of,
)

# Costs that differ by less are not worth a recommendation, scores that differ by more too much.
NOTABLE = 0.1


class Costs(NamedTuple):
    """What a choice costs: units read for a question, units and chunks in the index.

    >>> Costs(1000, 5000, 50).saved_by(Costs(700, 5000, 52))
    {'read': 0.3, 'indexed': 0.0, 'chunks': -0.04}
    """

    read: float
    indexed: float
    chunks: float

    def saved_by(self, other: Costs) -> dict[str, float]:
        """Return the share of each cost that another choice saves; negative if it costs more."""
        return {
            name: round(1 - theirs / mine, 9) if mine else 0.0
            for name, mine, theirs in zip(self._fields, self, other, strict=True)
        }


class Cheaper(NamedTuple):
    """A choice that is not shown to differ from the best, and which cost it saves, by what share.

    cost: "read", "indexed" or "chunks".
    """

    choice: str
    cost: str
    saved: float


def cheaper_choice(
    best: str,
    scores: Mapping[str, float | None],
    costs: Mapping[str, Costs],
    comparison: Comparison | None,
) -> Cheaper | None:
    """Return the choice that saves most among those not shown to differ from the best.

    Of the costs, reading counts most, then the size of the index, then the number of chunks. A
    choice that saves one of them, but has notably more of one that counts more, is no saving;
    neither is one that was not tested, or whose score is notably lower: few questions show little.

    >>> cheaper_choice("a", {"a": 0.5}, {"a": Costs(9, 9, 9)}, None)
    """
    candidates: list[tuple[str, dict[str, float]]] = []
    for pair in () if comparison is None else comparison.pairs:
        if best in (pair.first, pair.second) and pair.p is not None and not pair.significant:
            other = pair.second if pair.first == best else pair.first
            if (scores[other] or 0.0) > (1 - NOTABLE) * (scores[best] or 0.0):
                candidates.append((other, costs[best].saved_by(costs[other])))
    for cost in Costs._fields:
        notable = [Cheaper(name, cost, by[cost]) for name, by in candidates if by[cost] >= NOTABLE]
        if notable:
            return max(notable, key=lambda choice: choice.saved)
        candidates = [(name, by) for name, by in candidates if by[cost] > -NOTABLE]
    return None


# Means by group of questions


class GroupMean(NamedTuple):
    """The mean of a choice over the questions of a group, with its interval of 95 %."""

    group: str
    questions: int
    choice: str
    mean: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, repr=False)
class GroupMeans(ShownAsTable):
    """Means of one measure by group of questions, each with its count and interval.

    by: what groups are, such as "tag". A question may be in several groups. The intervals are each
    for itself. Groups are in the order of the questions, the choices of each best first.
    """

    by: str
    noun: str
    facts: MeasureFacts
    rows: tuple[GroupMean, ...]

    def as_table(self) -> TextTable:
        """Return the means as they are printed."""
        return TextTable(
            [self.by, "questions", self.noun, self.facts.label, "from", "to"],
            [
                [
                    row.group,
                    f"{row.questions:,}",
                    row.choice,
                    format_score(row.mean, ".3f"),
                    *(format_score(end, ".3f") for end in row.interval or (None, None)),
                ]
                for row in self.rows
            ],
            f"{self.facts.label} by {self.by}, with intervals of 95 %, each for itself",
            noun="row",
            left=(0, 2),
        )

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each group and choice."""
        from doxeval.runs import optional_module

        ends = [row.interval or (float("nan"),) * 2 for row in self.rows]
        return optional_module("pandas").DataFrame(
            [
                {
                    self.by: row.group,
                    self.noun: row.choice,
                    "measure": self.facts.label,
                    "questions": row.questions,
                    "mean": float("nan") if row.mean is None else row.mean,
                    "from": low,
                    "to": high,
                }
                for row, (low, high) in zip(self.rows, ends, strict=True)
            ]
        )


def questions_by_tag(gold: Any) -> dict[str, list[str]]:
    """Return the ids of questions by tag; an error if they have none.

    >>> from doxeval.chunks.questions import Question, Questions
    >>> questions_by_tag(Questions((Question("1", "Who is four?", tags=("names",)),)))
    {'names': ['1']}
    """
    groups: dict[str, list[str]] = {}
    for question, tags in getattr(gold, "tags", {}).items():
        for tag in tags:
            groups.setdefault(tag, []).append(question)
    if not groups:
        raise InputError("the questions have no tags")
    return groups


def questions_by_type(gold: Any, docs: Documents | None) -> dict[str, list[str]]:
    """Return the ids of questions by the types of the documents in which their gold stands.

    >>> from doxeval.assessments import Assessments
    >>> gold = Assessments.from_dict({"1": {"a": [(0, 3)], "b": [(0, 3)]}})
    >>> questions_by_type(gold, Documents([("a", "One."), ("b", "Two.")], types={"b": "manual"}))
    {'manual': ['1']}
    """
    types = {} if docs is None else docs.types
    columns = judgments_of(gold).columns
    pairs = zip(
        columns.topic[columns.is_relevant].tolist(),
        columns.document[columns.is_relevant].tolist(),
        strict=True,
    )
    groups: dict[str, dict[str, None]] = {}
    for topic, document in pairs:
        kind = types.get(columns.documents[document])
        if kind is not None:
            groups.setdefault(kind, {})[columns.topics[topic]] = None
    if not groups:
        raise InputError("the types of the documents are not known")
    return {kind: [*topics] for kind, topics in groups.items()}


def group_means(
    table: ScoreTable, measure: object, groups: Mapping[str, Iterable[str]], by: str, noun: str
) -> GroupMeans:
    """Return the means of all runs over groups of topics: those where the measure is defined.

    >>> from doxeval.scores import RunScores
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> means = group_means(ScoreTable((facts,), ("7", "8"), runs), "P", {"x": ["8"]}, "tag", "run")
    >>> means.rows
    (GroupMean(group='x', questions=1, choice='mine', mean=0.25, interval=None),)
    """
    at = table.index_of_measure(measure)
    facts, rows = table.measures[at], list[GroupMean]()
    sign = 1 if facts.higher_is_better else -1
    for group, topics in groups.items():
        inside = set(topics)
        chosen = np.array([topic in inside for topic in table.topic_ids], dtype=np.bool_)
        of_group = []
        for run in table.runs:
            values = np.asarray(run.values[at], dtype=np.float64)[chosen]
            values = values[~np.isnan(values)]
            mean, interval = mean_of(values), mean_interval(values, facts)
            of_group.append(GroupMean(group, len(values), run.run, mean, interval))
        of_group.sort(key=lambda row: (row.mean is None, -sign * (row.mean or 0)))
        rows += of_group
    return GroupMeans(by, noun, facts, tuple(rows))


# Names for trackers of experiments


def metric_names(labels: Sequence[str], choices: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return a name for each measure and choice in which MLflow and Weights & Biases agree.

    They have letters, digits and `_.-`, and a slash between measure and choice. Names that become
    the same are numbered.

    >>> list(metric_names(["bR@1000"], ["words:200:50", "words 200 50"]).values())
    ['bR_1000/words-200-50', 'bR_1000/words-200-50-2']
    """
    measures, runs = _numbered(labels, "_"), _numbered(choices, "-")
    return {(label, run): f"{measures[label]}/{runs[run]}" for run in runs for label in measures}


def _numbered(names: Sequence[str], filler: str) -> dict[str, str]:
    """Return plain names, of which no two are the same even where case does not count."""
    made, taken = dict[str, str](), set[str]()
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_.-]+", filler, name).strip("._-") or "x"
        number, new = 1, plain
        while new.lower() in taken:
            number += 1
            new = f"{plain}-{number}"
        taken.add(new.lower())
        made[name] = new
    return made
