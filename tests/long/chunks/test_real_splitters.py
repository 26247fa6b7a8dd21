"""Objects of the real libraries, where they are installed: their splitters, located.

The doubles in test_chunk_readers have the attributes that these libraries had when they were
written; here the libraries themselves are asked.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from doxeval import chunks
from doxeval.chunks import Chunks, size_of

PARAGRAPHS = [
    f"Paragraph {number} tells of tides. The moon pulls at the sea. It rises and it falls again."
    for number in range(40)
]
DOCS = {"sea": "\n\n".join(PARAGRAPHS), "moon": " ".join(reversed(PARAGRAPHS))}


def library(name: str) -> Any:
    """A module of a library of splitters."""
    try:
        return import_module(name)
    except ImportError:
        pytest.skip(f"the splitters of {name.partition('.')[0]} are not installed")


def check(located: Chunks, texts: list[str], *, own: bool) -> None:
    assert len(located) == len(texts) > 4
    assert not len(located.missing) and not located.ambiguous.any()
    for row, text in enumerate(texts):
        assert "".join(located.text(row).split()) == "".join(text.split())
    assert set(located.how) == ({"offsets"} if own else {"exact"})
    assert set(located.documents) == set(DOCS)


def test_langchain() -> None:
    splitters = library("langchain_text_splitters")
    documents = library("langchain_core.documents")
    loaded = [
        documents.Document(page_content=text, metadata={"source": f"/handbook/{name}.md"})
        for name, text in DOCS.items()
    ]
    splitter = splitters.RecursiveCharacterTextSplitter(
        chunk_size=200, chunk_overlap=60, add_start_index=True
    )
    made = splitter.split_documents(loaded)
    check(chunks.locate(DOCS, made), [one.page_content for one in made], own=True)
    assert dict(chunks.documents(loaded)) == {
        f"/handbook/{name}.md": text for name, text in DOCS.items()
    }


def llama_documents() -> Any:
    core = library("llama_index.core")
    return [core.Document(text=text, doc_id=name) for name, text in DOCS.items()]


def test_llama_index() -> None:
    loaded = llama_documents()
    parser = library("llama_index.core.node_parser")
    assert dict(chunks.documents(loaded)) == DOCS
    made = parser.SentenceSplitter(chunk_size=60, chunk_overlap=10).get_nodes_from_documents(loaded)
    check(chunks.locate(DOCS, made), [one.text for one in made], own=True)
    schema = library("llama_index.core.schema")
    scored = [schema.NodeWithScore(node=one, score=1.0) for one in made]
    assert chunks.locate(DOCS, scored).ids == tuple(one.node_id for one in made)


def test_llama_index_trees() -> None:
    loaded = llama_documents()
    parser = library("llama_index.core.node_parser")
    tree = parser.HierarchicalNodeParser.from_defaults(chunk_sizes=[256, 64], chunk_overlap=0)
    made = tree.get_nodes_from_documents(loaded)
    located = chunks.locate(DOCS, made)
    assert not len(located.missing)
    start, end = located.spans.start, located.spans.end
    children = [row for row in range(len(located)) if located.parent[row] >= 0]
    assert children
    for row in children:
        above = int(located.parent[row])
        assert start[above] <= start[row] and end[row] <= end[above]
    assert "relative to the parent" in located.report()


def test_haystack() -> None:
    haystack = library("haystack")
    components = library("haystack.components.preprocessors")
    loaded = [haystack.Document(content=text, id=name) for name, text in DOCS.items()]
    assert dict(chunks.documents(loaded)) == DOCS
    splitter = components.DocumentSplitter(split_by="word", split_length=40, split_overlap=10)
    made = splitter.run(documents=loaded)["documents"]
    check(chunks.locate(DOCS, made), [one.content for one in made], own=True)


def test_haystack_trees() -> None:
    haystack = library("haystack")
    components = library("haystack.components.preprocessors")
    loaded = [haystack.Document(content=text, id=name) for name, text in DOCS.items()]
    tree = components.HierarchicalDocumentSplitter(
        block_sizes={200, 50}, split_overlap=0, split_by="word"
    )
    located = chunks.locate(DOCS, tree.run(documents=loaded)["documents"])
    assert not len(located.missing) and (located.parent >= 0).any()
    assert set(located.documents) == set(DOCS)


def test_chonkie() -> None:
    chonkie = library("chonkie")
    chunker = chonkie.RecursiveChunker(tokenizer="character", chunk_size=200)
    made = {name: chunker(text) for name, text in DOCS.items()}
    texts = [one.text for own in made.values() for one in own]
    located = chunks.locate(DOCS, made)
    check(located, texts, own=True)
    assert (located.tokens > 0).all()


def test_semchunk() -> None:
    semchunk = library("semchunk")
    chunker = semchunk.chunkerify(lambda text: len(text.split()), chunk_size=40)
    made = {name: chunker(text, offsets=True) for name, text in DOCS.items()}
    check(chunks.locate(DOCS, made), [text for own in made.values() for text in own[0]], own=True)


def test_sizes_and_overlaps_are_known() -> None:
    langchain, semchunk = library("langchain_text_splitters"), library("semchunk")
    llama, chonkie = library("llama_index.core.node_parser"), library("chonkie")
    haystack = library("haystack.components.preprocessors")
    expected = {
        "RecursiveCharacterTextSplitter": (200, 60),
        "SentenceSplitter": (60, 10),
        "TokenChunker": (50, 5),
        "RecursiveChunker": (50, 0),
        "DocumentSplitter": (40, 10),
        "Chunker": (40, 0),
    }
    splitters = [
        langchain.RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=60),
        llama.SentenceSplitter(chunk_size=60, chunk_overlap=10),
        chonkie.TokenChunker(tokenizer="character", chunk_size=50, chunk_overlap=5),
        chonkie.RecursiveChunker(tokenizer="character", chunk_size=50),
        haystack.DocumentSplitter(split_by="word", split_length=40, split_overlap=10),
        semchunk.chunkerify(lambda text: len(text.split()), chunk_size=40),
    ]
    sizes = [size_of(splitter) for splitter in splitters]
    assert {size.method: (size.size, size.overlap) for size in sizes if size} == expected
