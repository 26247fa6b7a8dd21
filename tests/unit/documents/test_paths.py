"""Paths, patterns, text points and the innermost element, on random collections."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    BuildOptions,
    Collection,
    PathPattern,
    build_collection,
    format_path,
    format_point,
    parse_path,
    parse_point,
)
from doxeval.errors import InputError, SyntaxProblem, UnknownReference
from levels import examples
from seams import change
from strategies import TAGS, Node, collections_of, located


@contextmanager
def opened(documents: list[Node], **options: object) -> Iterator[Collection]:
    with tempfile.TemporaryDirectory() as directory:
        for number, document in enumerate(documents):
            (Path(directory) / f"{number}.xml").write_bytes(document.source.encode())
        out = Path(directory) / "collection"
        build_collection([directory], out, BuildOptions(**options))  # type: ignore[arg-type]
        yield Collection(out)


@examples(60)
@given(collections_of())
def test_path_to_node_and_back(documents: list[Node]) -> None:
    with opened(documents) as collection:
        elements = [(n, e) for n, document in enumerate(documents) for e in located(document)]
        numbers = collection.find_documents([f"./{n}.xml" for n, _ in elements])
        nodes = collection.find_nodes(numbers, [element.path for _, element in elements])
        assert nodes.tolist() == list(range(len(elements)))
        assert [collection.path_of(node) for node in nodes.tolist()] == [
            element.path for _, element in elements
        ]
        for node, (number, expected) in enumerate(elements):
            element = collection.element(str(number), expected.path)
            assert element.node == node
            assert (element.start, element.end) == (expected.start, expected.end)
            assert element.text == documents[number].text[expected.start : expected.end]
            assert (element.parent and element.parent.path) == expected.parent


_STEPS = st.tuples(st.sampled_from(TAGS), st.integers(1, 3))


@examples(60)
@given(
    collections_of(),
    st.lists(st.tuples(st.integers(-1, 5), st.lists(_STEPS, min_size=1, max_size=5)), max_size=30),
)
def test_a_path_that_names_nothing_is_not_found(
    documents: list[Node], questions: list[tuple[int, list[tuple[str, int]]]]
) -> None:
    with opened(documents) as collection:
        where = {
            (n, element.path): row
            for row, (n, element) in enumerate(
                (n, element)
                for n, document in enumerate(documents)
                for element in located(document)
            )
        }
        numbers = [min(number, len(documents) - 1) for number, _ in questions]
        paths = ["".join(f"/{tag}[{n}]" for tag, n in steps) for _, steps in questions]
        found = collection.find_nodes(numbers, paths).tolist()
        assert found == [where.get(pair, -1) for pair in zip(numbers, paths, strict=True)]
        for number, path, node in zip(numbers, paths, found, strict=True):
            if number >= 0 and node < 0:
                with pytest.raises(UnknownReference, match="nothing at"):
                    collection.element(str(number), path)


@examples(40)
@given(collections_of(), st.sampled_from(["keep", "strip"]))
def test_text_points_both_ways(documents: list[Node], whitespace: str) -> None:
    with opened(documents, whitespace=whitespace) as collection:
        points = collection.points()
        for number, document in enumerate(documents):
            text = document.text
            for element in located(document):
                node = collection.element(str(number), element.path).node
                expected = [
                    (start, end)
                    for start, end in element.text_nodes
                    if whitespace == "keep" or text[start:end].strip()
                ]
                assert points.text_nodes(node) == expected
                for n, (start, end) in enumerate(expected, 1):
                    for offset in range(start, end + 1):
                        point = f"{element.path}/text()[{n}].{offset - start}"
                        assert points.offset(str(number), point) == offset
                        if offset < end:
                            assert points.point(str(number), offset, "start") == point
                        if offset > start:
                            assert points.point(str(number), offset, "end") == point
                assert points.offset(str(number), element.path, "start") == element.start
                assert points.offset(str(number), element.path, "end") == element.end


@examples(60)
@given(collections_of(), st.data())
def test_innermost_element_around_a_range(documents: list[Node], data: st.DataObject) -> None:
    with opened(documents) as collection:
        number = data.draw(st.integers(0, len(documents) - 1))
        length = len(documents[number].text)
        ranges = data.draw(
            st.lists(st.tuples(st.integers(-1, length + 1), st.integers(-1, length + 1)))
        )
        found = collection.innermost(
            [number] * len(ranges),
            [start for start, _ in ranges],
            np.array([end for _, end in ranges], dtype=np.int64),
        )
        elements = located(documents[number])
        for (start, end), node in zip(ranges, found.tolist(), strict=True):
            if not 0 <= start <= end <= length:
                assert node == -1
                continue
            around = [e for e in elements if e.start <= start and end <= e.end]
            path = collection.path_of(node)
            assert path in {element.path for element in around}
            if start < end:  # for an empty range several elements may be innermost
                assert path == max(around, key=lambda element: element.path.count("/")).path


@examples(60)
@given(collections_of())
def test_neighbours_by_arithmetic(documents: list[Node]) -> None:
    with opened(documents) as collection:
        for number, document in enumerate(documents):
            elements = located(document)
            for expected in elements:
                element = collection.element(str(number), expected.path)
                below = [e.path for e in elements if e.path.startswith(expected.path + "/")]
                assert [e.path for e in element.descendants()] == below
                children = [e.path for e in elements if e.parent == expected.path]
                assert [child.path for child in element.children()] == children
                above = [
                    e.path for e in reversed(elements) if expected.path.startswith(e.path + "/")
                ]
                assert [ancestor.path for ancestor in element.ancestors()] == above
                beside = [
                    e.path
                    for e in elements
                    if expected.parent and e.parent == expected.parent and e.path != expected.path
                ]
                assert [sibling.path for sibling in element.siblings()] == beside
                assert element in collection.root(str(number))


def pattern_texts() -> st.SearchStrategy[str]:
    node = st.one_of(
        st.sampled_from(TAGS),
        st.just("*"),
        st.lists(st.sampled_from(TAGS), min_size=2, max_size=3).map(lambda t: f"({'|'.join(t)})"),
    )
    step = st.tuples(st.sampled_from(["/", "//"]), node).map("".join)
    return st.lists(step, min_size=1, max_size=4).map("".join)


@examples(60)
@given(collections_of(), st.lists(pattern_texts(), min_size=1, max_size=8))
def test_patterns_agree_with_regular_expressions(documents: list[Node], texts: list[str]) -> None:
    with opened(documents) as collection:
        elements = [element for document in documents for element in located(document)]
        labels = [re.sub(r"\[\d+\]", "", element.path) for element in elements]
        for text in texts:
            expression = re.sub(r"//|/|\*|[^/*()|]+", _as_expression, text)
            expected = [n for n, label in enumerate(labels) if re.fullmatch(expression, label)]
            assert collection.matching(text).tolist() == expected
            with pytest.MonkeyPatch.context() as patch:
                change(patch, collection_rows=3)
                assert collection.matching(text).tolist() == expected


def _as_expression(token: re.Match[str]) -> str:
    meanings = {"//": "(?:/[^/]+)*/", "/": "/", "*": "[^/]+"}
    return meanings.get(token[0], re.escape(token[0]))


@given(st.lists(_STEPS, min_size=1, max_size=8), st.integers(1, 9), st.integers(0, 99))
def test_paths_and_points_print_as_they_parse(
    steps: list[tuple[str, int]], text_node: int, offset: int
) -> None:
    path = "".join(f"/{tag}[{ordinal}]" for tag, ordinal in steps)
    assert format_path(parse_path(path)) == path
    assert format_path(parse_path(path.replace("[1]", ""))) == path
    assert format_point(parse_point(path)) == path
    point = f"{path}/text()[{text_node}].{offset}"
    assert format_point(parse_point(point)) == point


@pytest.mark.parametrize(
    "text", ["", "/", "a", "a/b", "/a[0]", "/a[00]", "/a[1", "/a//b", "/a[x]", "/a/text()"]
)
def test_bad_paths_are_refused(text: str) -> None:
    with pytest.raises(SyntaxProblem, match="expected"):
        parse_path(text)


@pytest.mark.parametrize(
    "text", ["/a/text()[1]", "/a/text()[1].x", "/text()[1].2", "/a/text()[1].-2"]
)
def test_bad_points_are_refused(text: str) -> None:
    with pytest.raises(SyntaxProblem):
        parse_point(text)


@pytest.mark.parametrize("text", ["", "sec", "//", "//(a)", "//a|b", "//a[1]", "/a b", "//(a|"])
def test_bad_patterns_are_refused(text: str) -> None:
    with pytest.raises(SyntaxProblem, match="expected"):
        PathPattern.parse(text)


def test_points_that_do_not_resolve_say_why() -> None:
    with opened([Node("p")], whitespace="keep") as collection:
        points = collection.points()
        problems = points.offsets(
            [0, 0, 0, -1],
            ["/p[1]/text()[1].0", "/p[1]/q[2]", "nonsense", "/p[1]"],
        )
        assert all(isinstance(problem, InputError) for problem in problems)
        assert [str(problem) for problem in problems] == [
            "/p[1] has 0 text nodes; there is no number 1",
            "nothing at /p[1]/q[2] in 0: /p[1] has no q",
            "'nonsense' is not a path: expected something like /article[1]/sec[2]",
            "no such document",
        ]
        assert points.point("0", 0) == "/p[1]"
        with pytest.raises(UnknownReference, match="no offset 5"):
            points.point("0", 5)


def test_a_path_of_many_steps_is_answered_at_once() -> None:
    with opened([Node("p")]) as collection:
        path = "/p[1]" * 200_000
        assert collection.find_nodes([0], [path]).tolist() == [-1]
