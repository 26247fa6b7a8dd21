"""Sizes, specificity and recall bases, against sets of characters and paths walked one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    LINKS,
    QUANTISATIONS,
    AssessedElements,
    Assessments,
    Grade2002,
    Grade2003,
    GradedElement,
    Judgment,
    MeasuredElement,
    PathForest,
    RecallBase,
    elements_from_grades,
    elements_from_highlights,
    elements_from_lists,
    full_recall_base,
    ideal_recall_base,
)
from doxeval.documents import example_collection
from doxeval.errors import FormatError, SyntaxProblem, UnknownReference
from helpers import Builder
from levels import examples
from strategies import Node, collections_of, graded_elements, highlights, located

Values = dict[tuple[str, str, str], Fraction]
TAGS = ["article", "sec", "p", "b"]


def chosen(base: RecallBase, names: dict[tuple[int, int], tuple[str, str, str]]) -> Values:
    """A base as {(topic, document, path): value}."""
    found: Values = {}
    for row in range(len(base)):
        name = names[int(base.topic[row]), int(base.row[row])]
        found[name] = Fraction(int(base.numerator[row]), int(base.denominator[row]))
    return found


def brute_force_ideal(full: Values) -> Values:
    """By the words of the definition: every maximal relevant path, its best element, no overlap."""

    def is_above(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
        return one[:2] == other[:2] and other[2].startswith(one[2] + "/")

    kept = set()
    for leaf in full:
        if any(is_above(leaf, other) for other in full):
            continue  # the path goes on
        path = sorted(
            (one for one in full if one == leaf or is_above(one, leaf)), key=lambda n: len(n[2])
        )
        kept.add(max(path, key=lambda one: full[one]))  # the first of equal ones: the highest
    return {one: full[one] for one in kept if not any(is_above(other, one) for other in kept)}


@examples(60)
@given(collections_of(most=3), st.data())
def test_highlights_make_the_bases_that_sets_of_characters_make(
    documents: list[Node], data: st.DataObject
) -> None:
    collection = example_collection({f"d{n}": node.source for n, node in enumerate(documents)})
    assert len(collection) == len(documents)
    ranges = {
        (topic, n): [r for r in data.draw(highlights(20)) if r[1] <= len(document.text)]
        for topic in ("7", "8")
        for n, document in enumerate(documents)
    }
    judged = [Judgment(topic, f"d{n}", tuple(found)) for (topic, n), found in ranges.items()]
    elements = elements_from_highlights(Assessments(judged), collection)
    ignored = data.draw(st.sets(st.sampled_from(["p", "sec"])))

    expected: dict[tuple[str, str, str], tuple[int, int]] = {}
    tags = {}
    for (topic, n), found in ranges.items():
        characters = {at for start, end in found for at in range(start, end)}
        for element in located(documents[n]):
            own = set(range(element.start, element.end))
            tags[topic, f"d{n}", element.path] = element.tag
            if own & characters:
                expected[topic, f"d{n}", element.path] = (len(own), len(own & characters))
    names = {
        (int(elements.topic[row]), row): (
            ("7", "8")[int(elements.topic[row])],
            collection.id_of(int(elements.document[row])),
            collection.path_of(int(elements.node[row])),
        )
        for row in range(len(elements))
    }
    sizes = zip(elements.size.tolist(), elements.rsize.tolist(), strict=True)
    assert dict(zip(names.values(), sizes, strict=True)) == expected

    full = full_recall_base(elements, QUANTISATIONS["spec"], ignored)
    values = {
        name: Fraction(rsize, size)
        for name, (size, rsize) in expected.items()
        if tags[name] not in ignored
    }
    assert chosen(full, names) == values
    assert chosen(ideal_recall_base(full), names) == brute_force_ideal(values)


@given(st.lists(st.lists(graded_elements((2003,)), max_size=8), min_size=1, max_size=4))
def test_grades_make_bases_without_a_collection(said: list[list[GradedElement]]) -> None:
    once = [{element.path: element for element in elements} for elements in said]
    judged = [Judgment("7", f"d{n}", grades=tuple(e.values())) for n, e in enumerate(once)]
    elements = elements_from_grades(Assessments(judged))
    assert elements.forest is not None
    names = {}
    for number, document in enumerate(once):
        for path in document:
            home = elements.forest.find_documents([("7", f"d{number}")])
            (node,) = elements.forest.find_nodes(home, [path])
            (row,) = elements.find(np.array([0]), np.array([node]))
            if row >= 0:
                names[0, int(row)] = ("7", f"d{number}", path)
    for name in ("strict", "gen", "sog"):
        full = full_recall_base(elements, QUANTISATIONS[name])
        values = {
            ("7", f"d{n}", path): value
            for n, document in enumerate(once)
            for path, element in document.items()
            if element.grade is not None and (value := QUANTISATIONS[name].value(element.grade)) > 0
        }
        assert chosen(full, names) == values
        assert chosen(ideal_recall_base(full), names) == brute_force_ideal(values)


@given(collections_of(most=1))
def test_paths_alone_nest_as_the_collection_does(documents: list[Node]) -> None:
    collection = example_collection({"a": documents[0].source})
    places = located(documents[0])
    forest = PathForest([("a", [place.path for place in places])])
    nodes = forest.find_nodes([0] * len(places), [place.path for place in places])
    assert nodes.tolist() == list(range(len(places)))
    assert forest.after.tolist() == (np.arange(len(places)) + collection.nodes.size).tolist()
    assert [forest.tags[tag] for tag in forest.tag.tolist()] == [place.tag for place in places]


def listed(*elements: MeasuredElement) -> AssessedElements:
    return elements_from_lists(Assessments([Judgment("7", "a", elements=elements)]))


def test_lists_of_2005_give_exhaustivity_and_the_share_in_the_file() -> None:
    elements = listed(
        MeasuredElement("/a[1]", 2, 100, 50),
        MeasuredElement("/a[1]/p[1]", 1, 50, 50),
        MeasuredElement("/a[1]/p[2]", None, 10, 5),
        MeasuredElement("/a[1]/p[3]", 2, 0, 0),
    )
    values = {
        name: full_recall_base(elements, QUANTISATIONS[name]).value.tolist()
        for name in ("strict5", "gen5", "genLifted")
    }
    assert values == {"strict5": [], "gen5": [1.0, 1.0], "genLifted": [1.5, 2.0, 0.5]}
    gen5 = full_recall_base(elements, QUANTISATIONS["gen5"])
    assert ideal_recall_base(gen5).row.tolist() == [0]  # of equal values the higher element
    with pytest.raises(
        SyntaxProblem, match="strict takes grades of 2002 or grades of 2003–04, not"
    ):
        full_recall_base(elements, QUANTISATIONS["strict"])
    with pytest.raises(FormatError, match="has rsize 6, more than its size 5"):
        listed(MeasuredElement("/a[1]", 2, 5, 6))


def test_lists_of_2005_take_the_share_from_passages(build: Builder) -> None:
    collection = build({"a.xml": "<a><p>1234567890</p><p/></a>"})
    elements = (MeasuredElement("/a[1]/p[1]", 2, 999, 9), MeasuredElement("/a[1]/p[2]", 1, 9, 9))
    assessments = Assessments([Judgment("7", "a", ((0, 4),), elements=elements)])
    from_file = elements_from_lists(assessments, collection)
    from_passages = elements_from_lists(assessments, collection, "passages")
    assert from_file.grades.part.tolist() == [1, 1]
    assert from_passages.rsize.tolist() == [4, 0]
    assert from_passages.size.tolist() == [10, 0]
    assert full_recall_base(from_passages, QUANTISATIONS["gen5"]).value.tolist() == [0.8]


def test_what_cannot_be_placed_or_compared_is_refused(build: Builder) -> None:
    def graded(*elements: GradedElement) -> Assessments:
        return Assessments([Judgment("7", "a", grades=elements, origin="a.xml", line=3)])

    one, other = Grade2003(3, 3), Grade2003(3, 2)
    collection = build({"a.xml": "<a><p>x</p></a>"})
    with pytest.raises(
        UnknownReference, match=r"a\.xml:3: no element /a\[1\]/p\[2\] in document a"
    ):
        elements_from_grades(graded(GradedElement("/a[1]/p[2]", one)), collection)
    with pytest.raises(FormatError, match=r"a\.xml:3: /a\[1\] of document a has two grades"):
        elements_from_grades(graded(GradedElement("/a", one), GradedElement("/a[1]", other)))
    same = graded(GradedElement("/a", one), GradedElement("/a[1]", one))
    assert len(elements_from_grades(same)) == 1
    with pytest.raises(FormatError, match="in one set of assessments cannot be compared"):
        elements_from_grades(
            graded(GradedElement("/a", one), GradedElement("/b", Grade2002(1, "E")))
        )
    placed = elements_from_grades(graded(GradedElement("/a[1]/p[1]", one)), collection)
    assert (placed.node.tolist(), placed.size.tolist()) == ([1], [1])


def test_the_links_of_2006() -> None:
    assert sorted(LINKS) == [
        "collectionlink",
        "imagelink",
        "languagelink",
        "outsidelink",
        "redirectlink",
        "unknownlink",
        "weblink",
        "wikipedialink",
    ]
