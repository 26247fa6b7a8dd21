"""Documents as trees over their texts: building collections and reading them.

All but the collection itself is loaded on first use, so that reading does not wait for it.
"""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "BuildOptions",
    "BuildReport",
    "Collection",
    "DisplayFact",
    "Element",
    "IdRule",
    "Limits",
    "MergeReport",
    "PathPattern",
    "build_collection",
    "merge_collections",
]

__getattr__, __dir__ = door(__name__, __file__)
