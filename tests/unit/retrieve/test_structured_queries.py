"""Structured queries on arrays, against an evaluator that looks at one element after another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from direct_nexi import Abouts, Directly, as_arrays, listed, some_scores
from doxeval.documents import Collection, example_collection
from doxeval.errors import InputError
from doxeval.retrieve import ElementScores, answer_structured
from doxeval.topics import (
    About,
    Interpretation,
    StructuredQuery,
    Term,
    parse_structured,
)
from helpers import Builder
from levels import LEVEL
from seams import change
from strategies import Node, Piece, collections_of, nexi_queries, nodes

NAMES = ["SSCAS", "SVCAS", "VSCAS", "VVCAS"]
TAGS = ["a", "b"]
TEXTS = ["1", " 2 ", "2.0", "x", "x  y", "\n", "-3", "+2", "10", "é"]

terms = st.sampled_from(["fog", "horn", "sea"]).map(lambda word: (Term((word,)),))
queries = nexi_queries(
    names=TAGS,
    terms=terms,
    numbers=("1", "2", "-3.0"),
    strings=("x", "x \n y", "", "2"),
    attributes=False,
    longest=2,
)
texts = st.sampled_from(TEXTS).map(lambda text: Piece(text, text))
documents = st.lists(collections_of(nodes(texts, TAGS)), min_size=1, max_size=2)


def nested(inside: list[Node]) -> Node:
    """A document that is deep enough for queries of several segments."""
    document = inside[0]
    for number, other in enumerate(inside[1:]):
        document = Node(TAGS[number % 2], (other, document))
    return document


def has_about(query: StructuredQuery) -> bool:
    return any(isinstance(one, About) for one in query.conditions)


@settings(max_examples=6 if LEVEL == "unit" else 100)  # each world is built on the disk
@given(
    roots=documents,
    query=queries.filter(has_about),
    seed=st.integers(0, 99),
    waiting=st.sampled_from([1, 3, 1 << 20]),
)
def test_every_interpretation_equals_the_direct_one_to_the_bit(
    build: Builder, roots: list[list[Node]], query: StructuredQuery, seed: int, waiting: int
) -> None:
    tree = build({f"{number}.xml": nested(inside).source for number, inside in enumerate(roots)})
    about = some_scores(tree, seed)
    for name in NAMES:
        interpretation = Interpretation.named(name)
        with pytest.MonkeyPatch.context() as patch:
            change(patch, nexi_rows_waiting=waiting)
            found = answer_structured(query, interpretation, tree, as_arrays(about), hint=0.25)
        assert listed(found) == Directly(query, interpretation, tree, about).answer(0.25), name
        if interpretation.target == "strict":
            assert set(found.rows.tolist()) <= set(tree.matching(str(query.target)).tolist())


TREE = (
    "<article><yr> 1999\n</yr><fm><yr>2001</yr></fm><sec><p>one</p><p>two</p></sec>"
    "<sec><sec><p>three</p></sec></sec></article>"
)


@pytest.fixture(scope="module")
def tree() -> Collection:
    return example_collection({"d": TREE, "e": TREE.replace("2001", "x"), "f": "<p>four</p>"})


def paths_of(
    tree: Collection, query: str, name: str = "SSCAS", scores: Abouts | None = None
) -> list[tuple[str, float]]:
    about = scores or (lambda _: dict.fromkeys(range(len(tree.nodes.path)), 1.0))
    found = answer_structured(
        parse_structured(query), Interpretation.named(name), tree, as_arrays(about)
    )
    elements = [tree.node(row) for row in found.rows.tolist()]
    return [
        (f"{one.document_id}{one.path}", score)
        for one, score in zip(elements, found.scores.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    ("condition", "documents"),
    [
        ("./yr = 1999", "de"),
        ("./yr = 1999.0", "de"),
        ("./yr = '1999'", "de"),
        ("./yr = '1999.0'", ""),
        ("./yr < 1999", ""),
        (".//yr > 2000", "d"),
        (".//yr != 1999", "de"),
        (".//yr != 'x'", "de"),
        (".//yr >= 'x'", "e"),
        (".//yr = 2001 or .//yr = 'x'", "de"),
        (".//yr = 2001 and .//yr = 1999", "d"),
        ("./yr = 2001", ""),
    ],
)
def test_comparisons(tree: Collection, condition: str, documents: str) -> None:
    found = paths_of(tree, f"//article[({condition}) and about(., a)]")
    assert found == [(f"{document}/article[1]", 1.0) for document in documents]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("= 'fog'", False), ("> 'fog'", True), ("= 'fog horn'", True), ("= ' fog horn '", True)],
)
def test_a_text_is_not_equal_to_its_first_word(condition: str, holds: bool) -> None:
    tree = example_collection({"d": "<a><t>\n fog  horn</t></a>"})
    found = paths_of(tree, f"//a[./t {condition} and about(., a)]")
    assert bool(found) == holds


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("//article[.//yr = 1999]//p[about(., b)]", {1}),
        ("//article[.//yr = 1999 or about(., a)]//p[about(., b)]", {1}),
        ("//article[about(.//p, a) and ./yr = 1999]//sec", {1}),
        ("//article[about(.//p, a) and ./yr = 1999]//nothing", set()),
        ("//article[about(., a)]//p[. = 'three']", set()),
        ("//article[./yr = 1999]//sec[./p = 'three']//p[about(., b)]", {1}),
        ("//book[about(.//p, b)]//sec[./p = 'three']//p[about(., b)]", set()),
        ("//sec[./fm = 1]//article[./yr = 1999]//p[about(., b)]", set()),
        ("//article[about(., a) or ./yr = 1999]//sec", {0, 1}),
    ],
)
def test_text_is_read_only_of_elements_that_pass_everything_else(
    tree: Collection, monkeypatch: pytest.MonkeyPatch, query: str, read: set[int]
) -> None:
    path = "/article[1]/sec[2]/sec[1]/p[1]"
    match = {int(tree.find_nodes([1], [path])[0]): 1.0}
    documents = []
    text_of = tree.text_of

    def reading(document: int) -> str:
        documents.append(document)
        return text_of(document)

    monkeypatch.setattr(tree, "text_of", reading)
    paths_of(tree, query, scores=lambda _: match)
    assert set(documents) == read


def test_without_comparisons_no_text_is_read(build: Builder) -> None:
    without = build({"d.xml": TREE}, text="none")
    assert len(paths_of(without, "//article[about(.//p, a)]//sec")) == 3


def test_a_last_path_without_a_condition(tree: Collection) -> None:
    about = as_arrays(lambda terms: {0: 2.0, 4: 0.5} if len(terms) == 1 else {0: 9.0, 5: -3.0})
    query = parse_structured("//article[about(., a) and about(.//sec, b)]//(sec|p)")
    found = answer_structured(query, Interpretation.named("SSCAS"), tree, about)
    labels = [tree.node(row).path.removeprefix("/article[1]") for row in found.rows.tolist()]
    assert labels == [
        "/sec[1]",
        "/sec[1]/p[1]",
        "/sec[1]/p[2]",
        "/sec[2]",
        "/sec[2]/sec[1]",
        "/sec[2]/sec[1]/p[1]",
    ]
    assert found.scores.tolist() == [2.5] * 6
    assert found.tie_break is not None
    own = dict(zip(labels, found.tie_break.tolist(), strict=True))
    assert own.pop("/sec[1]/p[1]") == -3.0
    assert set(own.values()) == {-np.inf}


def test_a_hint_never_harms(tree: Collection) -> None:
    found = paths_of(tree, "//p[about(., a)]", "VVCAS", lambda _: {0: 1.0, 5: 1.0, 6: -1.0})
    assert found == [
        ("d/article[1]", 1.0),
        ("d/article[1]/sec[1]/p[1]", 1.25),
        ("d/article[1]/sec[1]/p[2]", -0.8),
    ]


@pytest.mark.parametrize("name", ["SSCAS", "VSCAS"])
@pytest.mark.parametrize(
    "condition", [".//p/@id = 3", "about(.//p/@id, x)", "about(., x) and .//p//@id = 'y'"]
)
def test_attributes_are_errors_if_supports_are_strict(
    tree: Collection, name: str, condition: str
) -> None:
    with pytest.raises(InputError) as told:
        paths_of(tree, f"//article[{condition}]", name)
    assert str(told.value).startswith("collections keep no attributes, so ")
    assert "@id" in str(told.value)
    assert "SVCAS, VVCAS" in str(told.value)


def test_what_vague_supports_ignore_is_told(tree: Collection) -> None:
    asked = []

    def about(terms: tuple[Term, ...]) -> ElementScores:
        asked.append(" ".join(map(str, terms)))
        return ElementScores(np.array([0]), np.array([1.0]))

    query = parse_structured(
        "//article[about(.//p, fog -sea) and ./yr = 1 and .//p/@id = 2]//sec[about(./p/@x, no) or "
        'about(.//p, fog "sea lion")]'
    )
    found = answer_structured(query, Interpretation.named("VVCAS"), tree, about)
    assert asked == ['fog -sea "sea lion"']
    assert found.warnings == (
        "collections keep no attributes; ignored: .//p/@id = 2, about(./p/@x, no)",
        "with vague supports, comparisons do not count; ignored: ./yr = 1",
    )
    many = parse_structured(f"//a[about(., x) and {' and '.join(['./yr = 1'] * 500)}]")
    (warning,) = answer_structured(many, Interpretation.named("SVCAS"), tree, about).warnings
    assert warning.endswith("./yr = 1, ./yr = 1, ./yr = 1 and 497 others")


@pytest.mark.parametrize(
    ("query", "name", "message"),
    [
        ("//a[./yr = 1]", "SSCAS", "the query has only comparisons, such as ./yr = 1: "),
        ("//a[./yr = 1]//b", "VVCAS", "the query has only comparisons, such as ./yr = 1: "),
        ("//a[about(./b/@c, x)]", "VVCAS", "the query has only conditions on attributes"),
        ("//a[./b/@c = 1]", "SVCAS", "the query has only conditions on attributes"),
        (
            "//a[./b/@c = 1 or ./yr = 1]",
            "SVCAS",
            "the query has only comparisons and conditions on attributes, such as ./yr = 1: ",
        ),
    ],
)
def test_queries_that_cannot_rank_say_what_is_missing(
    tree: Collection, query: str, name: str, message: str
) -> None:
    with pytest.raises(InputError) as told:
        paths_of(tree, query, name)
    assert str(told.value).startswith(message)
    assert str(told.value).endswith(
        "it needs an about(…) on the text of elements, which gives them scores"
    )


@pytest.mark.parametrize("name", NAMES)
@given(query=nexi_queries(names=["article", "sec", "p", "yr"]))
def test_anything_that_parses_is_answered_or_refused(
    tree: Collection, name: str, query: StructuredQuery
) -> None:
    try:
        answer_structured(query, Interpretation.named(name), tree, as_arrays(some_scores(tree, 3)))
    except InputError as error:
        assert "about(…)" in str(error) or "attributes" in str(error)
