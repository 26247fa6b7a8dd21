"""Padding to the cut-off changes nothing: measures over elements, with grades of every year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import pytest

from doxeval.measures import FAMILIES, Measure
from doxeval.runs import Kind, Result
from law_cases import cases
from scenes import Scene, Scores, every_year
from strategies import Node, Piece, World

USELESS = "useless"  # a document of which no assessor has seen anything
MANY = 25
CUT_OFFS = [
    kind.name
    for family in FAMILIES
    if family.name in ("xcg", "inex_eval", "ng")
    for kind in family.measures
    if any(spec.metadata.get("sign") == "@" for spec in fields(kind))
]
# Precision in characters falls with every character that is read, so there only empty results
# are useless without harm.
BY_SIZE = {"ngP"}


def world_with_useless_elements(world: World, text: str) -> World:
    """The world with a document of many elements that hold this text."""
    elements = tuple(Node("p", (Piece(text, text),) if text else ()) for _ in range(MANY))
    return replace(world, documents=(*world.documents, (USELESS, Node("article", elements))))


def padded(results: Sequence[Result], topics: Sequence[str], k: int) -> list[Result]:
    """The list of each topic, filled up to k results."""
    found = []
    for topic in topics:
        own = [one for one in results if one.topic == topic]
        paths = (f"/article[1]/p[{n}]" for n in range(1, k - len(own) + 1))
        fill = [Result(topic, USELESS, Kind.ELEMENT, paths=(path,)) for path in paths]
        found += [*own, *fill]
    return found


def scores_with_and_without(
    scene: Scene, measure: Measure, results: Sequence[Result], text: str
) -> tuple[Scores, Scores]:
    wider = Scene(world_with_useless_elements(scene.world, text), scene.scale)
    topics = wider.truth.topics
    long = padded(results, topics, MANY)
    return wider.scores(measure, results), wider.scores(measure, long)


@every_year
@pytest.mark.parametrize("name", CUT_OFFS)
def test_padding_to_the_cut_off_changes_nothing(name: str, year: str) -> None:
    for case in cases(name, year, variants=1, k=MANY):
        for text in [""] if name in BY_SIZE else ["", "nothing"]:
            short, long = scores_with_and_without(case.scene, case.measure, case.results, text)
            assert long == pytest.approx(short, abs=1e-12), case.told(text)


def test_there_are_cut_offs_to_pad_to() -> None:
    assert {"nxCG", "MAnxCG", "xCG", "gr", "qP", "qR", "ngP", "ngR"} == set(CUT_OFFS)
