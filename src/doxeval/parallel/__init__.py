"""Engines: where many tasks are carried out, each on a value that all of them share.

`engine.py` says what an engine is, `opened.py` opens one by its name. Here, on any executor of
`concurrent.futures`, or on a cluster of dask, the same tasks give the same results.
"""

from __future__ import annotations

from doxeval.doors import door

# How long a cluster may be without workers, in seconds.
PATIENCE = 60.0

__getattr__, __dir__ = door(__name__, __file__)
