"""How chunks were located, as numbers and as a sentence; and how many may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import IntEnum
from typing import Any

from doxeval.errors import InputError
from doxeval.messages import Parameter, plural, truncate

# Below this share located, the texts are probably not of these documents.
_SAME_TEXTS = 0.5
_MOST_LISTED = 10
_LONGEST_TEXT = 60


class How(IntEnum):
    """How a chunk was located.

    >>> How.WHITE_SPACE.word, How.of("white space").name
    ('white space', 'WHITE_SPACE')
    >>> How.FUZZY.is_located, How.TOO_AMBIGUOUS.is_located
    (True, False)
    """

    NOT_FOUND = 0
    OFFSETS = 1  # its text is at the offsets that came with it
    EXACT = 2  # character by character
    WHITE_SPACE = 3  # with other white space
    TRUNCATED = 4  # without a character at an end that the splitter cut through
    FUZZY = 5  # by its letters and digits only, or with text that the document does not have
    BLANK = 6  # it has no characters but white space, and shows nothing
    TOO_AMBIGUOUS = 7  # it occurs so often that none of the places was chosen

    @property
    def word(self) -> str:
        """The word for it in files and reports."""
        return self.name.lower().replace("_", " ")

    @property
    def is_located(self) -> bool:
        """Whether it is known where the chunk is, if it shows anything."""
        return self not in (How.NOT_FOUND, How.TOO_AMBIGUOUS)

    @classmethod
    def of(cls, word: str) -> How:
        """Return the value that a word of a file stands for; files of earlier versions have others.

        >>> How.of("offsets") is How.of("own")
        True
        """
        known = _EARLIER_WORDS.get(word)
        return cls[word.upper().replace(" ", "_")] if known is None else known


_EARLIER_WORDS = {
    "own": How.OFFSETS,
    "broken": How.TRUNCATED,
    "folded": How.FUZZY,
    "lost": How.NOT_FOUND,
}


@dataclass(frozen=True)
class MissingChunk:
    """A chunk that was not located: its document, its number there, its text, the best share.

    is_too_ambiguous: it was found, at so many places that none of them was chosen.
    """

    document: str | None
    number: int
    text: str
    share: float
    is_too_ambiguous: bool = False

    def __str__(self) -> str:
        where = "" if self.document is None else f"{truncate(self.document)}, "
        text = truncate(" ".join(self.text[: 4 * _LONGEST_TEXT].split()), _LONGEST_TEXT)
        why = "too many places" if self.is_too_ambiguous else f"best share {self.share:.2f}"
        return f"{where}chunk {self.number + 1}: {text} ({why})"


@dataclass(frozen=True)
class OffsetsReport:
    """How many given offsets are right, missing and wrong, and what most wrong ones share."""

    right: int
    missing: int
    wrong: int
    note: str = ""

    def __str__(self) -> str:
        text = f"{self.right:,} right, {self.missing:,} missing, {self.wrong:,} wrong"
        return f"{text} ({self.note})" if self.note else text


@dataclass(frozen=True)
class LocatingReport:
    """How many chunks were located how.

    `how` counts chunks by the words of `How`. `characters` are those of the documents that are not
    white space, `uncovered` those of them that are in no chunk. `out_of_order` is the number of
    documents whose chunks are not in the order of the text. Reports of several documents can be
    summed by `total`.
    """

    chunks: int
    how: Mapping[str, int]
    repeated: int
    ambiguous: int
    characters: int
    uncovered: int
    offsets: OffsetsReport | None = None
    out_of_order: int = 0
    missing: tuple[MissingChunk, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        always = ("exact", "white space", "fuzzy", "not found")
        words = [word for word in _ORDER if word in always or self.how.get(word)]
        occur = "occurs" if self.repeated == 1 else "occur"
        parts = [
            f"{plural(self.chunks, 'chunk')}: "
            + ", ".join(f"{self.how[word]:,} {word}" for word in words),
            f"{self.repeated:,} {occur} more than once, {self.ambiguous:,} ambiguous",
            f"{self.uncovered:,} of {plural(self.characters, 'non-space character')} in no chunk",
            f"offsets: {self.offsets or 'none given'}",
        ]
        if self.out_of_order:
            parts.append("the chunks are not in the order of the text, which would decide more")
        return " · ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers, as JSON can hold them."""
        missing = [asdict(chunk) for chunk in self.missing]
        return asdict(self) | {"how": dict(self.how), "missing": missing}

    def in_document(self, document: str) -> LocatingReport:
        """Return the report with the name of its document."""
        missing = tuple(replace(chunk, document=document) for chunk in self.missing)
        return replace(self, missing=missing)

    def refuse(self, max_missing: int | str = 0) -> None:
        """Raise an error if more chunks are missing than a number, or a share such as "5%".

        >>> report = LocatingReport(2, {"not found": 2}, 0, 0, 9, 9)
        >>> report.refuse(2)
        """
        refuse_missing(
            self.how["not found"],
            self.chunks,
            "chunk",
            max_missing,
            map(str, self.missing),
            too_ambiguous=self.how.get("too ambiguous", 0),
        )


