"""A long text of one letter, in which chunks have more places than can be kept."""

from __future__ import annotations

import tracemalloc

from doxeval.locating import locate_chunks


def test_periodic_text_takes_memory_for_text_and_chunks_not_for_their_product() -> None:
    chunks = ["a" * (1_000 + row) for row in range(300)]
    tracemalloc.start()
    try:
        located = locate_chunks("a" * 300_000, chunks)
        assert located.report.how["too ambiguous"] == 300
        assert tracemalloc.get_traced_memory()[1] < 500_000_000
    finally:
        tracemalloc.stop()
