"""Pools: which documents of several runs are to be judged, and in which order."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "Pool",
    "PoolFacts",
    "PoolOptions",
    "PoolStatistics",
    "PooledDocument",
    "PooledElement",
    "PooledRun",
    "pool_losses",
    "pool_runs",
    "pool_statistics",
    "read_pool",
    "write_pool",
]

__getattr__, __dir__ = door(__name__, __file__)
