"""Question sets and results of programs that evaluate retrieval-augmented generation.

chunking_evaluation (Chroma): a CSV with the references of each question as JSON.

    question, references [{"content", "start_index", "end_index"}], corpus_id

A reference is a need. Many of their texts occur more than once in their document, and the offsets
are always those of the first copy.

LegalBench-RAG: tests with snippets of files.

    {"tests": [{"query", "snippets": [{"file_path", "span": [start, end], "answer"}], "tags"}]}

A snippet is a need. Offsets count the characters of files in which each line end is one character.

HiCBench: questions with evidence, quoted from one document.

    {"input", "answers", "facts", "evidences": [texts], "_id": the document}

Each quote is a need. Its wording may differ from the document's in case and marks.

ragas: samples with the texts that should have been retrieved, without their documents.

    {"user_input", "reference_contexts": [texts], "reference_context_ids": [ids]}

A reference context is a need, looked for in all documents. Where there are only ids, they are those
of documents.

Its testsets are read as they are, from files or objects: "<1-hop>" before a context is left out,
and `synthesizer_name` is a tag.

DeepEval: goldens, with the context from which a model made them.

    {"input", "expected_output", "context": [texts], "source_file"}    CSV has | between contexts

A text of `context` is a need, looked for in the document that `source_file` names, else in all.
What is in `retrieval_context` was retrieved, and is no gold.

LlamaIndex: pairs of questions and nodes (EmbeddingQAFinetuneDataset), and LabelledRagDataset.

    {"queries": {id: text}, "corpus": {node: text}, "relevant_docs": {id: [nodes]}}
    {"examples": [{"query", "reference_contexts": [texts], "reference_answer"}]}

The text of a node and a reference context are a need each, looked for in all documents.

MultiHop-RAG: facts of articles.

    {"query", "answer", "question_type", "evidence_list": [{"title", "url", "fact"}]}

A fact is a need, looked for in the article that its url or title names. A question of the type
null_query has no answer.

AutoRAG: ids of chunks as AND of OR, and the corpus that says where these chunks are.

    qa.parquet      {"qid", "query", "retrieval_gt": [[ids], …]}
    corpus.parquet  {"doc_id", "contents", "path", "start_end_idx": [first, last], "metadata"}

Each list of `retrieval_gt` is a need, and any of its chunks answers it. With the corpus, which a
folder has with the questions, chunks are spans of the documents that they were split from, and
gold holds for every other chunking. Without it, the ids are those of documents.

Contexts that were retrieved, in the files of programs that judge answers:

    ragas       {"user_input", "retrieved_contexts": [texts], "retrieved_context_ids": [ids]}
    ragas 0.1   {"question", "contexts": [texts]}
    RAGChecker  {"results": [{"query_id", "query", "retrieved_context": [{"doc_id", "text"}]}]}
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from doxeval.chunks.chunks import Chunks
from doxeval.chunks.documents import Documents
from doxeval.chunks.formats import (
    QuestionFormat,
    RawEvidence,
    RawNeed,
    RawQuestion,
    first_record,
    single_needs,
)
from doxeval.chunks.formats.fields import (
    listed_records,
    needed_text,
    text,
    texts,
    texts_in_cell,
    whole_number,
    whole_numbers,
)
from doxeval.chunks.records import Loaded, frame_records, is_frame, load
from doxeval.messages import quoted

# What ragas writes before the contexts of questions that need several.
_HOP = re.compile(r"\s*<\d+-hop>\s*")


def _is_chroma(value: Any) -> bool:
    return {"question", "references"} <= first_record(value).keys()


def _chroma_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for row, record in enumerate(loaded.records()):
        document = text(record, "corpus_id")
        needs = []
        for reference in listed_records(loaded, row, record, "references"):
            start, end = (
                whole_number(loaded, row, reference, name) for name in ("start_index", "end_index")
            )
            quote = needed_text(loaded, row, reference, "content")
            needs.append(RawNeed((RawEvidence(document, quote, start, end),)))
        question = needed_text(loaded, row, record, "question")
        tags = () if document is None else (document,)
        yield RawQuestion(text(record, "id") or str(row + 1), question, tuple(needs), tags)


CHROMA = QuestionFormat(
    "chunking_evaluation", "question and references", _is_chroma, _chroma_questions
)


def _tests(value: Any) -> Any:
    return value.get("tests") if isinstance(value, dict) else value


def _is_legalbench(value: Any) -> bool:
    return {"query", "snippets"} <= first_record(_tests(value)).keys()


def _legalbench_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    tests = loaded._replace(value=_tests(loaded.value))
    for row, record in enumerate(tests.records()):
        evidence = []
        for snippet in listed_records(tests, row, record, "snippets"):
            start, end = whole_numbers(tests, row, snippet.get("span"), "span")
            file = needed_text(tests, row, snippet, "file_path")
            evidence.append(RawEvidence(file, text(snippet, "answer"), start, end))
        question = needed_text(tests, row, record, "query")
        own = text(record, "id") or str(row + 1)
        yield RawQuestion(own, question, single_needs(evidence), texts(record, "tags"))


LEGALBENCH = QuestionFormat(
    "LegalBench-RAG", "query and snippets", _is_legalbench, _legalbench_questions
)


def _is_hicbench(value: Any) -> bool:
    return {"input", "evidences"} <= first_record(value).keys()


def _hicbench_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for row, record in enumerate(loaded.records()):
        document = text(record, "_id", "doc", "doc_id")
        evidence = [RawEvidence(document, quote) for quote in texts(record, "evidences")]
        question = needed_text(loaded, row, record, "input")
        yield RawQuestion(text(record, "id") or str(row + 1), question, single_needs(evidence))


HICBENCH = QuestionFormat("HiCBench", "input and evidences", _is_hicbench, _hicbench_questions)


def _is_ragas(value: Any) -> bool:
    return "user_input" in first_record(value)


def _ragas_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    records = loaded.records()
    names = ("reference_contexts", "reference_context_ids")
    if not any(record.get(name) for record in records for name in names):
        raise loaded.wrong("samples without reference_contexts: there is no gold in them")
    for row, record in enumerate(records):
        question = record.get("user_input")
        if not isinstance(question, str):
            message = f"user_input is {quoted(question)}: expected a text (a sample of one turn)"
            raise loaded.wrong(message, row)
        quotes = texts_in_cell(record, "reference_contexts")
        evidence = [RawEvidence(None, _HOP.sub("", quote)) for quote in quotes]
        if not evidence:
            ids = texts_in_cell(record, "reference_context_ids")
            evidence = [RawEvidence(name, is_whole=True) for name in ids]
        own = text(record, "id", "sample_id") or str(row + 1)
        yield RawQuestion(own, question, single_needs(evidence), texts(record, "synthesizer_name"))


RAGAS = QuestionFormat("ragas", "user_input and reference_contexts", _is_ragas, _ragas_questions)


def _is_deepeval(value: Any) -> bool:
    return {"input", "context"} <= first_record(value).keys()


def _deepeval_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for row, record in enumerate(loaded.records()):
        quotes = texts_in_cell(record, "context")
        if isinstance(record["context"], str) and len(quotes) == 1:
            quotes = tuple(quotes[0].split("|"))
        document = text(record, "source_file", "sourceFile")
        evidence = [RawEvidence(docs.find(document), quote) for quote in quotes if quote.strip()]
        question = needed_text(loaded, row, record, "input")
        own = text(record, "id", "name") or str(row + 1)
        yield RawQuestion(own, question, single_needs(evidence))


DEEPEVAL = QuestionFormat("DeepEval", "input and context", _is_deepeval, _deepeval_questions)


def _is_pairs(value: Any) -> bool:
    return isinstance(value, Mapping) and {"queries", "corpus", "relevant_docs"} <= value.keys()


def _questions_of_pairs(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    parts = [loaded.value[name] for name in ("queries", "corpus", "relevant_docs")]
    if not all(isinstance(part, Mapping) for part in parts):
        raise loaded.wrong("queries, corpus and relevant_docs: expected an object each")
    queries, corpus, relevant = parts
    for name, question in queries.items():
        evidence = []
        nodes = relevant.get(name) or []
        if not isinstance(nodes, list):
            raise loaded.wrong(
                f"nodes of query {quoted(name)} are {quoted(nodes)}: expected a list"
            )
        for node in nodes:
            if not isinstance(node, str) or not isinstance(corpus.get(node), str):
                raise loaded.wrong(f"node {quoted(node)} of query {quoted(name)} is not in corpus")
            evidence.append(RawEvidence(None, corpus[node]))
        yield RawQuestion(str(name), str(question), single_needs(evidence))


def _is_examples(value: Any) -> bool:
    examples = value.get("examples") if isinstance(value, Mapping) else None
    return {"query", "reference_contexts"} <= first_record(examples).keys()


def _questions_of_examples(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    examples = loaded._replace(value=loaded.value["examples"])
    for row, record in enumerate(examples.records()):
        evidence = [RawEvidence(None, quote) for quote in texts(record, "reference_contexts")]
        question = needed_text(examples, row, record, "query")
        yield RawQuestion(str(row + 1), question, single_needs(evidence))


LLAMAINDEX_PAIRS = QuestionFormat(
    "LlamaIndex", "queries, corpus and relevant_docs", _is_pairs, _questions_of_pairs
)
LLAMAINDEX_EXAMPLES = QuestionFormat(
    "LlamaIndex's LabelledRagDataset",
    "examples with query and reference_contexts",
    _is_examples,
    _questions_of_examples,
)


def _is_multihop(value: Any) -> bool:
    return {"query", "evidence_list"} <= first_record(value).keys()


def _multihop_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for row, record in enumerate(loaded.records()):
        evidence = []
        for fact in listed_records(loaded, row, record, "evidence_list"):
            names = [text(fact, name) for name in ("url", "title")]
            known = [name for name in map(docs.find, names) if name is not None]
            document = known[0] if known else next(filter(None, names), None)
            evidence.append(RawEvidence(document, needed_text(loaded, row, fact, "fact")))
        question = needed_text(loaded, row, record, "query")
        own, tags = text(record, "id") or str(row + 1), texts(record, "question_type")
        is_answerable = bool(evidence) or "null_query" not in tags
        yield RawQuestion(own, question, single_needs(evidence), tags, answerable=is_answerable)


MULTIHOP = QuestionFormat(
    "MultiHop-RAG", "query and evidence_list", _is_multihop, _multihop_questions
)


_QA, _CORPUS = "qa.parquet", "corpus.parquet"


@dataclass(frozen=True)
class QaWithCorpus:
    """Questions, and the chunks that their ids name."""

    qa: Loaded
    corpus: Any


def is_autorag_folder(path: str) -> bool:
    """Return whether a folder holds the questions of AutoRAG together with their corpus."""
    return all(os.path.exists(os.path.join(path, name)) for name in (_QA, _CORPUS))


def autorag_folder(path: str) -> QaWithCorpus:
    """Return the questions and the corpus of a folder."""
    return autorag_parts({"qa": os.path.join(path, _QA), "corpus": os.path.join(path, _CORPUS)})


def autorag_parts(files: Mapping[str, Any]) -> QaWithCorpus:
    """Return the same from a file or data frame each: qa and corpus."""
    qa = files["qa"]
    return QaWithCorpus(Loaded(frame_records(qa)) if is_frame(qa) else load(qa), files["corpus"])


def _is_autorag(value: Any) -> bool:
    return {"query", "retrieval_gt"} <= first_record(value).keys()


def _is_with_corpus(value: Any) -> bool:
    return isinstance(value, QaWithCorpus)


def _stated_alone(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    ids = [name for needs in _needed_ids(loaded) for need in needs for name in need]
    if ids and not any(docs.find(name) for name in ids):
        raise loaded.wrong(
            f"{quoted(ids[0])} and all other ids of retrieval_gt are no documents here: "
            "if they are "
            f"chunks, a folder with {_QA} and {_CORPUS} says where these stand"
        )
    return _autorag_questions(loaded, lambda name: RawEvidence(name, is_whole=True))


def _stated_with_corpus(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    from doxeval.chunks.locate import locate

    given: QaWithCorpus = loaded.value
    if not _is_autorag(given.qa.value):
        raise given.qa.wrong("expected questions with query and retrieval_gt")
    ids = [name for needs in _needed_ids(given.qa) for need in needs for name in need]
    chunks = locate(docs, given.corpus, max_missing="100%")
    if ids and all(chunks.find(name) < 0 for name in ids):
        raise given.qa.wrong(
            f"{quoted(ids[0])} and all other ids of retrieval_gt are not in the corpus, "
            "where every "
            "chunk has a doc_id of its own"
        )
    ranges = chunks.spans.as_tuples()
    return _autorag_questions(given.qa, lambda name: _autorag_evidence(chunks, ranges, name))


def _autorag_evidence(
    chunks: Chunks, ranges: Sequence[Sequence[tuple[int, int]]], name: str
) -> RawEvidence:
    """Return the span of a chunk; of one not found its text, and of an unknown one its id."""
    row = chunks.find(name)
    if row < 0:
        return RawEvidence(name, is_whole=True)
    spans = ranges[row]
    if not spans:
        return RawEvidence(None, chunks.text(row))
    document = chunks.documents[int(chunks.document[row])]
    start, end = spans[0][0], spans[-1][1]
    return RawEvidence(document, chunks.known_docs[document][start:end], start, end)


def _needed_ids(loaded: Loaded) -> Iterator[list[list[str]]]:
    """Yield the ids of each question: a list for each need."""
    for row, record in enumerate(loaded.records()):
        given = record.get("retrieval_gt")
        if not isinstance(given, list):
            raise loaded.wrong(f"retrieval_gt is {quoted(given)}: expected lists of ids", row)
        lists = [ids if isinstance(ids, list) else [ids] for ids in given]
        yield [[str(name) for name in ids if name] for ids in lists if any(ids)]


def _autorag_questions(
    loaded: Loaded, evidence_of: Callable[[str], RawEvidence]
) -> Iterator[RawQuestion]:
    """Yield the questions; `evidence_of` says what an id stands for."""
    for row, (record, needed) in enumerate(zip(loaded.records(), _needed_ids(loaded), strict=True)):
        needs = tuple(RawNeed(tuple(map(evidence_of, ids))) for ids in needed)
        question = needed_text(loaded, row, record, "query")
        yield RawQuestion(text(record, "qid", "id") or str(row + 1), question, needs)


AUTORAG = QuestionFormat("AutoRAG", "query and retrieval_gt", _is_autorag, _stated_alone)
AUTORAG_WITH_CORPUS = QuestionFormat(
    "AutoRAG with its corpus",
    f"a folder with {_QA} and {_CORPUS}",
    _is_with_corpus,
    _stated_with_corpus,
)


EXPECTED = (
    "expected samples of ragas (user_input and retrieved_contexts) or results of RAGChecker "
    "(results with query and retrieved_context)"
)


class Answer(NamedTuple):
    """What was retrieved for a question, best first: texts, ids, or records of both."""

    id: str
    question: str
    items: tuple[Any, ...]


def has_contexts(value: Any) -> bool:
    """Return whether a value holds retrieved contexts.

    >>> has_contexts([{"user_input": "How long?", "retrieved_contexts": ["Thirty days."]}])
    True
    """
    return _is_ragchecker_contexts(value) or any(
        {question, contexts} <= first_record(value).keys() for question, contexts in _RAGAS
    )


# The fields of a question and its contexts, as of version 0.2 and before.
_RAGAS = (
    ("user_input", "retrieved_contexts"),
    ("user_input", "retrieved_context_ids"),
    ("question", "contexts"),
)


def _is_ragchecker_contexts(value: Any) -> bool:
    results = value.get("results") if isinstance(value, Mapping) else None
    return {"query", "retrieved_context"} <= first_record(results).keys()


def answers_in(loaded: Loaded) -> list[Answer]:
    """Return what was retrieved for each question of a file."""
    if _is_ragchecker_contexts(loaded.value):
        found = list(_of_ragchecker(loaded._replace(value=loaded.value["results"])))
    elif has_contexts(loaded.value):
        found = list(_of_ragas(loaded))
    else:
        raise loaded.wrong(EXPECTED)
    seen: set[str] = set()
    for row, answer in enumerate(found):
        if answer.id in seen:
            raise loaded.wrong(f"there are two questions {quoted(answer.id)}", row)
        seen.add(answer.id)
    return found


def _of_ragas(loaded: Loaded) -> Iterator[Answer]:
    records = loaded.records()
    asked = "user_input" if "user_input" in records[0] else "question"
    name = "retrieved_contexts" if asked == "user_input" else "contexts"
    for row, record in enumerate(records):
        question = record.get(asked)
        if not isinstance(question, str):
            message = f"{asked} is {quoted(question)}: expected a text (a sample of one turn)"
            raise loaded.wrong(message, row)
        contexts = _texts(loaded, row, record, name)
        ids = _texts(loaded, row, record, "retrieved_context_ids")
        own = text(record, "id", "sample_id") or str(row + 1)
        yield Answer(own, question, _with_ids(loaded, row, contexts, ids))


def _texts(loaded: Loaded, row: int, record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name)
    is_list = isinstance(value, list) and all(isinstance(item, str | int) for item in value)
    if value is not None and not is_list and not isinstance(value, str):
        raise loaded.wrong(f"{name} is {quoted(value)}: expected a list of texts", row)
    return texts_in_cell(record, name)


def _with_ids(
    loaded: Loaded, row: int, contexts: tuple[str, ...], ids: tuple[str, ...]
) -> tuple[Any, ...]:
    if not ids or not contexts:
        return contexts or tuple({"chunk": context, "doc": context} for context in ids)
    if len(ids) != len(contexts):
        counts = f"{len(contexts):,} retrieved_contexts, but {len(ids):,} retrieved_context_ids"
        raise loaded.wrong(f"{counts}: expected one for each", row)
    return tuple(
        {"chunk": name, "text": context} for name, context in zip(ids, contexts, strict=True)
    )


def _of_ragchecker(loaded: Loaded) -> Iterator[Answer]:
    for row, record in enumerate(loaded.records()):
        question = needed_text(loaded, row, record, "query")
        own = text(record, "query_id", "id") or str(row + 1)
        items = []
        for context in listed_records(loaded, row, record, "retrieved_context"):
            name = text(context, "doc_id")
            said = {"text": needed_text(loaded, row, context, "text")}
            items.append(said if name is None else {**said, "chunk": name, "doc_id": name})
        yield Answer(own, question, tuple(items))


def _is_ragchecker(value: Any) -> bool:
    results = value.get("results") if isinstance(value, dict) else None
    return "retrieved_context" in first_record(results)


def _ragchecker(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    raise loaded.wrong(
        "results of RAGChecker: their gold are claims that a model makes of answers, not text of "
        "documents; of what was retrieved, `chunks retrieved` makes a run"
    )


def _has_nuggets(value: Any) -> bool:
    return "nuggets" in first_record(value)


def _nuggets(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    raise loaded.wrong(
        "nuggets of TREC: they are not text of documents; link them to passages first, as needs "
        "with grades"
    )


RAGCHECKER = QuestionFormat(
    "RAGChecker", "results with retrieved_context", _is_ragchecker, _ragchecker
)
NUGGETS = QuestionFormat("nuggets", "nuggets", _has_nuggets, _nuggets)
