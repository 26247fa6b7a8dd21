"""The run of a simulated system: a list for every topic of the assessments."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from doxeval.assessments import AssessmentsGiven, as_assessments
from doxeval.documents import Collection, DocumentWords
from doxeval.errors import InputError, warn
from doxeval.messages import join_names
from doxeval.named import checked
from doxeval.runs import Kind, Result, Run
from doxeval.stereotypes.systems import (
    RankedElements,
    Situation,
    Unit,
    relevant_units,
    system_named,
)


@checked
def simulate(
    assessments: AssessmentsGiven,
    collection: Collection | str | os.PathLike[str],
    system: str,
    *,
    quant: str | None = None,
    seed: int = 1,
    max_results: int = 1500,
    run_id: str | None = None,
    unit: Unit = "words",
) -> Run:
    """Return the run of a simulated system that knows the assessments; see `SYSTEMS`.

    Assessments are given as for `evaluate`, and the collection as a value or by its location.
    `quant` says how grades become numbers; by default it is spec for highlighted text, gen for
    grades of 2002–04 and gen5 for those of 2005. Lists end after `max_results` results. `seed` is
    that of random choices, which do not depend on other topics; `unit` says in which unit the
    sizes of children are counted.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.documents import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> assessments = Assessments([Judgment("7", "a", ((4, 8),))])
    >>> run = simulate(assessments, collection, "ancestors")
    >>> [(result.paths, result.score) for result in run.results()]
    [(('/s[1]',), 1.0), (('/s[1]/p[2]',), 1.0)]
    """
    if seed < 0 or max_results < 1:
        raise InputError(
            f"seed is {seed} and max_results is {max_results}: expected 0 or more, and 1 or more"
        )
    simulated = system_named(system)
    if not isinstance(collection, Collection):
        collection = Collection(collection)
    resolved = as_assessments(assessments, collection=collection)
    relevant = relevant_units(resolved, collection, quant)
    words = DocumentWords(collection)
    lists: dict[str, RankedElements] = {}
    for number, topic in enumerate(resolved.topics):
        ideal, innermost = (elements.best_first(number) for elements in relevant)
        chance = np.random.default_rng([seed, *topic.encode()])
        situation = Situation(collection, words, ideal, innermost, chance, max_results, unit)
        lists[topic] = simulated.listed(situation).rows(slice(max_results))
    results = (
        result
        for topic, ranked in lists.items()
        for result in _results(topic, ranked, simulated.kind, collection)
    )
    warnings = []
    if empty := [topic for topic, ranked in lists.items() if not len(ranked.node)]:
        names = join_names(empty)
        warnings.append(f"topics without relevant units, whose lists are empty: {names}")
    warn(warnings)
    return replace(Run.from_results(results, run_id or system), warnings=tuple(warnings))


def _results(
    topic: str, ranked: RankedElements, kind: Kind, collection: Collection
) -> Iterator[Result]:
    documents = collection.documents_of(ranked.node).tolist()
    names = {document: collection.id_of(document) for document in set(documents)}
    rows = zip(documents, ranked.node.tolist(), ranked.score.tolist(), strict=True)
    for rank, (document, node, score) in enumerate(rows, 1):
        paths = () if kind is Kind.DOCUMENT else (collection.path_of(node),)
        yield Result(topic, names[document], kind, None, None, paths, rank, score)
