"""The alignment of chunks by trying every choice of places, straight from its definition."""

from __future__ import annotations

from itertools import product


def places_of(text: str, chunk: str) -> list[int]:
    """All places of a chunk, one after another."""
    return [at for at in range(len(text)) if chunk and text.startswith(chunk, at)]


def best_choices(text: str, chunks: list[str]) -> list[tuple[int, ...]]:
    """All choices in which starts and ends never fall and the fewest characters are left over."""
    best: list[tuple[int, ...]] = []
    fewest = len(text) + 1
    for choice in product(*(places_of(text, chunk) for chunk in chunks)):
        ends = [at + len(chunk) for at, chunk in zip(choice, chunks, strict=True)]
        if list(choice) != sorted(choice) or ends != sorted(ends):
            continue
        covered = {at for start, end in zip(choice, ends, strict=True) for at in range(start, end)}
        left = len(text) - len(covered)
        if left < fewest:
            best, fewest = [], left
        if left == fewest:
            best.append(choice)
    return best
