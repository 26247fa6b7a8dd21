"""The memory of processes that are there for this work.

Scoring makes and drops large arrays, run after run. The C library would give each back to the
system and ask for it again, page by page, which takes longer than many a computation on them; where
dask starts workers, it even asks the C library to do so early. Commands, the processes of `jobs=`
and the workers of an `engine=` may change that: they are there for this work. The library changes
nothing in the process that uses it, nor in those of an `executor=`, which may do other things as
well.
"""

from __future__ import annotations

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # as <malloc.h> numbers them
_LARGEST_BLOCK = 32 << 20
_KEPT_BYTES = 256 << 20


def keep_freed_blocks() -> None:
    """Let the C library keep up to 256 MiB of freed blocks, if it is the GNU C library."""
    import ctypes

    try:
        adjust = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    adjust(_MMAP_THRESHOLD, _LARGEST_BLOCK)
    adjust(_TRIM_THRESHOLD, _KEPT_BYTES)
