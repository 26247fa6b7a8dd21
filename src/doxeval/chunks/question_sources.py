"""Questions with gold, from any of the formats in which people keep them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from doxeval.assessments import Assessments
from doxeval.chunks.document_set import Documents
from doxeval.chunks.document_sources import documents, warnings_about
from doxeval.chunks.finding import Copies, find_gold
from doxeval.chunks.formats import gold_formats
from doxeval.chunks.formats.own import judged_questions
from doxeval.chunks.judged_parts import judged_folder, judged_parts
from doxeval.chunks.loading import Loaded, loaded_from, plain
from doxeval.chunks.question_set import Questions
from doxeval.errors import warn
from doxeval.messages import quoted
from doxeval.named import checked


@checked
def questions(
    source: Any, docs: Any, copies: Copies = "same", max_lost: int | str = 0
) -> Questions:
    """Return questions with what they need: any of some ranges of text for each need.

    The format is known by the fields of the records: doxeval's own, chunking_evaluation,
    LegalBench-RAG, HiCBench, ragas, SQuAD, QASPER, HotpotQA, 2WikiMultihopQA, MuSiQue, Natural
    Questions, MultiHop-RAG, AutoRAG, or the folder of a BEIR data set. source is a file, a data
    frame, a list of records, samples of ragas, the files {"queries": …, "qrels": …,
    "segments": …} of BEIR or MS MARCO, or {"qa": …, "corpus": …} of AutoRAG, for which a folder
    with qa.parquet and corpus.parquet will do; docs is what `documents` takes.

    Offsets are compared with the text they should hold, and quotes are looked up; what stands
    elsewhere, or more than once, is told in `warnings`. With copies="same", all places at which a
    quote stands in its document answer the need; with "place" only its own.

    Gold that is not found is an error, which lists it and where it nearly is. max_lost allows a
    number, or a share such as "5%": what is missing is then left out and warned about. A need of
    which nothing was found counts neither as answered nor as missed, and a question without any
    other need is not evaluated. Answers that are not text of a document, such as captions of
    QASPER, are warned about, and do not count as missing.

    >>> docs = {"terms": "Thirty days. Unused goods only."}
    >>> needs = [{"spans": [{"doc": "terms", "quote": "Thirty days"}]}]
    >>> gold = questions([{"id": "1", "question": "How long?", "needs": needs}], docs)
    >>> gold["1"].needs[0].places[0]
    Place(document='terms', start=0, end=11)
    """
    if isinstance(source, Questions):
        return source
    texts = documents(docs)
    if isinstance(source, Assessments):
        found = find_gold(judged_questions(source), texts, "place", max_lost)
    else:
        loaded = _loaded(source)
        if isinstance(loaded.value, list) and not loaded.value:
            raise loaded.wrong("there are no questions")
        found = find_gold(_stated(loaded, texts), texts, copies, max_lost, loaded.origin)
    found = replace(found, warnings=(*warnings_about(texts, docs), *found.warnings))
    warn(found.warnings)
    return found


def _stated(loaded: Loaded, docs: Documents) -> Any:
    for one in gold_formats():
        if one.fits(loaded.value):
            return one.stated(loaded, docs)
    known = "; ".join(f"{one.name}: {one.fields}" for one in gold_formats())
    raise loaded.wrong(
        f"{_fields_of(loaded.value)}: expected the fields of a known format ({known})"
    )


def _fields_of(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, Mapping):
        return f"fields {quoted(list(first))}"
    return quoted(first)


def _loaded(source: Any) -> Loaded:
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        path = os.fspath(source)
        return Loaded(_folder(path), path)
    if isinstance(source, Mapping):
        return Loaded(_of_mapping(source))
    return loaded_from(source)


def _folder(path: str) -> Any:
    from doxeval.chunks.formats.autorag import autorag_folder, is_autorag_folder

    return autorag_folder(path) if is_autorag_folder(path) else judged_folder(path)


def _of_mapping(source: Mapping[Any, Any]) -> Any:
    """Files that belong together, or else one value of JSON."""
    if {"queries", "qrels"} <= source.keys():
        return judged_parts(source)
    if source.keys() == {"qa", "corpus"}:
        from doxeval.chunks.formats.autorag import autorag_parts

        return autorag_parts(source)
    return plain(source)
