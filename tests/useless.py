"""Random worlds with one more document, which is good for nothing: elements of every size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from doxeval.measures import MEASURES, Measure, Need
from doxeval.runs import Kind, Result
from law_cases import Case, varied
from scenes import Scene, scenes
from strategies import Node, Piece

EMPTY = 12  # how many elements without text there are
_USELESS = "useless"


@cache
def useless_scenes(year: str = "highlights") -> list[Scene]:
    """The random worlds, with a document of paragraphs: twelve empty ones, then one of each size.

    The sizes are those of the results.
    """
    return [_with_useless(scene) for scene in scenes(year)]


def _with_useless(scene: Scene) -> Scene:
    texts = [""] * EMPTY + ["x" * size for size in sizes_in(scene)]
    paragraphs = tuple(Node("p", (Piece(text, text),) if text else ()) for text in texts)
    document = (_USELESS, Node("article", paragraphs))
    world = replace(scene.world, documents=(*scene.world.documents, document))
    return Scene(world, scene.scale)


@cache
def sizes_in(scene: Scene) -> list[int]:
    """The sizes of all results, ascending."""
    runs = (scene.world.elements, scene.world.passages)
    return sorted({size for run in runs for size in scene.ranking(run).size.tolist()})


def useless_result(number: int, topic: str) -> Result:
    """One of the useless elements, from 1."""
    return Result(topic, _USELESS, Kind.ELEMENT, paths=(f"/article[1]/p[{number}]",))


def useless_of_size(scene: Scene, size: int, topic: str) -> Result:
    """A useless element of a size; `scene` is the one without useless elements."""
    return useless_result(EMPTY + 1 + sizes_in(scene).index(size), topic)


def useless_cases(name: str, variants: int = 2, **settled: Any) -> Iterator[tuple[Case, Scene]]:
    """Cases of a measure in worlds with useless elements, and the world without them.

    What passages are worth depends on the elements around them, so that measures of elements and
    trees get elements only.
    """
    found = 0
    for number, (plain, scene) in enumerate(zip(scenes(), useless_scenes(), strict=True)):
        random = Random(f"{name} {number}")
        for _ in range(variants):
            measure = varied(MEASURES[name], scene.scale, random, **settled)
            if measure is not None and scene.takes(measure):
                for results in _runs(scene, measure):
                    found += 1
                    yield Case(scene, measure, results), plain
    assert found, f"no world for {name}"


def _runs(scene: Scene, measure: Measure) -> list[tuple[Result, ...]]:
    takes_text = bool(measure.needs & {Need.RETRIEVED_TEXT, Need.RETRIEVED_START})
    return [scene.world.elements, *([scene.world.passages] if takes_text else [])]
