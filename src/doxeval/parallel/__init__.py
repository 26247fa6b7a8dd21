"""Engines: where many tasks are carried out, each on a value that all of them share.

`engine.py` defines engines and opens them by name, `processes.py` has the worker processes of this
machine, `shared.py` the value that tasks share, `dask.py` clusters.
"""

from __future__ import annotations

from doxeval.doors import door

# How long a cluster may be without workers, in seconds.
PATIENCE = 60.0

__getattr__, __dir__ = door(__name__, __file__)
