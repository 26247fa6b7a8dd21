"""What is reported about the agreement of assessors: values that print as tables and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from doxeval.assess.judging import Mode

Value = float | None


class Averages(NamedTuple):
    """A value over everything together, and the mean of the values of its parts.

    >>> Averages(0.5, None).as_dict()
    {'micro': 0.5, 'macro': None}
    """

    micro: Value
    macro: Value

    def as_dict(self) -> dict[str, float | None]:
        """Both by name."""
        return self._asdict()


def number(value: Fraction | float | None) -> float | None:
    """A fraction as the closest float.

    >>> number(Fraction(1, 4)), number(None)
    (0.25, None)
    """
    return None if value is None else float(value)


@dataclass(frozen=True)
class DocumentAgreement:
    """Whether documents are relevant; micro: all topics together, macro: the mean over topics.

    judged: documents that at least two of the assessors validated.
    agreed: those of them for which all of these say the same.
    """

    judged: int
    agreed: int
    kappa: Averages
    alpha: Averages

    def as_dict(self) -> dict[str, Any]:
        """The values by name, for JSON.

        >>> nothing = Averages(None, None)
        >>> DocumentAgreement(2, 1, nothing, nothing).as_dict()["judged"]
        2
        """
        return {
            "judged": self.judged,
            "agreed": self.agreed,
            "kappa": self.kappa.as_dict(),
            "alpha": self.alpha.as_dict(),
        }


@dataclass(frozen=True)
class CharacterAgreement:
    """What is highlighted; micro: all characters together, macro: the mean over documents.

    empty: documents in which none of the assessors highlighted anything. They have no Jaccard and
    no F1; their characters count in the micro κ and α.
    """

    empty: int
    jaccard: Averages
    f1: Averages
    kappa: Averages
    alpha: Averages

    def as_dict(self) -> dict[str, Any]:
        """The values by name, for JSON.

        >>> CharacterAgreement(3, *[Averages(None, None)] * 4).as_dict()["empty"]
        3
        """
        names = ("jaccard", "f1", "kappa", "alpha")
        return {"empty": self.empty, **{name: getattr(self, name).as_dict() for name in names}}


@dataclass(frozen=True)
class EntryPointAgreement:
    """How many characters lie between best entry points in the same document.

    compared: pairs of them, each of two assessors. equal: the share of those that are the same.
    """

    compared: int
    mean: Value
    median: Value
    equal: Value

    def as_dict(self) -> dict[str, Any]:
        """The values by name, for JSON.

        >>> EntryPointAgreement(1, 5.0, 5.0, 0.0).as_dict()["mean"]
        5.0
        """
        return asdict(self)


@dataclass(frozen=True)
class ElementAgreement:
    """Grades of elements: weighted κ with linear weights; macro: the mean over documents.

    compared: elements that have a grade from both assessors of a pair. In mode 2005 these are all
    elements of documents that both validated, on the scale not relevant < ? < 1 < 2. In mode 2003
    they are the elements that both graded; specificity is only graded there.
    """

    compared: int
    exhaustivity: Averages
    specificity: Averages | None

    def as_dict(self) -> dict[str, Any]:
        """The values by name, for JSON.

        >>> ElementAgreement(9, Averages(1.0, None), None).as_dict()["weights"]
        'linear'
        """
        found = {
            "compared": self.compared,
            "weights": "linear",
            "exhaustivity": self.exhaustivity.as_dict(),
        }
        if self.specificity is not None:
            found["specificity"] = self.specificity.as_dict()
        return found


@dataclass(frozen=True)
class AgreementRow:
    """How far some assessors agree, for one topic or (None) for all of them.

    With more than two assessors, κ, Jaccard and F1 are means over all pairs of them (for κ, that is
    Light's). α takes all assessors together.
    """

    topic: str | None
    assessors: tuple[str, ...]
    documents: DocumentAgreement
    characters: CharacterAgreement | None = None
    entry_points: EntryPointAgreement | None = None
    elements: ElementAgreement | None = None

    def as_dict(self) -> dict[str, Any]:
        """The values by name, for JSON; parts that the mode does not have are left out.

        >>> nothing = Averages(None, None)
        >>> documents = DocumentAgreement(0, 0, nothing, nothing)
        >>> list(AgreementRow("7", ("A1", "A2"), documents).as_dict())
        ['topic', 'assessors', 'documents']
        """
        parts = ("documents", "characters", "entry_points", "elements")
        found = {name: part.as_dict() for name in parts if (part := getattr(self, name))}
        return {"topic": self.topic, "assessors": list(self.assessors), **found}


@dataclass(frozen=True)
class Agreement:
    """How far assessors agree: for each topic, then for all topics, each pair, then all of them."""

    mode: Mode
    rows: tuple[AgreementRow, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON.

        >>> Agreement("2006", ()).as_dict()
        {'mode': '2006', 'rows': []}
        """
        return {"mode": self.mode, "rows": [row.as_dict() for row in self.rows]}

    def table(self) -> list[list[str]]:
        """A head and rows of text: micro values, with three digits.

        >>> Agreement("2006", ()).table()[0][:4]
        ['topic', 'assessors', 'documents', 'agreed']
        """
        head = ["topic", "assessors", "documents", "agreed", "κ", "α"]
        if self.mode != "2003":
            head += ["Jaccard", "F1", "κ chars", "α chars"]
        if self.mode == "2006":
            head += ["entry points", "equal", "median distance"]
        if self.mode != "2006":
            head += ["elements", "κ exhaustivity"]
        if self.mode == "2003":
            head += ["κ specificity"]
        return [head, *map(_cells, self.rows)]


def _cells(row: AgreementRow) -> list[str]:
    documents = row.documents
    cells = ["all" if row.topic is None else row.topic, ", ".join(row.assessors)]
    cells += [f"{documents.judged:,}", f"{documents.agreed:,}"]
    cells += [_shown(documents.kappa.micro), _shown(documents.alpha.micro)]
    if (text := row.characters) is not None:
        cells += [_shown(one.micro) for one in (text.jaccard, text.f1, text.kappa, text.alpha)]
    if (entries := row.entry_points) is not None:
        median = "–" if entries.median is None else f"{entries.median:,g}"
        cells += [f"{entries.compared:,}", _shown(entries.equal), median]
    if (elements := row.elements) is not None:
        cells += [f"{elements.compared:,}", _shown(elements.exhaustivity.micro)]
        cells += [_shown(elements.specificity.micro)] if elements.specificity is not None else []
    return cells


def _shown(value: Value) -> str:
    return "–" if value is None else f"{value:.3f}"
