"""AutoRAG: ids of chunks as AND of OR, and the corpus that says where these chunks stand.

    qa.parquet      {"qid", "query", "retrieval_gt": [[ids], …]}
    corpus.parquet  {"doc_id", "contents", "path", "start_end_idx": [first, last], "metadata"}

Each list of `retrieval_gt` is a need, and any of its chunks answers it. With the corpus, which a
folder has beside the questions, chunks are ranges of the documents that they were cut from, and
gold holds for every other cut. Without it, the ids are those of documents.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import needed_text, text
from doxeval.chunks.loading import Loaded, frame_records, is_frame, load
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion
from doxeval.messages import quoted

_QA, _CORPUS = "qa.parquet", "corpus.parquet"


@dataclass(frozen=True)
class QaWithCorpus:
    """Questions, and the chunks that their ids name."""

    qa: Loaded
    corpus: Any


def is_autorag_folder(path: str) -> bool:
    """Whether a folder holds the questions of AutoRAG together with their corpus."""
    return all(os.path.exists(os.path.join(path, name)) for name in (_QA, _CORPUS))


def autorag_folder(path: str) -> QaWithCorpus:
    """The questions and the corpus of a folder."""
    return autorag_parts({"qa": os.path.join(path, _QA), "corpus": os.path.join(path, _CORPUS)})


def autorag_parts(files: Mapping[str, Any]) -> QaWithCorpus:
    """The same from a file or data frame each: qa and corpus."""
    qa = files["qa"]
    return QaWithCorpus(Loaded(frame_records(qa)) if is_frame(qa) else load(qa), files["corpus"])


def _is_alone(value: Any) -> bool:
    return {"query", "retrieval_gt"} <= first_record(value).keys()


def _is_with_corpus(value: Any) -> bool:
    return isinstance(value, QaWithCorpus)


def _stated_alone(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    ids = [name for own in _needed(loaded) for need in own for name in need]
    if ids and not any(docs.find(name) for name in ids):
        raise loaded.wrong(
            f"{quoted(ids[0])} and all other ids of retrieval_gt are no documents here: "
            "if they are "
            f"chunks, a folder with {_QA} and {_CORPUS} says where these stand"
        )
    return _asked(loaded, lambda name: Stated(name, is_whole=True))


def _stated_with_corpus(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    from doxeval.chunks.locating_chunks import locate

    given: QaWithCorpus = loaded.value
    if not _is_alone(given.qa.value):
        raise given.qa.wrong("expected questions with query and retrieval_gt")
    ids = [name for own in _needed(given.qa) for need in own for name in need]
    chunks = locate(docs, given.corpus, max_lost="100%")
    if ids and all(chunks.find(name) < 0 for name in ids):
        raise given.qa.wrong(
            f"{quoted(ids[0])} and all other ids of retrieval_gt are not in the corpus, "
            "where every "
            "chunk has a doc_id of its own"
        )
    ranges = chunks.spans.as_tuples()
    return _asked(given.qa, lambda name: _piece(chunks, ranges, name))


def _piece(chunks: Chunks, ranges: Sequence[Sequence[tuple[int, int]]], name: str) -> Stated:
    """The range of a chunk; of one that is lost its text, and of an unknown one its id."""
    row = chunks.find(name)
    if row < 0:
        return Stated(name, is_whole=True)
    spans = ranges[row]
    if not spans:
        return Stated(None, chunks.text(row))
    document = chunks.documents[int(chunks.document[row])]
    start, end = spans[0][0], spans[-1][1]
    return Stated(document, chunks.known_docs[document][start:end], start, end)


def _needed(loaded: Loaded) -> Iterator[list[list[str]]]:
    """The ids of each question: a list for each need."""
    for row, record in enumerate(loaded.records()):
        given = record.get("retrieval_gt")
        if not isinstance(given, list):
            raise loaded.wrong(f"retrieval_gt is {quoted(given)}: expected lists of ids", row)
        lists = [one if isinstance(one, list) else [one] for one in given]
        yield [[str(name) for name in own if name] for own in lists if any(own)]


def _asked(loaded: Loaded, piece: Callable[[str], Stated]) -> Iterator[StatedQuestion]:
    """The questions; `piece` says what an id stands for."""
    for row, (record, needed) in enumerate(zip(loaded.records(), _needed(loaded), strict=True)):
        needs = tuple(StatedNeed(tuple(map(piece, own))) for own in needed)
        question = needed_text(loaded, row, record, "query")
        yield StatedQuestion(text(record, "qid", "id") or str(row + 1), question, needs)


FORMATS = (
    GoldFormat("AutoRAG", "query and retrieval_gt", _is_alone, _stated_alone),
    GoldFormat(
        "AutoRAG with its corpus",
        f"a folder with {_QA} and {_CORPUS}",
        _is_with_corpus,
        _stated_with_corpus,
    ),
)
