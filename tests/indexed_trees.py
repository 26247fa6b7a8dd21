"""Indexes of random trees, and the files they are made of."""

from __future__ import annotations

from pathlib import Path
from random import Random

from doxeval.documents import example_collection
from doxeval.retrieve import Index, build_index
from strategies.trees import Node, Piece


def indexed(trees: list[Node], **options: object) -> Index:
    sources = {f"d{number}": tree.source for number, tree in enumerate(trees)}
    collection = example_collection(sources)
    return Index(build_index(collection, **options).directory, collection)  # type: ignore[arg-type]


def files_of(directory: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in directory.iterdir() if path.name != "manifest.json"
    }


def random_trees() -> list[Node]:
    """Thirty documents of few different words; the same every time."""
    random = Random(7)
    vocabulary = [f"w{number}" for number in range(60)]

    def text() -> str:
        return " ".join(random.choices(vocabulary, k=random.randrange(12)))

    return [
        Node("article", tuple(Node("p", (Piece(words, words),)) for words in (text(), text())))
        for _ in range(30)
    ]
