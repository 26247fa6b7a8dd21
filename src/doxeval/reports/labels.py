"""Names beside the points of a figure, placed so that they cover neither each other nor points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from unicodedata import east_asian_width

_HEIGHT = 12.0  # of a line of text, in pixels
_CHARACTER = 6.2  # the mean width of a letter at that height, a little generously
_GAP = 7.0
_POINT = 5.0
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Label:
    """A name that found a place on one side of its point."""

    side: str
    box: Box
    # How each side is drawn.
    marks: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "right": {"align": "left", "baseline": "middle", "dx": _GAP},
        "left": {"align": "right", "baseline": "middle", "dx": -_GAP},
        "above": {"align": "center", "baseline": "bottom", "dy": -_GAP},
        "below": {"align": "center", "baseline": "top", "dy": _GAP},
    }
    longest: ClassVar[int] = 130


def placed(
    points: Mapping[str, tuple[float, float]], size: tuple[int, int], first: Sequence[str] = ()
) -> dict[str, Label]:
    """A place for as many names as there is room for; those in `first` choose before others.

    Points are in pixels from the upper left corner of a figure of this size.

    >>> found = placed({"a": (50, 50), "b": (50, 55), "c": (50, 52)}, (100, 100))
    >>> {name: label.side for name, label in found.items()}
    {'a': 'right', 'b': 'left', 'c': 'above'}
    """
    taken = [_around(*point) for point in points.values()]
    found: dict[str, Label] = {}
    for name in dict.fromkeys((*(one for one in first if one in points), *points)):
        for side, box in _boxes(name, *points[name]):
            if _is_inside(box, size) and not any(_overlap(box, other) for other in taken):
                found[name] = Label(side, box)
                taken.append(box)
                break
    return found


def _around(x: float, y: float) -> Box:
    return (x - _POINT, y - _POINT, x + _POINT, y + _POINT)


def _boxes(name: str, x: float, y: float) -> Iterable[tuple[str, Box]]:
    width, half = min(_width(name), float(Label.longest)), _HEIGHT / 2
    yield "right", (x + _GAP, y - half, x + _GAP + width, y + half)
    yield "left", (x - _GAP - width, y - half, x - _GAP, y + half)
    yield "above", (x - width / 2, y - _GAP - _HEIGHT, x + width / 2, y - _GAP)
    yield "below", (x - width / 2, y + _GAP, x + width / 2, y + _GAP + _HEIGHT)


def _width(name: str) -> float:
    """About how wide a name is; ideographs are as wide as they are high."""
    return sum(_HEIGHT if east_asian_width(letter) in "WF" else _CHARACTER for letter in name)


def _is_inside(box: Box, size: tuple[int, int]) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
