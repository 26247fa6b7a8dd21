"""The formats of assessments, and what each cannot hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from doxeval.assessments.judgment import Judgment

AssessmentFormat = Literal["grades", "highlights", "qrels", "trec", "judgments"]

FORMATS: dict[AssessmentFormat, str] = {
    "grades": "the XML of INEX 2002–04, grades of elements",
    "highlights": "the XML of INEX 2005–07, passages between text points",
    "qrels": "the text of INEX 2008–10, passages by offsets",
    "trec": "TREC's qrels, a grade for each document",
    "judgments": "JSONL, everything",
}
_WHAT = {
    "highlights": "highlighted passages",
    "best_entry_point": "best entry points",
    "document_length": "lengths of documents",
    "relevance": "grades of whole documents",
    "passages": "passages between text points",
    "entry_point": "entry points as text points",
    "grades": "grades of elements",
    "elements": "sizes and exhaustivity of elements",
    "units": "assessed units",
    "needs": "needs and their grades",
    "assessor": "names of assessors",
    "marks": "marks of judgments",
    "pool": "ids of pools",
    "collection": "names of collections",
    "version": "versions",
    "whitespace": "how white space is treated",
}
_KEPT: dict[AssessmentFormat, set[str]] = {
    "grades": {"grades", "pool"},
    "highlights": {"passages", "entry_point", "elements", "pool", "collection", "version"}
    | {"whitespace"},
    "qrels": {"highlights", "best_entry_point", "document_length"},
    "trec": {"relevance"},
    "judgments": set(_WHAT),
}


def assessment_losses(judgments: Iterable[Judgment], format: AssessmentFormat) -> list[str]:
    """What of the judgments a format cannot hold.

    >>> assessment_losses([Judgment("7", "a", ((10, 15),), 12)], "trec")
    ['highlighted passages', 'best entry points']
    """
    judgments = list(judgments)
    return [
        what
        for name, what in _WHAT.items()
        if name not in _KEPT[format]
        and any(getattr(judgment, name) not in (None, ()) for judgment in judgments)
    ]
