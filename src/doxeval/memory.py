"""Memory that is used again and again: how the interpreter and the system are kept from it.

Assessments are very many small objects, all of which stay; the garbage collector would look
through all of them again and again. And scoring makes and drops large arrays, run after run: the
C library would give each back to the system and ask for it anew, page by page, which takes longer
than many a computation on them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # as <malloc.h> numbers them
_LARGEST_BLOCK = 32 << 20
_KEPT = 256 << 20


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """Make many objects, all of which are kept."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def only_new_garbage() -> Iterator[None]:
    """Work with what is there already, which the collector need not look at meanwhile."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def collect_garbage() -> None:
    """Let go of what is not used any more, now: large arrays that hold on to each other."""
    gc.collect()


@cache
def keep_freed_blocks() -> None:
    """Let the C library keep up to 256 MiB of freed blocks for the next arrays.

    Only the library of GNU can be asked; elsewhere nothing happens.
    """
    import ctypes

    try:
        adjust = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    adjust(_MMAP_THRESHOLD, _LARGEST_BLOCK)
    adjust(_TRIM_THRESHOLD, _KEPT)
