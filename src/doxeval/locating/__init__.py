"""Where chunk texts and quotes stand in documents.

How a chunk gets its place, file by file:

    text           text without white space, or letters and digits only, in which is searched
    offsets        offsets that came with the chunks, checked
    occurrences    all places of each text
    align          one place each: tiling, alignment, or counting where there is no order
    fuzzy          chunks of which only the letters, or only a part, stand in the text
    locate         all steps, and the places in the text itself
    quotes         all places of gold quotes, by the same steps
    report         what was located how
"""

from __future__ import annotations

from doxeval.doors import door
from doxeval.locating.occurrences import occurrences as occurrences

__all__ = [
    "DenseText",
    "DocumentQuoteMatch",
    "How",
    "JoinedTexts",
    "Located",
    "LocatingReport",
    "MissingChunk",
    "OffsetsReport",
    "QuoteMatch",
    "allowed_missing",
    "find_in_documents",
    "find_quotes",
    "locate_chunks",
    "refuse_missing",
    "total",
]

__getattr__, __dir__ = door(__name__, __file__)
