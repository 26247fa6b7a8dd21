"""The garbage collector, kept from looking at what is no garbage.

Assessments are very many small objects, all of which stay; the collector would look through all
of them again and again. What it is needed for are a few large arrays that hold on to each other.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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


def collect() -> None:
    """Let go of what is not used any more, now."""
    gc.collect()
