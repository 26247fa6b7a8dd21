"""Documents as trees over their texts: building collections and reading them.

The code that builds collections is imported on first use, so that reading does not wait for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from doxeval.documents.collection import Collection
from doxeval.documents.element import Element
from doxeval.documents.ids import IdRule
from doxeval.documents.limits import Limits
from doxeval.documents.options import BuildOptions
from doxeval.documents.patterns import PathPattern

if TYPE_CHECKING:
    from doxeval.documents.build import BuildReport, build_collection

__all__ = [
    "BuildOptions",
    "BuildReport",
    "Collection",
    "Element",
    "IdRule",
    "Limits",
    "PathPattern",
    "build_collection",
]


def __getattr__(name: str) -> Any:
    if name not in ("BuildReport", "build_collection"):
        raise AttributeError(f"module 'doxeval.documents' has no attribute {name!r}")
    return getattr(import_module("doxeval.documents.build"), name)
