"""Engines: where many tasks are carried out, each on a value that all of them share.

`engine.py` says what an engine is, `opened.py` opens one by its name. Here, on any executor of
`concurrent.futures`, or on a cluster of dask, the same tasks give the same results.
"""

# How long a cluster may be without workers, in seconds.
PATIENCE = 60.0
