"""Models of navigation by name, and from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from doxeval.errors import FormatError
from doxeval.files import opened, parsed_json, read_up_to
from doxeval.navigation.checked_json import refuse_unknown_keys
from doxeval.navigation.hierarchical import HierarchicalNavigation
from doxeval.navigation.matrix import read_matrix
from doxeval.navigation.model import Navigation, NoNavigation
from doxeval.navigation.neighbours import NeighbourNavigation, read_neighbours
from doxeval.navigation.routes import read_routes
from doxeval.navigation.summary import DepthNavigation, read_summary

_LARGEST = 256 << 20
# Models that need no file.
BY_NAME: dict[str, Callable[[], Navigation]] = {
    "none": NoNavigation,
    "depth": DepthNavigation,
    "hierarchical": HierarchicalNavigation,
    "neighbours": NeighbourNavigation,
}
# All names that a measure's parameter `nav` may have.
NAMES = (*BY_NAME, "matrix", "routes", "summary", "steady")


def _named(data: Mapping[str, Any], origin: str) -> Navigation:
    """A model that has no parameters: its name says everything."""
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


def read_navigation(path: str | os.PathLike[str]) -> Navigation:
    """Read a model of navigation from a JSON file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> _ = path.write_text('{"model": "depth"}')
    >>> read_navigation(path).name
    'depth'
    """
    name = os.fspath(path)
    with opened(path) as file:
        data = read_up_to(file, _LARGEST)
    if len(data) > _LARGEST:
        raise FormatError(f"more than {_LARGEST:,} bytes in a model of navigation", name)
    return parse_navigation(data, name)


def parse_navigation(data: bytes, name: str) -> Navigation:
    """A model of navigation from the contents of its file.

    >>> parse_navigation(b'{"model": "none"}', "model.json").name
    'none'
    """
    try:
        value = parsed_json(data)
    except ValueError as error:
        raise FormatError(f"this is not JSON: {error}", name) from None
    model = value.get("model") if isinstance(value, dict) else None
    if not isinstance(model, str) or model not in READERS:
        raise FormatError(f'expected {{"model": …}} with one of {", ".join(READERS)}', name)
    return READERS[model](value, name)
