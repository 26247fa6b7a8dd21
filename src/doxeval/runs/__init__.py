"""Runs: what systems returned, read from any format, resolved against a collection."""

from doxeval.runs.read_write import read_run, write_run
from doxeval.runs.resolution import ResolvedRun, Unresolved, resolve
from doxeval.runs.run import Kind, Result, Run

__all__ = [
    "Kind",
    "ResolvedRun",
    "Result",
    "Run",
    "Unresolved",
    "read_run",
    "resolve",
    "write_run",
]
