"""Models of navigation by name, and from files of JSON.

What a file of a model holds, and what is checked of it, is said where the model is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from doxeval.errors import FormatError, SourceError
from doxeval.files import decode_json, open_input, read_up_to
from doxeval.named import checked
from doxeval.navigation.graph import DepthNavigation, read_matrix, read_routes, read_summary
from doxeval.navigation.model import Navigation, NoNavigation, refuse_unknown_keys
from doxeval.navigation.tree import HierarchicalNavigation, NeighbourNavigation, read_neighbours

_LARGEST = 256 << 20
# A model, its name, its file, or what the file holds.
NavigationGiven = Navigation | str | os.PathLike[str] | Mapping[str, Any]
_SHARE = re.compile(r"neighbours\(\s*(?:p\s*=\s*)?(\d{0,9}\.?\d{1,18})\s*\)")
# Models that need no file.
BY_NAME: dict[str, Callable[[], Navigation]] = {
    "none": NoNavigation,
    "depth": DepthNavigation,
    "hierarchical": HierarchicalNavigation,
    "neighbours": NeighbourNavigation,
}
# All names that a measure's parameter `nav` may have.
NAMES = (*BY_NAME, "matrix", "routes", "summary", "steady")


@checked
def read_navigation(path: str | os.PathLike[str]) -> Navigation:
    """Read a model of navigation from a JSON file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> _ = path.write_text('{"model": "depth"}')
    >>> read_navigation(path).name
    'depth'
    """
    name = os.fspath(path)
    with open_input(path) as file:
        data = read_up_to(file, _LARGEST)
    if len(data) > _LARGEST:
        raise FormatError(f"more than {_LARGEST:,} bytes in a model of navigation", name)
    return parse_navigation(data, name)


def navigation_named(name: str) -> Navigation | None:
    """Return a model that needs no file by its name; None if there is none of that name.

    >>> navigation_named("depth").name, navigation_named("neighbours(p=.3)").p
    ('depth', 0.3)
    """
    if name in BY_NAME:
        return BY_NAME[name]()
    share = _SHARE.fullmatch(name)
    if share is None:
        return None
    return read_neighbours({"model": "neighbours", "p": float(share[1])}, name)


@checked
def as_navigation(navigation: NavigationGiven) -> Navigation:
    """Return a model given as a value, by its name, as a file, or as a dict like that of a file.

    >>> as_navigation("depth") == as_navigation({"model": "depth"})
    True
    """
    if isinstance(navigation, Navigation):
        return navigation
    if isinstance(navigation, Mapping):
        return _model_of(navigation, "navigation")
    named = navigation_named(navigation) if isinstance(navigation, str) else None
    if named is not None:
        return named
    if not os.path.exists(navigation):
        raise SourceError(
            f"no such file, and no model of navigation of that name; there are "
            f"{', '.join(BY_NAME)}, neighbours(0.3) and files of JSON",
            os.fspath(navigation),
        )
    return read_navigation(navigation)


def parse_navigation(data: bytes, name: str) -> Navigation:
    """Return a model of navigation from the contents of its file.

    >>> parse_navigation(b'{"model": "none"}', "model.json").name
    'none'
    """
    try:
        value = decode_json(data)
    except ValueError as error:
        raise FormatError(f"this is not JSON: {error}", name) from None
    return _model_of(value, name)


def _model_of(value: Any, name: str) -> Navigation:
    model = value.get("model") if isinstance(value, Mapping) else None
    if not isinstance(model, str) or model not in READERS:
        raise FormatError(f'expected {{"model": …}} with one of {", ".join(READERS)}', name)
    return READERS[model](value, name)


# One reader for each model


def _named(data: Mapping[str, Any], origin: str) -> Navigation:
    """Return a model that has no parameters: its name says everything."""
    name: str = data["model"]
    refuse_unknown_keys(data, ("model",), name, origin)
    return BY_NAME[name]()


READERS: dict[str, Callable[[Mapping[str, Any], str], Navigation]] = {
    "matrix": read_matrix,
    "routes": read_routes,
    "summary": read_summary,
    **dict.fromkeys(BY_NAME, _named),
    "neighbours": read_neighbours,
}
