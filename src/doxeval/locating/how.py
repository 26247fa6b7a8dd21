"""How a chunk was found in its document."""

from __future__ import annotations

from enum import IntEnum


class How(IntEnum):
    """How a chunk was found.

    >>> How.WHITE_SPACE.word, How.of("white space").name
    ('white space', 'WHITE_SPACE')
    >>> How.FOLDED.is_placed, How.TOO_AMBIGUOUS.is_placed
    (True, False)
    """

    LOST = 0
    OWN = 1  # it stands at its own offsets
    EXACT = 2  # character by character
    WHITE_SPACE = 3  # with other white space
    BROKEN = 4  # without a character at an end that the splitter cut through
    FOLDED = 5  # by its letters and digits only, or with text that the document does not have
    BLANK = 6  # it has no characters but white space, and shows nothing
    TOO_AMBIGUOUS = 7  # it stands at so many places that none of them was chosen

    @property
    def word(self) -> str:
        """The word for it in files and reports."""
        return self.name.lower().replace("_", " ")

    @property
    def is_placed(self) -> bool:
        """Whether it is known where the chunk stands, if it shows anything."""
        return self not in (How.LOST, How.TOO_AMBIGUOUS)

    @classmethod
    def of(cls, word: str) -> How:
        """The value that a word of a file stands for."""
        return cls[word.upper().replace(" ", "_")]
