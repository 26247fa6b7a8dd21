"""The memory of a command: freed blocks are kept for the next arrays.

Scoring makes and drops large arrays, run after run. The C library would give each back to the
system and ask for it anew, page by page, which takes longer than many a computation on them. A
command is a process of its own and may change that; the library never does.
"""

from __future__ import annotations

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # as <malloc.h> numbers them
_LARGEST_BLOCK = 32 << 20
_KEPT = 256 << 20


def keep_freed_blocks() -> None:
    """Let the C library keep up to 256 MiB of freed blocks.

    Only the GNU C library can be told so; with others, nothing happens.
    """
    import ctypes

    try:
        adjust = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    adjust(_MMAP_THRESHOLD, _LARGEST_BLOCK)
    adjust(_TRIM_THRESHOLD, _KEPT)
