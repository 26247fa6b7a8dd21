"""What locating found how, as numbers and as a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import IntEnum
from typing import Any

from doxeval.errors import InputError
from doxeval.messages import Parameter, plural, truncate


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


# Below this share found, the texts are probably not of these documents.
_SAME_TEXTS = 0.5
_MOST_LISTED = 10
_LONGEST_TEXT = 60


@dataclass(frozen=True)
class LostChunk:
    """A chunk that has no place: its document, its number there, its text, the best share.

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
class OwnReport:
    """How many own offsets are right, missing and wrong, and what most wrong ones share."""

    right: int
    missing: int
    wrong: int
    note: str = ""

    def __str__(self) -> str:
        text = f"{self.right:,} right, {self.missing:,} missing, {self.wrong:,} wrong"
        return f"{text} ({self.note})" if self.note else text


@dataclass(frozen=True)
class LocatingReport:
    """How many chunks were found how.

    `found` counts chunks by the words of `How`. `out_of_order` is the number of documents whose
    chunks are not in the order of the text. Reports of several documents can be summed by `total`.
    """

    chunks: int
    found: Mapping[str, int]
    repeated: int
    ambiguous: int
    solid: int
    uncovered: int
    own: OwnReport | None = None
    out_of_order: int = 0
    lost: tuple[LostChunk, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        always = ("exact", "white space", "folded", "lost")
        words = [word for word in _ORDER if word in always or self.found.get(word)]
        found = ", ".join(f"{self.found[word]:,} {word}" for word in words)
        stand = "stands" if self.repeated == 1 else "stand"
        parts = [
            f"{plural(self.chunks, 'chunk')}: {found}",
            f"{self.repeated:,} {stand} more than once, {self.ambiguous:,} ambiguous",
            f"{self.uncovered:,} of {plural(self.solid, 'solid character')} in no chunk",
            f"own offsets: {self.own or 'none given'}",
        ]
        if self.out_of_order:
            parts.append("the chunks are not in the order of the text, which would settle more")
        return " · ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """The numbers, as JSON can hold them."""
        lost = [asdict(one) for one in self.lost]
        return asdict(self) | {"found": dict(self.found), "lost": lost}

    def in_document(self, document: str) -> LocatingReport:
        """The report with the name of its document."""
        lost = tuple(replace(one, document=document) for one in self.lost)
        return replace(self, lost=lost)

    def refuse(self, max_lost: int | str = 0) -> None:
        """Raise an error if more chunks have no place than a number, or a share such as "5%".

        >>> report = LocatingReport(2, {"lost": 2}, 0, 0, 9, 9)
        >>> report.refuse(2)
        """
        ambiguous = self.found.get("too ambiguous", 0)
        lost, listed = self.found["lost"], map(str, self.lost)
        refuse_lost(lost, self.chunks, "chunk", max_lost, listed, too_ambiguous=ambiguous)


_ORDER = ("own", "exact", "white space", "broken", "folded", "blank", "too ambiguous", "lost")


def allowed_lost(max_lost: int | str, of: int) -> float:
    """Return how many of some chunks or quotes may be missing, from a number or a share.

    >>> allowed_lost("5%", 200), allowed_lost(3, 200)
    (10.0, 3.0)
    """
    text = str(max_lost).strip()
    try:
        allowed = float(text.removesuffix("%")) * (of / 100 if text.endswith("%") else 1)
    except ValueError:
        allowed = -1.0
    if not allowed >= 0:
        expected = "expected a number, or a share such as '5%'"
        raise InputError(Parameter("max_lost", max_lost) + f": {expected}")
    return allowed


def refuse_lost(
    lost: int,
    of: int,
    what: str,
    max_lost: int | str,
    missing: Iterable[str] = (),
    origin: str | None = None,
    too_ambiguous: int = 0,
) -> None:
    """Raise an error if more is missing than may be; it lists what is, of many the first.

    What stands at too many places to tell which is meant is missing too.

    >>> refuse_lost(1, 9, "quote", 0, ["question 7: not found in terms: 'Thirty days'"])
    Traceback (most recent call last):
    doxeval.errors.InputError: 1 of 9 quotes not found; max_lost= allows a number or a share
      question 7: not found in terms: 'Thirty days'
    """
    if lost + too_ambiguous <= allowed_lost(max_lost, of):
        return
    message = f"{lost:,} of {plural(of, what)} not found"
    if (of - lost) / of < _SAME_TEXTS:
        share = (of - lost) / of
        message = f"{share:.0%} of {plural(of, what)} located; are these the same texts?"
    if too_ambiguous:
        reason = (
            f"{too_ambiguous:,} of {plural(of, what)} with too many places to tell which is "
            "meant: own offsets (start and end) would tell"
        )
        message = f"{message}; {reason}" if lost else reason
    every = list(missing)
    lines = [f"\n  {one}" for one in every[:_MOST_LISTED]]
    if len(every) > _MOST_LISTED:
        lines.append(f"\n  and {len(every) - _MOST_LISTED:,} more")
    end = "" if message.endswith("?") else ";"
    allows = Parameter("max_lost") + " allows a number or a share"
    raise InputError(f"{message}{end} " + allows + "".join(lines), origin)


def total(reports: Iterable[LocatingReport]) -> LocatingReport:
    """One report about several documents.

    >>> one = LocatingReport(2, {"exact": 2}, 1, 0, 9, 0)
    >>> total([one, one]).chunks
    4
    """
    reports = list(reports)
    own = [one.own for one in reports if one.own is not None]
    notes = [one.note for one in own if one.note]
    return LocatingReport(
        chunks=sum(one.chunks for one in reports),
        found={word: sum(one.found.get(word, 0) for one in reports) for word in _ORDER},
        repeated=sum(one.repeated for one in reports),
        ambiguous=sum(one.ambiguous for one in reports),
        solid=sum(one.solid for one in reports),
        uncovered=sum(one.uncovered for one in reports),
        own=OwnReport(
            sum(one.right for one in own),
            sum(one.missing for one in own),
            sum(one.wrong for one in own),
            max(notes, key=notes.count, default=""),
        )
        if own
        else None,
        out_of_order=sum(one.out_of_order for one in reports),
        lost=tuple(lost for one in reports for lost in one.lost),
    )
