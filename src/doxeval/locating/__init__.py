"""Where chunk texts and quotes stand in documents.

How a chunk gets its place, file by file:

    solid, hashes                  text without white space, where everything is searched
    own_offsets                    offsets that came with the chunks, checked
    occurrences                    all places of each text
    windows, paths, alignment      one place each, in the order of the text
    placing, levels                tiling, alignment, or counting where there is no order
    folding, chains, resembling    letters and digits; chunks of which only part is found
    altered, ranges                places in the text itself
    locate, located, report        all steps; the places; what was found how
    quotes                         all places of gold quotes, by the same steps
"""

from __future__ import annotations

from doxeval.doors import door
from doxeval.locating.occurrences import occurrences as occurrences

__all__ = [
    "FoundInDocuments",
    "FoundQuote",
    "How",
    "JoinedTexts",
    "Located",
    "LocatingReport",
    "LostChunk",
    "OwnReport",
    "SolidText",
    "allowed_lost",
    "find_in_documents",
    "find_quotes",
    "locate_chunks",
    "refuse_lost",
    "total",
]

__getattr__, __dir__ = door(__name__, __file__)
