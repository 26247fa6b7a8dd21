"""Engines: where many tasks are carried out, each on a value that all of them share.

`engine.py` defines engines and opens them by name, `processes.py` is the engine of worker processes
on this machine, `dask.py` that of clusters; `shared.py` has the value that tasks share, `memory.py`
what workers do about their memory.
"""

from __future__ import annotations

from doxeval.doors import door

# How long a cluster may be without workers, in seconds.
PATIENCE = 60.0

__getattr__, __dir__ = door(__name__, __file__)
