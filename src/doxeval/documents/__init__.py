"""Documents as trees over their texts: building collections and reading them.

All but the collection itself is loaded on first use, so that reading does not wait for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from doxeval.documents.collection import Collection

if TYPE_CHECKING:
    from doxeval.documents.build import BuildReport, build_collection
    from doxeval.documents.element import Element
    from doxeval.documents.ids import IdRule
    from doxeval.documents.limits import Limits
    from doxeval.documents.merge import MergeReport, merge_collections
    from doxeval.documents.options import BuildOptions
    from doxeval.documents.patterns import PathPattern

__all__ = [
    "BuildOptions",
    "BuildReport",
    "Collection",
    "Element",
    "IdRule",
    "Limits",
    "MergeReport",
    "PathPattern",
    "build_collection",
    "merge_collections",
]

_HOMES = {
    "BuildOptions": "options",
    "BuildReport": "build",
    "Element": "element",
    "IdRule": "ids",
    "Limits": "limits",
    "MergeReport": "merge",
    "PathPattern": "patterns",
    "build_collection": "build",
    "merge_collections": "merge",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'doxeval.documents' has no attribute {name!r}")
    return getattr(import_module(f"doxeval.documents.{_HOMES[name]}"), name)
