"""Documents put together from the paragraphs that come with questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def paragraphs_by_title(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The different paragraphs of each title as one document, with blank lines between them.

    >>> pairs = [("Tea", "Hot."), ("Oak", "Old."), ("Tea", "Hot."), ("Tea", "Wet.")]
    >>> list(paragraphs_by_title(pairs))
    [('Tea', 'Hot.\\n\\nWet.'), ('Oak', 'Old.')]
    """
    found: dict[str, dict[str, None]] = {}
    for title, paragraph in pairs:
        found.setdefault(title, {})[paragraph] = None
    for title, paragraphs in found.items():
        yield title, "\n\n".join(paragraphs)
