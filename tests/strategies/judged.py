"""Random judgments as the application keeps them, of several assessors."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from doxeval.assess.exchange import Judged
from doxeval.assess.judging import (
    Article,
    Mode,
    Operation,
    OperationRefused,
    State,
    apply,
    gradable,
    problems,
)
from doxeval.documents import Collection, example_collection
from making import ids_may_have_white_space
from strategies.judging import operations_on, trees_to_judge
from strategies.trees import Node

ASSESSORS = ("A1", "A2", "A3")
TOPICS = ("7", "076")


def states_on(article: Article, mode: Mode) -> st.SearchStrategy[State]:
    """States that an assessor can reach; validated where the rules allow it and chance has it."""

    def reached(operations: list[Operation], wants_to_validate: bool) -> State:
        state = State()
        for operation in operations:
            try:
                state = apply(operation, state, article, mode)
            except OperationRefused:
                continue
        if mode == "2006" and state.highlights and state.bep is None:
            state = replace(state, bep=state.highlights[0][0])
        if mode == "2005" and wants_to_validate:
            state = _all_graded(state, article, mode)
        if wants_to_validate and not problems(state, article, mode):
            return replace(state, status="validated", skipped=False)
        return state

    return st.builds(reached, operations_on(article, mode), st.booleans() | st.just(True))


def _all_graded(state: State, article: Article, mode: Mode) -> State:
    """The state with grades for all elements that have none, chosen by their place."""
    for row in gradable(state, article, mode).tolist():
        path = article.path_of(row)
        if path not in state.grades:
            value = ("?", 1, 2)[(row + len(state.highlights)) % 3]
            for grade in (value, 1, 2):
                try:
                    operation = Operation("o", 0, "grade", path=path, value=grade)
                    state = apply(operation, state, article, mode)
                    break
                except OperationRefused:
                    continue
    return state


@dataclass(frozen=True)
class JudgedWorld:
    """A collection, and judgments of its documents."""

    collection: Collection
    mode: Mode
    judged: tuple[Judged, ...]

    def article(self, document: str) -> Article:
        return Article.of(self.collection, document)


@st.composite
def judged_worlds(
    draw: st.DrawFn,
    mode: Mode | None = None,
    assessors: tuple[str, ...] = ASSESSORS,
    spaces: bool = True,
) -> JudgedWorld:
    """A few documents, each judged for some topics by some assessors; spaces: in their ids."""
    chosen: Mode = draw(st.sampled_from(("2006", "2005", "2003"))) if mode is None else mode
    trees: list[Node] = draw(st.lists(trees_to_judge(), min_size=1, max_size=3))
    ids = [f"d{' ' if spaces else '_'}{number}" for number in range(len(trees))]
    sources = [tree.source for tree in trees]
    with ids_may_have_white_space():
        collection = example_collection(dict(zip(ids, sources, strict=True)))
    found = []
    for document in ids:
        article = Article.of(collection, document)
        for topic in TOPICS:
            for assessor in assessors:
                if draw(st.integers(0, 3)):
                    found.append(_judged(draw, topic, assessor, article, chosen))
    return JudgedWorld(collection, chosen, tuple(found))


def _judged(draw: st.DrawFn, topic: str, assessor: str, article: Article, mode: Mode) -> Judged:
    rows = draw(st.lists(st.integers(0, len(article) - 1), max_size=2, unique=True))
    return Judged(
        topic,
        article.document,
        assessor,
        draw(states_on(article, mode)),
        length=len(article.text),
        elements=len(article),
        off_pool=draw(st.booleans()),
        honeypot=draw(st.booleans()),
        pooled=tuple(map(article.path_of, rows)),
    )