_ORDER = tuple(
    how.word
    for how in (
        How.OFFSETS,
        How.EXACT,
        How.WHITE_SPACE,
        How.TRUNCATED,
        How.FUZZY,
        How.BLANK,
        How.TOO_AMBIGUOUS,
        How.NOT_FOUND,
    )
)


def allowed_missing(max_missing: int | str, of: int) -> float:
    """Return how many of some chunks or quotes may be missing, from a number or a share.

    >>> allowed_missing("5%", 200), allowed_missing(3, 200)
    (10.0, 3.0)
    """
    text = str(max_missing).strip()
    try:
        allowed = float(text.removesuffix("%")) * (of / 100 if text.endswith("%") else 1)
    except ValueError:
        allowed = -1.0
    if not allowed >= 0:
        expected = "expected a number, or a share such as '5%'"
        raise InputError(Parameter("max_missing", max_missing) + f": {expected}")
    return allowed


def refuse_missing(
    count: int,
    of: int,
    what: str,
    max_missing: int | str,
    listed: Iterable[str] = (),
    origin: str | None = None,
    too_ambiguous: int = 0,
) -> None:
    """Raise an error if more is missing than may be; it lists what is, of many the first.

    What occurs too often to tell which place is meant is missing, too.

    >>> refuse_missing(1, 9, "quote", 0, ["question 7: not found in terms: 'Thirty days'"])
    Traceback (most recent call last):
    doxeval.errors.InputError: 1 of 9 quotes not found; max_missing= allows a number or a share
      question 7: not found in terms: 'Thirty days'
    """
    if count + too_ambiguous <= allowed_missing(max_missing, of):
        return
    message = f"{count:,} of {plural(of, what)} not found"
    if (of - count) / of < _SAME_TEXTS:
        share = (of - count) / of
        message = f"{share:.0%} of {plural(of, what)} located; are these the same texts?"
    if too_ambiguous:
        reason = (
            f"{too_ambiguous:,} of {plural(of, what)} with too many places to tell which is "
            "meant: offsets (start and end) would tell"
        )
        message = f"{message}; {reason}" if count else reason
    lines = list(listed)
    more = len(lines) - _MOST_LISTED
    lines = lines[:_MOST_LISTED] + ([f"and {more:,} more"] if more > 0 else [])
    end = "" if message.endswith("?") else ";"
    allows = Parameter("max_missing") + " allows a number or a share"
    raise InputError(f"{message}{end} " + allows + "".join(f"\n  {line}" for line in lines), origin)


def total(reports: Iterable[LocatingReport]) -> LocatingReport:
    """Return a report about several documents.

    >>> report = LocatingReport(2, {"exact": 2}, 1, 0, 9, 0)
    >>> total([report, report]).chunks
    4
    """
    reports = list(reports)
    offsets = [report.offsets for report in reports if report.offsets is not None]
    notes = [report.note for report in offsets if report.note]
    return LocatingReport(
        chunks=sum(report.chunks for report in reports),
        how={word: sum(report.how.get(word, 0) for report in reports) for word in _ORDER},
        repeated=sum(report.repeated for report in reports),
        ambiguous=sum(report.ambiguous for report in reports),
        characters=sum(report.characters for report in reports),
        uncovered=sum(report.uncovered for report in reports),
        offsets=OffsetsReport(
            sum(report.right for report in offsets),
            sum(report.missing for report in offsets),
            sum(report.wrong for report in offsets),
            max(notes, key=notes.count, default=""),
        )
        if offsets
        else None,
        out_of_order=sum(report.out_of_order for report in reports),
        missing=tuple(chunk for report in reports for chunk in report.missing),
    )
