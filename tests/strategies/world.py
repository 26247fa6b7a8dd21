"""Random worlds: everything that a small evaluation needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from random import Random

from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment, JudgmentColumns, TopicAnswer
from doxeval.documents import Collection, example_collection
from doxeval.runs import ChunkTable, Result, Run
from strategies.trees import Node, Piece, located
from strategies.world_documents import library_of
from strategies.world_judgments import (
    graded,
    graded_document,
    highlighted,
    known_answers,
    needed,
    with_subtopics,
    with_units,
)
from strategies.world_results import (
    returned_chunks,
    returned_elements,
    returned_passages,
    returned_trees,
)

_Judge = Callable[[Random, str, str, Node], Judgment | None]


@dataclass(frozen=True)
class World:
    """Everything a small evaluation needs: documents, judgments, and what four systems returned.

    documents: trees by id; judgments: all of one kind (highlights, grades of one year, or units);
    elements, passages, trees, chunks: the results of a run of elements (and whole documents), of
    one of passages, of one of trees, and of one whose results have one range or several and may
    come twice. answers: what is known of the answers of some topics, judged or not.
    Some topics are in the judgments only, some in the runs only. Scores have ties and are in no
    order; ranks follow the list.
    """

    documents: tuple[tuple[str, Node], ...]
    judgments: tuple[Judgment, ...]
    elements: tuple[Result, ...]
    passages: tuple[Result, ...]
    trees: tuple[Result, ...] = ()
    chunks: tuple[Result, ...] = ()
    answers: tuple[tuple[str, TopicAnswer], ...] = ()

    @property
    def sources(self) -> dict[str, str]:
        """The documents as XML."""
        return {document: node.source for document, node in self.documents}

    def collection(self) -> Collection:
        """The documents as a collection; worlds with the same documents share it."""
        return _built(tuple(self.sources.items()))

    def assessments(self) -> Assessments:
        """The judgments, in their order."""
        return Assessments(self.judgment_columns())

    def judgment_columns(self) -> JudgmentColumns:
        """The judgments as columns, with what is known of answers."""
        return JudgmentColumns.of(self.judgments).with_answers(dict(self.answers))

    def element_run(self) -> Run:
        """The run of elements."""
        return Run.from_results(self.elements, "elements")

    def passage_run(self) -> Run:
        """The run of passages."""
        return Run.from_results(self.passages, "passages")

    def tree_run(self) -> Run:
        """The run of trees."""
        return Run.from_results(self.trees, "trees")

    @property
    def all_chunks(self) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
        """All chunks there are: those that were returned, and pieces of all documents."""
        returned = {(one.document, one.spans): None for one in self.chunks if one.spans}
        pieces = [
            (document, ((start, min(start + 7, len(node.text))),))
            for document, node in self.documents
            for start in range(0, len(node.text), 7)
        ]
        return [*returned, *pieces]

    def chunk_table(self) -> ChunkTable:
        """The same as a table."""
        chunks = self.all_chunks or [("a", ((0, 1),))]
        ids = [str(number) for number in range(len(chunks))]
        documents = [document for document, _ in chunks]
        return ChunkTable.of(ids, documents, [spans for _, spans in chunks])

    def chunk_run(self) -> Run:
        """The run of results with one range or several."""
        return Run.from_results(self.chunks, "chunks")


@cache
def _built(sources: tuple[tuple[str, str], ...]) -> Collection:
    return example_collection(dict(sources))


def worlds() -> st.SearchStrategy[World]:
    """Worlds with highlighted text and best entry points."""
    return _worlds(highlighted)


def graded_worlds(scale: int) -> st.SearchStrategy[World]:
    """Worlds with grades of elements of 2002 or 2003, or lists of elements of 2005.

    Those of 2005 have highlights too, which do not agree with the sizes in the lists.
    """
    return _worlds(partial(graded, scale=scale))


def needed_worlds() -> st.SearchStrategy[World]:
    """Worlds in which text answers needs, some of which have alternatives and grades."""
    return _worlds(needed)


def document_worlds() -> st.SearchStrategy[World]:
    """Worlds of up to twelve documents that have grades and are returned as a whole."""
    return st.builds(
        _document_world,
        st.integers(0, 2**32).map(Random),
        count=st.integers(1, 12),
        topics=st.integers(1, 3),
    )


def _document_world(random: Random, count: int, topics: int) -> World:
    names = "abcdefghijkl"[:count]
    documents = tuple((name, Node("article", (Piece(name, name),))) for name in names)
    pairs = [(topic, *document) for topic in "123"[:topics] for document in documents]
    judgments = tuple(j for pair in pairs if (j := graded_document(random, *pair)) is not None)
    returned = [
        Result(topic, name, rank=rank, score=float(count - rank))
        for topic in "123"[:topics]
        for rank, name in enumerate(random.sample(names, random.randint(0, count)), 1)
    ]
    return World(documents, judgments or (Judgment("1", "a", relevance=1),), tuple(returned), ())


def subtopic_worlds() -> st.SearchStrategy[World]:
    """Worlds in which documents have grades for subtopics."""
    return _worlds(with_subtopics)


def unit_worlds() -> st.SearchStrategy[World]:
    """Worlds with assessed trees of elements; some have highlighted text too."""
    return _worlds(with_units)


def step_matrices(world: World, random: Random) -> dict[str, dict[str, dict[str, float]]]:
    """Probabilities of going from elements to others of the same document."""
    return {
        document: {
            source.path: {
                target.path: round(random.random() / 2, 3)
                for target in located(node)
                if random.random() < 0.6
            }
            for source in located(node)
        }
        for document, node in world.documents
    }


def _worlds(judged: _Judge) -> st.SearchStrategy[World]:
    """Sizes are drawn one by one, so that they shrink; the rest follows from random numbers.

    Documents come from a few hundred small libraries, because building one takes its time.
    """
    return st.builds(
        partial(_world, judged),
        st.integers(0, 2**32).map(Random),
        library=st.integers(0, 299),
        topics=st.integers(1, 3),
        most=st.integers(0, 9),
    )


def _world(judged: _Judge, random: Random, library: int, topics: int, most: int) -> World:
    documents = library_of(library)
    pairs = [(topic, *document) for topic in "123"[:topics] for document in documents]
    judgments = tuple(j for pair in pairs if (j := judged(random, *pair)) is not None)
    world = World(
        documents,
        judgments or (Judgment("1", "a"),),
        tuple(r for t in "123"[:topics] for r in returned_elements(random, t, documents, most)),
        tuple(r for t in "123"[:topics] for r in returned_passages(random, t, documents, most)),
        tuple(r for t in "123"[:topics] for r in returned_trees(random, t, documents, most)),
        tuple(r for t in "123"[:topics] for r in returned_chunks(random, t, documents, most)),
    )
    return _with_answers(world, random, "123"[:topics], most)


def _with_answers(world: World, random: Random, topics: str, most: int) -> World:
    """Add answers as strings, and perhaps a topic without an answer and what is returned for it."""
    documents = world.documents
    answers = known_answers(random, topics, documents)
    if "9" not in dict(answers):
        return replace(world, answers=answers)
    return replace(
        world,
        elements=(*world.elements, *returned_elements(random, "9", documents, most)),
        passages=(*world.passages, *returned_passages(random, "9", documents, most)),
        trees=(*world.trees, *returned_trees(random, "9", documents, most)),
        chunks=(*world.chunks, *returned_chunks(random, "9", documents, most)),
        answers=answers,
    )
