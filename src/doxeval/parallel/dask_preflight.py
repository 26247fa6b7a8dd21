"""Whether the workers of a cluster of dask can do the work, asked before it begins."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

from doxeval.errors import EngineError
from doxeval.parallel.dask_calls import Call, pickled
from doxeval.parallel.dask_cluster import Cluster, is_lost, worker_name
from doxeval.parallel.preflight import ASKED, in_words, own_versions, problems_here
from doxeval.parallel.shared import Shared


def preflight(cluster: Cluster, check: Shared | None) -> int:
    """Refuse workers that cannot do the work; returns the number of their threads."""
    workers = cluster.awaited_workers()
    if not _all_fit(cluster, check):
        problems = _problems(cluster, workers, check)
        if problems:
            raise EngineError(f"{cluster.shown}: {in_words(problems, len(workers))}")
    return sum(int(facts.get("nthreads", 1)) for facts in workers.values())


def _all_fit(cluster: Cluster, check: Shared | None) -> bool:
    """Whether all workers answer one question, about versions and the check, as they should."""
    asked = [Call(ask.function, *ask.arguments) for ask in ASKED]
    if check is not None:
        asked.append(Call(problems_here, check))
    expected = [*own_versions(), *([()] if check is not None else [])]
    call, buffers = pickled(asked, check)
    answers = cluster.asked(pickle.loads, call, buffers=buffers)
    return all(answer == expected for answer in answers.values() if not is_lost(answer))


def _problems(
    cluster: Cluster, workers: dict[str, Any], check: Shared | None
) -> dict[str, list[str]]:
    """What is wrong with each worker, by its name."""
    names = {address: worker_name(address, facts) for address, facts in workers.items()}
    problems: dict[str, list[str]] = {}

    def add(address: str, found: Iterable[str]) -> None:
        problems.setdefault(names.get(address) or worker_name(address, {}), []).extend(found)

    for ask, here in zip(ASKED, own_versions(), strict=True):
        for address, answer in cluster.asked(ask.function, *ask.arguments).items():
            problem = None if is_lost(answer) else ask.problem(answer, here)
            if problem is not None:
                add(address, [problem])
    fit = [address for address, name in names.items() if name not in problems]
    if check is None or not fit:
        return problems
    call, buffers = pickled(Call(problems_here, check), check)
    for address, answer in cluster.asked(pickle.loads, call, buffers=buffers, workers=fit).items():
        if isinstance(answer, Exception):
            answer = () if is_lost(answer) else [f"{type(answer).__name__}: {answer}"]
        if answer:
            add(address, answer)
    return problems
