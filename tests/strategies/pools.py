"""Random runs to be pooled, with repeated results and several spellings of a part."""

from __future__ import annotations

from hypothesis import strategies as st

from doxeval.assessments import Assessments
from doxeval.documents import normalise_id
from doxeval.pooling import (
    LEVELS,
    METHODS,
    Pool,
    PooledDocument,
    PooledElement,
    PooledRun,
    PoolFacts,
)
from doxeval.runs import Kind, Result, Run

_DOCUMENTS = ["a", "b", "c", "d", "e", "f"]
_PATHS = ["/s[1]", "/s", "/s[1]/p[1]", "/s/p", "/s[1]/p", "/s[1]/p[2]", "/s/p[2]", "/s[1]/été[3]"]


def runs_to_pool() -> st.SearchStrategy[list[Run]]:
    """Up to four runs with distinct names, some of them empty."""
    return st.lists(st.lists(_results(), max_size=14), min_size=1, max_size=4).map(
        lambda several: [
            Run.from_results(results, name)
            for name, results in zip(("one", "two", "three", "four"), several, strict=False)
        ]
    )


def judged_documents() -> st.SearchStrategy[Assessments]:
    """Judgments of some of the documents that such runs return, relevant or not."""
    documents = st.sampled_from(_DOCUMENTS)
    grades = st.dictionaries(documents, st.integers(0, 1), min_size=1, max_size=6)
    return st.fixed_dictionaries({"7": grades, "8": grades}).map(Assessments.from_dict)


def pools(plain: bool = False) -> st.SearchStrategy[Pool]:
    """Pools with all kinds of names; plain ones hold only what lines of text can say."""
    names = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=6).filter(
        lambda name: normalise_id(name) == name
    )
    offsets = st.tuples(st.integers(0, 99), st.integers(0, 99)).map(sorted)
    parts = st.one_of(
        st.sampled_from(_PATHS).map(PooledElement),
        offsets.map(lambda two: PooledElement(None, *two)),
    )
    ranks = st.lists(st.tuples(names, st.integers(1, 99)), max_size=3).map(tuple)
    document = st.builds(
        PooledDocument,
        names,
        st.just(0.0) if plain else st.floats(0, 1),
        st.just(()) if plain else st.lists(parts, max_size=3, unique=True).map(tuple),
        st.just(()) if plain else ranks,
    )
    documents = st.lists(document, min_size=plain, max_size=4, unique_by=lambda one: one.document)
    topics = names.filter(lambda name: not name.startswith(("<", "{"))) if plain else names
    by_topic = st.dictionaries(topics, documents.map(tuple), min_size=1, max_size=3)
    return st.builds(Pool, by_topic, st.just(PoolFacts()) if plain else _facts(names))


def _facts(names: st.SearchStrategy[str]) -> st.SearchStrategy[PoolFacts]:
    files = names | st.none()
    runs = st.builds(PooledRun, names, st.integers(0, 9999), files, files)
    numbers = st.none() | st.integers(1, 1000)
    return st.builds(
        PoolFacts,
        st.sampled_from(METHODS),
        numbers,
        numbers,
        st.sampled_from(LEVELS),
        st.integers(0, 9),
        st.lists(runs, max_size=3).map(tuple),
        st.lists(st.tuples(names, files), max_size=2).map(tuple),
        files,
        files,
        files,
    )


def _results() -> st.SearchStrategy[Result]:
    paths = st.sampled_from(_PATHS)
    offsets = st.integers(0, 3)
    units = st.one_of(
        st.just((Kind.DOCUMENT, None, None, ())),
        paths.map(lambda path: (Kind.ELEMENT, None, None, (path,))),
        st.tuples(offsets, offsets).map(lambda two: (Kind.PASSAGE, min(two), max(two), ())),
        offsets.map(lambda offset: (Kind.POINT, offset, None, ())),
        st.lists(paths, min_size=1, max_size=2).map(
            lambda nodes: (Kind.TREE, None, None, tuple(nodes))
        ),
        st.just((Kind.PASSAGE, None, None, ("/s[1]/text()[1].2", "/s[1]/text()[1].5"))),
    )
    return st.builds(
        lambda topic, document, unit: Result(topic, document, *unit),
        st.sampled_from(["7", "8"]),
        st.sampled_from(_DOCUMENTS),
        units,
    )
