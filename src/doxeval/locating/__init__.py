"""Where chunk texts and quotes stand in documents.

How a chunk gets its place, file by file:

    solid                     text without white space, where everything is searched
    own_offsets               offsets that came with the chunks, checked
    hashes, occurrences       all places of each text
    windows, paths, alignment one place each, in the order of the text
    placing                   tiling, alignment, or counting where there is no order
    folding                   chunks with other letters, marks, or added text
    locate, located, report   the places as ranges of the text, and what was found how
"""

from doxeval.locating.how import How
from doxeval.locating.locate import locate_chunks
from doxeval.locating.located import Located
from doxeval.locating.report import LocatingReport, LostChunk, OwnReport, total
from doxeval.locating.solid import SolidText

__all__ = [
    "How",
    "Located",
    "LocatingReport",
    "LostChunk",
    "OwnReport",
    "SolidText",
    "locate_chunks",
    "total",
]
