"""Splitters that people use, each as a function from a text to chunks with their own offsets.

They are imported when they are called (`pip install doxeval[splitters]` gets them). Chunks are
(text, own start, own end), None where a splitter tells no offset. Splitters by tokens count words
here, so that they cut a text of other letters alike.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

Chunk = tuple[str, int | None, int | None]
Splitter = Callable[[str], list[Chunk]]


def library(name: str) -> Any:
    """A library that need not be installed."""
    return importlib.import_module(name)


def count_words(text: str) -> int:
    return len(text.split())


def words(text: str) -> list[str]:
    return re.findall(r"\S+\s*|\s+", text)


def sentences(text: str) -> list[str]:
    """Sentences by their marks alone; together they are the text."""
    return re.findall(r".+?(?:[.!?]+\s+|\n+|\Z)|\s+", text, re.DOTALL)


def _langchain(kind: str, **options: Any) -> Splitter:
    def split(text: str) -> list[Chunk]:
        splitter = getattr(library("langchain_text_splitters"), kind)(**options)
        splitter._add_start_index = True
        return [
            (one.page_content, one.metadata.get("start_index"), None)
            for one in splitter.create_documents([text])
        ]

    return split


def _llama_index(kind: str, **options: Any) -> Splitter:
    def split(text: str) -> list[Chunk]:
        parsers = library("llama_index.core.node_parser")
        document = library("llama_index.core").Document(text=text)
        nodes = getattr(parsers, kind)(**options).get_nodes_from_documents([document])
        return [(node.text, node.start_char_idx, node.end_char_idx) for node in nodes]

    return split


def llama_index_windows(text: str) -> list[Chunk]:
    """The windows of sentences that are read instead of the sentences."""
    parsers = library("llama_index.core.node_parser")
    document = library("llama_index.core").Document(text=text)
    parser = parsers.SentenceWindowNodeParser(sentence_splitter=sentences, window_size=2)
    nodes = parser.get_nodes_from_documents([document])
    return [(node.metadata["window"], None, None) for node in nodes]


def _haystack(**options: Any) -> Splitter:
    def split(text: str) -> list[Chunk]:
        splitter = library("haystack.components.preprocessors").DocumentSplitter(**options)
        document = library("haystack").Document(content=text)
        splitter.warm_up() if hasattr(splitter, "warm_up") else None
        found = splitter.run(documents=[document])["documents"]
        return [(one.content, one.meta["split_idx_start"], None) for one in found]

    return split


def haystack_recursive(text: str) -> list[Chunk]:
    preprocessors = library("haystack.components.preprocessors")
    splitter = preprocessors.RecursiveDocumentSplitter(
        split_length=150, split_overlap=0, split_unit="word", separators=["\n\n", "\n", ". ", " "]
    )
    splitter.warm_up() if hasattr(splitter, "warm_up") else None
    found = splitter.run(documents=[library("haystack").Document(content=text)])["documents"]
    return [(one.content, one.meta.get("split_idx_start"), None) for one in found]


def _chonkie(kind: str, **options: Any) -> Splitter:
    def split(text: str) -> list[Chunk]:
        chunker = getattr(library("chonkie"), kind)(**options)
        return [(one.text, one.start_index, one.end_index) for one in chunker.chunk(text)]

    return split


def semchunk(text: str) -> list[Chunk]:
    chunker = library("semchunk").chunkerify(count_words, 120)
    found, offsets = chunker(text, offsets=True)
    return [(one, start, end) for one, (start, end) in zip(found, offsets, strict=True)]


# The library of each splitter is the first word of its name.
SPLITTERS: dict[str, Splitter] = {
    "langchain_text_splitters recursive 800/0": _langchain(
        "RecursiveCharacterTextSplitter", chunk_size=800, chunk_overlap=0
    ),
    "langchain_text_splitters recursive 800/400": _langchain(
        "RecursiveCharacterTextSplitter", chunk_size=800, chunk_overlap=400
    ),
    "langchain_text_splitters recursive 100/20": _langchain(
        "RecursiveCharacterTextSplitter", chunk_size=100, chunk_overlap=20
    ),
    "langchain_text_splitters recursive by words 150/75": _langchain(
        "RecursiveCharacterTextSplitter",
        chunk_size=150,
        chunk_overlap=75,
        length_function=count_words,
    ),
    "langchain_text_splitters paragraphs 800": _langchain(
        "CharacterTextSplitter", chunk_size=800, chunk_overlap=0
    ),
    "llama_index.core sentences 200/20": _llama_index(
        "SentenceSplitter",
        chunk_size=200,
        chunk_overlap=20,
        tokenizer=words,
        chunking_tokenizer_fn=sentences,
    ),
    "llama_index.core tokens 200/20": _llama_index(
        "TokenTextSplitter", chunk_size=200, chunk_overlap=20, tokenizer=words
    ),
    "llama_index.core sentence": _llama_index(
        "SentenceWindowNodeParser", sentence_splitter=sentences
    ),
    "llama_index.core windows": llama_index_windows,
    "haystack words 200/50": _haystack(split_by="word", split_length=200, split_overlap=50),
    "haystack periods 5/1": _haystack(split_by="period", split_length=5, split_overlap=1),
    "haystack periods 1/0": _haystack(split_by="period", split_length=1, split_overlap=0),
    "haystack recursive": haystack_recursive,
    "chonkie tokens 800/400": _chonkie(
        "TokenChunker", tokenizer="character", chunk_size=800, chunk_overlap=400
    ),
    "chonkie sentences 800/200": _chonkie(
        "SentenceChunker", tokenizer="character", chunk_size=800, chunk_overlap=200
    ),
    "chonkie recursive 800": _chonkie("RecursiveChunker", tokenizer="character", chunk_size=800),
    "semchunk 120 words": semchunk,
}


def with_own_letters(text: str) -> str:
    """A text of the same form in which every letter and digit is a character of its own."""
    number = 0x20000
    result = []
    for character in text:
        result.append(chr(number) if character.isalnum() else character)
        number += character.isalnum()
    return "".join(result)
