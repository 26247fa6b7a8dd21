"""Documents as trees over their texts: building collections, opening them, asking them."""

from doxeval.documents.build import BuildReport, build_collection
from doxeval.documents.collection import Collection
from doxeval.documents.element import Element
from doxeval.documents.ids import IdRule
from doxeval.documents.limits import Limits
from doxeval.documents.options import BuildOptions
from doxeval.documents.patterns import PathPattern

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
