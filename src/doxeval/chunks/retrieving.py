"""Runs from any retriever: a function, or an object of another library, asked question by question.

What it returns is known as a chunk by its id, by its place, or by its text.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.dataset import Dataset
from doxeval.chunks.progress import progress_bar
from doxeval.chunks.returned_items import Items
from doxeval.chunks.transforms import ChunkRun
from doxeval.errors import DoxevalError, InputError, warn
from doxeval.messages import escape, join_names, quoted
from doxeval.named import checked
from doxeval.runs import Result, Run

_METHODS = ("invoke", "retrieve", "get_relevant_documents", "search")
_ASYNC_METHODS = ("ainvoke", "aretrieve")


@checked
def retrieve(
    retriever: Any,
    gold: Any,
    chunks: Chunks,
    k: int = 50,
    workers: int = 1,
    *,
    run_id: str = "retriever",
    progress: bool | None = None,
) -> ChunkRun:
    """Ask a retriever every question; a run of what it returns.

    The retriever is a function from a question to results, which may be async, or an object with
    `invoke` (LangChain), `retrieve` (LlamaIndex) or `search`. A result is the id of a chunk, its
    text, (document, start, end), a dict, or an object of LangChain, LlamaIndex, Haystack or
    Chonkie; a pair of one of these and a number is a result with its score. Of more than `k`
    results the first count. With `workers`, so many questions are asked at once.

    Results that are no chunks of these are located in the documents. So are those that have the id
    of a chunk and another text, as compressors return them: the text is what is read. Of sentence
    windows of LlamaIndex the window is. Those that cannot be found count as read and not relevant.
    There are warnings of all of these.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "Fog on the sea. A horn is heard."})
    >>> cut = chunks.split(docs, "sentences:1:0")
    >>> run = chunks.retrieve(lambda question: ["A horn is heard."], {"7": "What?"}, cut)
    >>> [(result.document, result.start, result.end) for result in run]
    [('a', 16, 32)]
    """
    if k < 1 or workers < 1:
        name, value = ("k", k) if k < 1 else ("workers", workers)
        raise InputError(f"{name} is {value}: expected 1 or more")
    # Only the texts of the questions are needed, wherever their gold stands.
    dataset = Dataset(chunks.known_docs, gold, max_lost="100%")
    questions = dataset.questions
    with progress_bar("Retrieving", len(questions), progress) as done:
        answers = _answers(retriever, questions, workers, done)
    run = run_of_answers(dict(zip(questions, answers, strict=True)), chunks, k, run_id)
    run = replace(run, warnings=(*dataset.warnings, *run.warnings))
    warn(run.warnings)
    return run


def run_of_answers(
    answers: Mapping[str, Sequence[Any]], chunks: Chunks, k: int, run_id: str
) -> ChunkRun:
    """A run of what was returned for each question."""
    items = Items(chunks)
    items.look_up(answers.values(), k)
    results: list[Result] = []
    for topic, answer in answers.items():
        results += items.results(topic, answer, k)
    run = Run.from_results(results, escape(run_id))
    empty = [topic for topic, answer in answers.items() if not answer]
    about = [f"questions for which nothing was returned: {join_names(empty)}"] if empty else []
    run = replace(run, warnings=(*run.warnings, *about, *items.warnings()))
    return ChunkRun.of(run, chunks)


def _answers(
    retriever: Any, questions: Mapping[str, str], workers: int, done: Callable[[int], object]
) -> list[list[Any]]:
    ask = _asking(retriever)
    if _is_async(retriever, ask):
        gathered: list[list[Any]] = _run_async(_gathered(ask, questions, workers, done))
        return gathered

    def answer(topic: str, question: str) -> list[Any]:
        found = _asked(lambda: ask(question), topic)
        if inspect.isawaitable(found):  # a plain function that gives a coroutine
            found = _run_async(_awaited(found, topic))
        done(1)
        return _listed(found, topic)

    if workers == 1:
        return [answer(topic, question) for topic, question in questions.items()]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(answer, questions.keys(), questions.values()))


def _asking(retriever: Any) -> Callable[[str], Any]:
    ways = [
        *(getattr(retriever, name, None) for name in _METHODS),
        retriever,
        *(getattr(retriever, name, None) for name in _ASYNC_METHODS),
    ]
    for way in ways:
        if callable(way):
            ask: Callable[[str], Any] = way
            return ask
    raise InputError(
        f"{quoted(retriever)} is no retriever: expected a function from a question to results, or "
        f"an object with one of {', '.join(_METHODS)}"
    )


def _is_async(retriever: Any, ask: Callable[[str], Any]) -> bool:
    call = getattr(retriever, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(ask) or (
        ask is retriever and inspect.iscoroutinefunction(call)
    )


async def _gathered(
    ask: Callable[[str], Any],
    questions: Mapping[str, str],
    workers: int,
    done: Callable[[int], object],
) -> list[list[Any]]:
    free = asyncio.Semaphore(workers)

    async def answer(topic: str, question: str) -> list[Any]:
        async with free:
            found = await _awaited(ask(question), topic)
        done(1)
        return _listed(found, topic)

    return list(await asyncio.gather(*(answer(*one) for one in questions.items())))


async def _awaited(found: Any, topic: str) -> Any:
    try:
        return await found
    except DoxevalError:
        raise
    except Exception as error:  # a retriever of somebody else raises anything
        raise _failed(topic, error) from error


def _run_async(work: Any) -> Any:
    """The result of a coroutine; in a notebook, whose loop is running already, in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _asked(ask: Callable[[], Any], topic: str) -> Any:
    try:
        return ask()
    except DoxevalError:
        raise
    except Exception as error:  # a retriever of somebody else raises anything
        raise _failed(topic, error) from error


def _failed(topic: str, error: Exception) -> InputError:
    return InputError(f"the retriever fails on question {quoted(topic)}: {escape(repr(error))}")


def _listed(found: Any, topic: str) -> list[Any]:
    if found is None:
        return []
    if isinstance(found, Mapping) and isinstance(found.get("documents"), Iterable):
        found = found["documents"]  # Haystack
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise InputError(
            f"the retriever gives {quoted(found)} for question {quoted(topic)}: expected a list of "
            "results"
        )
    return list(found)
