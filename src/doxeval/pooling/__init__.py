"""Pools: which documents of several runs are to be judged, and in which order."""

from doxeval.pooling.pool import Pool, PooledDocument, PooledElement, PooledRun, PoolFacts
from doxeval.pooling.pooling import pool_runs
from doxeval.pooling.read_write import pool_losses, read_pool, write_pool

__all__ = [
    "Pool",
    "PoolFacts",
    "PooledDocument",
    "PooledElement",
    "PooledRun",
    "pool_losses",
    "pool_runs",
    "read_pool",
    "write_pool",
]
