"""Runs as ranx saves them: JSON of the score of each document, by topic.

    {"7": {"a": 0.9, "b": 0.5}, "8": {"c": 1.2}}

Results are whole documents, ranked by falling score wherever they are in the file; tied documents
are in the order of the file. They get the ranks 1, 2, 3, … of their topic. A topic without
documents is not part of the run, which has the name of its file. A topic, or a document of a topic,
that is given twice is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns import nested_numbers
from doxeval.files import read_whole
from doxeval.runs.msmarco import document_losses
from doxeval.runs.parquet import LARGEST_FILE
from doxeval.runs.records import Records, record_blocks
from doxeval.runs.run import Block, ReadOptions, Run

_ROWS = 2048  # of as many topics as it takes, checked at a time
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def ranx_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run in blocks of whole topics.

    >>> import io
    >>> file = io.BytesIO(b'{"7": {"a": 0.2, "b": 0.9}}')
    >>> [result.document for result in next(ranx_blocks(file, "r.json", ReadOptions())).run]
    ['b', 'a']
    """
    return record_blocks(_records(file, origin), origin, options)


def _records(file: IO[bytes], origin: str) -> Iterator[Records]:
    """Yield the results of some topics at a time, as columns by field."""
    topics: list[str] = []
    documents: list[str] = []
    scores: list[Any] = []
    ranks: list[Ints] = []
    lines: list[Ints] = []

    def records() -> Records:
        columns = {
            "topic": topics,
            "doc": documents,
            "rank": np.concatenate(ranks),
            "score": np.concatenate(scores),
        }
        return columns, np.concatenate(lines)

    data = read_whole(file, origin, LARGEST_FILE)
    for topic, _, names, values, numbers in nested_numbers(data, origin, float):
        score = np.array(values, dtype=np.float64)
        order = np.argsort(-score, kind="stable")
        topics += [topic] * len(names)
        documents += [names[at] for at in order.tolist()]
        scores.append(score[order])
        ranks.append(np.arange(1, len(names) + 1))
        lines.append(numbers[order])
        if len(topics) >= _ROWS:
            yield records()
            topics, documents, scores, ranks, lines = [], [], [], [], []
    if topics:
        yield records()


def write_ranx_run(run: Run) -> Iterator[bytes]:
    """Yield the run, a document on each line; without scores a document gets 1 / rank.

    >>> print(b"".join(write_ranx_run(Run.from_dict({"7": {"a": 0.2, "b": 0.9}}))).decode())
    {
      "7": {
        "b": 0.9,
        "a": 0.2
      }
    }
    <BLANKLINE>
    """
    before = b"{\n"
    for topic, scores in run.to_dict().items():
        listed = ",\n".join(
            f"    {_ENCODER.encode(document)}: {score!r}" for document, score in scores.items()
        )
        yield before + f"  {_ENCODER.encode(topic)}: {{\n{listed}\n  }}".encode()
        before = b",\n"
    yield b"\n}\n"


def ranx_losses(run: Run) -> list[str]:
    """Return what of a run cannot be written; ranks are left out.

    >>> from doxeval.runs.columns import Result
    >>> ranx_losses(Run.from_results([Result("7", "a", score=0.1), Result("7", "b", score=0.2)]))
    ['an order that is not that of the scores']
    """
    problems = document_losses(run)
    pairs = run.topic * max(len(run.documents), 1) + run.document
    if len(np.unique(pairs)) < len(pairs):
        problems.append("documents that are there twice for a topic")
    if run.score is not None:
        if not np.isfinite(run.score).all():
            problems.append("scores that are no numbers")
        else:
            in_order = np.argsort(run.topic, kind="stable")  # those of a topic together
            if not np.array_equal(np.lexsort((-run.score, run.topic)), in_order):
                problems.append("an order that is not that of the scores")
    return problems
