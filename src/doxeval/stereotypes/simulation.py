"""The run of a simulated system: a list for every topic of the assessments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.assessments import AssessmentsGiven, as_assessments
from doxeval.documents import Collection, DocumentWords
from doxeval.errors import DoxevalError, InputError, warn
from doxeval.messages import escape, join_names, quoted
from doxeval.named import checked
from doxeval.runs import METADATA, Kind, Result, Run, made_by_doxeval
from doxeval.stereotypes.lookup import as_system
from doxeval.stereotypes.systems import (
    SYSTEMS,
    RankedElements,
    Situation,
    System,
    Unit,
    relevant_units,
)


@checked
def simulate(
    assessments: AssessmentsGiven,
    collection: Collection | str | os.PathLike[str],
    system: str | System | Callable[[Situation], RankedElements],
    *,
    quant: str | None = None,
    seed: int = 1,
    max_results: int = 1500,
    run_id: str | None = None,
    unit: Unit = "words",
) -> Run:
    """Return the run of a simulated system that knows the assessments; see `SYSTEMS`.

    A system is given by name, also as FILE.py:NAME, or is a function of your own: from a
    `Situation` to `RankedElements`, called for each topic. A `System` with such a function may also
    return whole documents.
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
    >>> def forgetful(situation):
    ...     return situation.ideal.rows(slice(1, None))  # all but the best
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p><p>Ten.</p></s>"})
    >>> two = Assessments([Judgment("7", "a", ((0, 4), (8, 12)))])
    >>> [result.paths for result in simulate(two, collection, forgetful).results()]
    [('/s[1]/p[3]',)]
    """
    if seed < 0 or max_results < 1:
        raise InputError(
            f"seed is {seed} and max_results is {max_results}: expected 0 or more, and 1 or more"
        )
    simulated = as_system(system)
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
        lists[topic] = _listed(simulated, situation, topic).rows(slice(max_results))
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
    stage = {"name": "simulated", "method": simulated.name}
    params = {"quant": quant, "seed": seed, "max_results": max_results, "unit": unit}
    about = made_by_doxeval(
        description=f"simulated: {simulated.name}",
        method={"automatic": True, "retrieval": [{**stage, "params": params}]},
        data={"test collection": {"name": collection.name, "checksum": collection.checksum}},
    )
    made = Run.from_results(results, run_id or simulated.name)
    return replace(made, facts={METADATA: about}, warnings=tuple(warnings))


def _listed(system: System, situation: Situation, topic: str) -> RankedElements:
    """Return what a system returns for a topic; what a user's one returns is checked."""
    if SYSTEMS.get(system.name) is system:
        return system.listed(situation)
    try:
        given: Any = system.listed(situation)
    except DoxevalError:
        raise
    except Exception as error:  # a user's code raises anything
        raise InputError(
            f"the system {system.name} fails on topic {quoted(topic)}: {escape(repr(error))}"
        ) from error
    expected = "expected RankedElements: rows of elements, and as many scores"
    if not isinstance(given, tuple) or len(given) != 2:
        raise InputError(f"the system {system.name} returns {quoted(given)}: {expected}")
    try:
        node, score = np.asarray(given[0]), np.asarray(given[1], dtype=np.float64)
    except (TypeError, ValueError):
        node = score = np.zeros((0, 0))
    if node.ndim != 1 or node.shape != score.shape:
        raise InputError(f"the system {system.name} returns {quoted(given)}: {expected}")
    elements = len(situation.collection.nodes.path)
    is_known = np.issubdtype(node.dtype, np.integer) or not len(node)
    if not is_known or (len(node) and not 0 <= node.min() <= node.max() < elements):
        raise InputError(
            f"the system {system.name} returns {quoted(node.tolist())}: expected rows of elements "
            f"in the collection, from 0 to {elements - 1}"
        )
    if not np.isfinite(score).all():
        raise InputError(f"the system {system.name} returns scores that are not finite numbers")
    return RankedElements(node.astype(np.int64), score)


def _results(
    topic: str, ranked: RankedElements, kind: Kind, collection: Collection
) -> Iterator[Result]:
    documents = collection.documents_of(ranked.node).tolist()
    names = {document: collection.id_of(document) for document in set(documents)}
    rows = zip(documents, ranked.node.tolist(), ranked.score.tolist(), strict=True)
    for rank, (document, node, score) in enumerate(rows, 1):
        paths = () if kind is Kind.DOCUMENT else (collection.path_of(node),)
        yield Result(topic, names[document], kind, None, None, paths, rank, score)
