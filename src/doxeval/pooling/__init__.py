"""Pools: which documents of several runs are to be judged, and in which order."""

from doxeval.pooling.pool import Pool, PooledDocument, PooledElement, PooledRun, PoolFacts
from doxeval.pooling.pooling import pool_runs
from doxeval.pooling.read_write import pool_losses, read_pool, write_pool
from doxeval.pooling.statistics import PoolStatistics, pool_statistics

__all__ = [
    "Pool",
    "PoolFacts",
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
