"""What real stores and retrievers return, where they are installed: hits are chunks with scores.

The doubles in test_searched_and_read have the shapes that these libraries had when they were
written; here the libraries themselves are asked. No model is needed: vectors are made by hand.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from doxeval import chunks

NOUNS = ["fog", "horn", "sea", "lamp", "boats", "harbour", "morning", "town", "gulls", "rain"]
SENTENCES = [f"Sentence {number} tells of the {noun}. " for number, noun in enumerate(NOUNS)]
TEXT = "".join(SENTENCES).strip()
DOCS = chunks.documents({"log": TEXT})
PARTS = [sentence.strip() for sentence in SENTENCES]
RECORDS = [{"id": f"c{row}", "doc": "log", "text": part} for row, part in enumerate(PARTS)]
QUESTIONS = {"7": "What of the lamp?"}
LAMP = TEXT.index(PARTS[3])


def library(name: str) -> Any:
    """A module of a store or a framework."""
    try:
        return import_module(name)
    except ImportError:
        pytest.skip(f"the splitters of {name.partition('.')[0]} are not installed")


def vector(text: str) -> list[float]:
    """A vector that has the largest product with that of the sentence about the same thing."""
    return [float(word in text) for word in ("fog", "horn", "sea", "lamp", "boats")] + [0.1]


def check(retriever: Any, located: chunks.Chunks | None = None) -> Any:
    """The run of a retriever whose first result is the sentence about the lamp."""
    run = chunks.retrieve(retriever, QUESTIONS, located or chunks.locate(DOCS, RECORDS))
    first = run.result(0)
    assert (first.document, first.start, first.end) == ("log", LAMP, LAMP + len(PARTS[3]))
    assert len(run) == 3 and run.warnings == ()
    assert run.score is not None and (np.diff(run.score) <= 0).all()
    return run


def test_chroma() -> None:
    chromadb = library("chromadb")
    collection = chromadb.EphemeralClient().create_collection("log-of-harbour")
    collection.add(
        ids=[record["id"] for record in RECORDS],
        documents=PARTS,
        metadatas=[{"source": "log"}] * len(PARTS),
        embeddings=[vector(part) for part in PARTS],
    )
    check(lambda text: collection.query(query_embeddings=[vector(text)], n_results=3))
    located = chunks.locate(DOCS, collection.get())
    assert located.ids == tuple(record["id"] for record in RECORDS)
    assert located.texts == tuple(PARTS) and not located.ambiguous.any()


@pytest.mark.parametrize("kind", ["IndexFlatIP", "IndexFlatL2"])
def test_faiss(kind: str) -> None:
    faiss = library("faiss")
    index = getattr(faiss, kind)(6)
    index.add(np.array([vector(part) for part in PARTS], dtype=np.float32))
    check(lambda text: index.search(np.array([vector(text)], dtype=np.float32), 3))
    small = getattr(faiss, kind)(6)
    small.add(np.array([vector(part) for part in PARTS[:3]], dtype=np.float32))
    run = chunks.retrieve(
        lambda text: small.search(np.array([vector(text)], dtype=np.float32), 5),
        QUESTIONS,
        chunks.locate(DOCS, RECORDS),
    )
    assert len(run) == 3  # -1 stands for none


def test_qdrant() -> None:
    library("qdrant_client")
    models = import_module("qdrant_client.models")
    client = import_module("qdrant_client").QdrantClient(":memory:")
    client.create_collection(
        "log", vectors_config=models.VectorParams(size=6, distance=models.Distance.DOT)
    )
    points = [
        models.PointStruct(
            id=row, vector=vector(part), payload={"text": part, "doc": "log", "chunk_id": f"c{row}"}
        )
        for row, part in enumerate(PARTS)
    ]
    client.upsert("log", points)
    check(lambda text: client.query_points("log", query=vector(text), limit=3))
    check(lambda text: client.query_points("log", query=vector(text), limit=3).points)
    check(lambda text: client.query_points("log", query=vector(text), limit=3).model_dump())
    located = chunks.locate(DOCS, client.scroll("log", limit=99)[0])
    assert located.ids == tuple(record["id"] for record in RECORDS)


def test_weaviate() -> None:
    library("weaviate")
    internal = import_module("weaviate.collections.classes.internal")

    def hits(text: str) -> Any:
        by_distance = sorted((1 - np.dot(vector(text), vector(part)), row) for row, part in
                             enumerate(PARTS))[:3]  # fmt: skip
        objects = [
            internal.Object(
                uuid=f"00000000-0000-0000-0000-00000000000{row}",
                metadata=internal.MetadataReturn(distance=float(distance)),
                properties={"text": PARTS[row], "doc": "log", "chunk_id": f"c{row}"},
                references=None,
                vector={},
                collection="Log",
            )
            for distance, row in by_distance
        ]
        return internal.QueryReturn(objects=objects)

    check(hits)
    check(lambda text: hits(text).objects)


def test_langchain() -> None:
    library("langchain_core")
    stores = import_module("langchain_core.vectorstores")
    documents = import_module("langchain_core.documents")
    embeddings = import_module("langchain_core.embeddings")

    class ByHand(embeddings.Embeddings):  # type: ignore[misc, name-defined]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [vector(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return vector(text)

    loaded = [
        documents.Document(page_content=part, metadata={"source": "log"}, id=f"c{row}")
        for row, part in enumerate(PARTS)
    ]
    store = stores.InMemoryVectorStore.from_documents(loaded, ByHand())
    check(lambda text: store.similarity_search_with_score(text, k=3))
    run = chunks.retrieve(store.as_retriever(search_kwargs={"k": 3}), QUESTIONS,
                          chunks.locate(DOCS, loaded))  # fmt: skip
    assert run.result(0).start == LAMP


def llama_nodes(parser: str, **options: Any) -> tuple[Any, Any, Any]:
    """The core of LlamaIndex, its parser's nodes of the text, and an embedding by hand."""
    core = library("llama_index.core")
    parsers = import_module("llama_index.core.node_parser")
    base = import_module("llama_index.core.base.embeddings.base")

    class ByHand(base.BaseEmbedding):  # type: ignore[misc, name-defined]
        def _get_text_embedding(self, text: str) -> list[float]:
            return vector(text)

        def _get_query_embedding(self, query: str) -> list[float]:
            return vector(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return vector(query)

    made = getattr(parsers, parser).from_defaults(**options)
    loaded = core.Document(text=TEXT, doc_id="log")
    return core, made.get_nodes_from_documents([loaded]), ByHand()


def test_windows_of_llama_index() -> None:
    def sentences(text: str) -> list[str]:
        return re.findall(r"[^.]+\.\s*", text)

    core, nodes, embedding = llama_nodes(
        "SentenceWindowNodeParser", window_size=1, sentence_splitter=sentences
    )
    located = chunks.locate(DOCS, nodes)
    assert located.searched[3].strip() == PARTS[3] and not located.ambiguous.any()
    assert "".join(located.texts[3].split()) == "".join("".join(PARTS[2:5]).split())
    retriever = core.VectorStoreIndex(nodes, embed_model=embedding).as_retriever(similarity_top_k=3)
    replacement = import_module("llama_index.core.postprocessor").MetadataReplacementPostProcessor(
        target_metadata_key="window"
    )
    plain = chunks.retrieve(retriever, QUESTIONS, located)
    replaced = chunks.retrieve(
        lambda text: replacement.postprocess_nodes(retriever.retrieve(text)), QUESTIONS, located
    )
    assert plain == replaced and plain.warnings == ()
    assert (plain.result(0).start, plain.result(0).end) == located.spans.as_tuples()[3][0]


def test_auto_merging_of_llama_index() -> None:
    core, nodes, embedding = llama_nodes(
        "HierarchicalNodeParser", chunk_sizes=[64, 16], chunk_overlap=0
    )
    storage = core.StorageContext.from_defaults()
    storage.docstore.add_documents(nodes)
    leaves = import_module("llama_index.core.node_parser").get_leaf_nodes(nodes)
    index = core.VectorStoreIndex(leaves, storage_context=storage, embed_model=embedding)
    retrievers = import_module("llama_index.core.retrievers")
    merging = retrievers.AutoMergingRetriever(index.as_retriever(similarity_top_k=6), storage)
    returned = merging.retrieve("What of the lamp?")
    assert any(result.node.child_nodes for result in returned)  # some were merged
    for known in (chunks.locate(DOCS, nodes), chunks.locate(DOCS, leaves)):
        run = chunks.retrieve(lambda _: returned, QUESTIONS, known)
        for result, given in zip(run, returned, strict=True):
            assert result.start is not None and result.end is not None
            assert "".join(TEXT[result.start : result.end].split()) == "".join(
                given.node.get_content().split()
            )


def test_haystack() -> None:
    haystack = library("haystack")
    stores = import_module("haystack.document_stores.in_memory")
    retrievers = import_module("haystack.components.retrievers.in_memory")
    store = stores.InMemoryDocumentStore()
    store.write_documents(
        [
            haystack.Document(content=part, id=f"c{row}", meta={"source_id": "log"})
            for row, part in enumerate(PARTS)
        ]
    )
    retriever = retrievers.InMemoryBM25Retriever(store, top_k=3)
    check(lambda text: retriever.run(query=text))
    check(retriever)
    pipeline = haystack.Pipeline()
    pipeline.add_component("bm25", retriever)
    check(lambda text: pipeline.run({"bm25": {"query": text}}))


def test_chonkie_with_a_prefix() -> None:
    chonkie = library("chonkie")
    made = chonkie.RecursiveChunker(tokenizer="character", chunk_size=120).chunk(TEXT)
    context = "This part of the log of a harbour is about what was seen and heard there. "
    for chunk in made:
        chunk.text = context + chunk.text  # as refineries do: the offsets stay
    located = chunks.locate(DOCS, {"log": made})
    for chunk, text in zip(made, located.texts, strict=True):
        assert text == TEXT[chunk.start_index : chunk.end_index].strip()
    assert set(located.added.tolist()) == {len(context.strip())}
