"""A drop-in for pytrec_eval: `RelevanceEvaluator` with the same arguments, keys and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from doxeval.compat.trec_eval import TrecEvalOptions, scores_of_run
from doxeval.compat.trec_input import qrels_of_dict, run_of_dict
from doxeval.compat.trec_measures import NICKNAMES, TREC_MEASURES, trec_lines
from doxeval.messages import quoted, truncate

_NAMES = {measure.name for measure in TREC_MEASURES if measure.name != "yaap"}
_NUMBERS = r"[0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*"
_WITH_PARAMETERS = re.compile(
    rf"({'|'.join(sorted(_NAMES, key=len, reverse=True))})[._]({_NUMBERS})"
)


class RelevanceEvaluator:
    """Scores runs against grades, as the class of the same name in pytrec_eval does.

    query_relevance: {topic: {document: grade}}. measures: names of trec_eval, such as map, P.5,10,
    P_5 or official; parameters of a measure that is named several times are put together.
    relevance_level: the lowest relevant grade. judged_docs_only_flag: leave out documents that were
    not judged.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}}
    >>> evaluator = RelevanceEvaluator(qrels, {"map", "ndcg_cut.2", "P_5"})
    >>> evaluator.evaluate({"q1": {"a": 0.9, "x": 0.5, "c": 0.1}})
    {'q1': {'map': 0.8333333333333333, 'P_5': 0.4, 'ndcg_cut_2': 0.38009376671593426}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if relevance_level < 1:
            raise TypeError(f"relevance_level is {relevance_level}: expected 1 or more")
        self._options = TrecEvalOptions(
            tuple(_combined(measures)),
            relevance_level=relevance_level,
            judged_only=judged_docs_only_flag,
        )
        self._lines = trec_lines(tuple(self._options.measures), relevance_level)
        self._qrels = qrels_of_dict(
            {topic: grades for topic, grades in query_relevance.items() if grades}
        )

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Score a run, {topic: {document: score}}; topics without grades are left out.

        >>> RelevanceEvaluator({"q1": {"a": 1}}, ["map"]).evaluate({"q2": {"a": 1.0}})
        {}
        """
        judged = self._qrels.truth.topic_numbers
        run = {topic: results for topic, results in scores.items() if topic in judged}
        if not run:
            return {}
        scored = scores_of_run(run_of_dict(run), self._qrels, self._lines, self._options)
        if scored.failure is not None:
            raise scored.failure
        rows = []
        for line, values in zip(self._lines, scored.values, strict=True):
            # What is no number of a topic is 0 there, and the number of topics 1.
            constant = {"run_id": 0.0, "topics": 1.0, "nothing": 0.0}.get(line.of.summary)
            label = line.of.name if line.of.as_given else line.label
            numbers = values.tolist() if constant is None else [constant] * len(scored.topics)
            rows.append((label, numbers))
        return {
            topic: {label: numbers[at] for label, numbers in rows}
            for at, topic in enumerate(scored.topics)
        }


def _combined(measures: Iterable[str]) -> list[str]:
    """Return names as trec_eval takes them, those of a measure put together.

    >>> _combined(["P_5", "P.10,20", "map"])
    ['P.10,20,5', 'map']
    """
    if isinstance(measures, str):
        raise ValueError(f"measures is {quoted(measures)}: expected several names, as in a set")
    parameters: dict[str, set[str]] = {}
    for name in measures:
        if name in NICKNAMES:
            for member in NICKNAMES[name]:
                parameters.setdefault(member, set())
        elif name in _NAMES:
            parameters.setdefault(name, set())
        else:
            match = _WITH_PARAMETERS.match(name)
            if match is None:
                raise ValueError(f"unsupported measure {truncate(name)}")
            parameters.setdefault(match[1], set()).update(match[2].split(","))
    return [
        f"{name}.{','.join(sorted(values))}" if values else name
        for name, values in parameters.items()
    ]
