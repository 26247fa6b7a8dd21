"""Files of assessments and of topics that are given as runs.

They are recognised only after they could not be read as a run, so no run is ever mistaken for
something else. The error then says what the file looks like, and what is wrong with it as a run.
"""

from __future__ import annotations

import re
from typing import Any

from doxeval.errors import FormatError
from doxeval.messages import Parameter

_LINES = 100  # of text that are looked at
_TREC = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+")
# Without passages the fourth column, the size of what is relevant, is 0.
_INEX = re.compile(r"\S+\s+\S+\s+\S+\s+(0\s+\d+(\s+\d+)?|\d+\s+\d+\s+\d+(\s+\d+:\d+)+)")
_TOPIC = re.compile(r"[^\t ]+\t[^\t]+")
_TAG = re.compile(r"<([a-z][\w-]*)")
# Fields that only records of assessments have.
_OF_ASSESSMENTS = {
    *("bep", "bep_point", "judged", "e", "s", "rel", "grade", "scale", "docsize", "rsize"),
    *("assessor", "in_pool", "inferred", "inconsistent"),
}
_OF_TOPICS = {"title", "castitle", "phrasetitle", "description", "narrative"}


class LooksLikeAssessments(FormatError):
    """A file of assessments was given as a run."""

    @classmethod
    def instead(cls, error: FormatError, what: str) -> LooksLikeAssessments:
        """The error that there was, with what the file looks like."""
        return cls(
            f"this looks like assessments ({what}), not a run: runs come first, and assessments "
            "are given as "
            + Parameter("assessments")
            + "; as a run, it is wrong here: "
            + error.message,
            error.origin,
            error.line,
        )


class LooksLikeTopics(FormatError):
    """A file of topics was given as a run."""

    @classmethod
    def instead(cls, error: FormatError, what: str) -> LooksLikeTopics:
        """The error that there was, with what the file looks like."""
        message = f"this looks like topics ({what}), not a run; as a run, it is wrong here: "
        return cls(message + error.message, error.origin, error.line)


def explained_by_text(error: FormatError, data: bytes) -> FormatError:
    """An error about a text run, with what the file looks like if it is something else.

    >>> error = explained_by_text(FormatError("4 fields", "q.txt", 1), b"7 0 a 1")
    >>> str(error).partition(", ")[0]
    "q.txt:1: this looks like assessments (TREC's qrels)"
    """
    head = data[: 1 << 20].decode("utf-8", "replace").split("\n")
    lines = [line for line in map(str.strip, head[:_LINES]) if line]
    if lines and all(map(_TREC.fullmatch, lines)):
        return LooksLikeAssessments.instead(error, "TREC's qrels")
    if lines and all(map(_INEX.fullmatch, lines)):
        # Lines of six columns could be results; those of five, or with passages, could not.
        if any(":" in line.split()[-1] or len(line.split()) == 5 for line in lines):
            return LooksLikeAssessments.instead(error, "the text of INEX 2008–10")
    elif lines and all(map(_TOPIC.fullmatch, lines)):
        return LooksLikeTopics.instead(error, "ids and titles with a tab between them")
    return error


def explained_by_xml(error: FormatError, head: bytes) -> FormatError:
    """An error about an XML run without results, with what the file looks like instead.

    >>> error = explained_by_xml(FormatError("no <topic>", "q.xml"), b'<assessments topic="7">')
    >>> str(error).partition(", ")[0]
    'q.xml: this looks like assessments (the XML of INEX 2002–07)'
    """
    tags = set(_TAG.findall(head.replace(b"\0", b"").decode("utf-8", "replace").lower()))
    if "assessments" in tags:
        return LooksLikeAssessments.instead(error, "the XML of INEX 2002–07")
    if tags & {"inex_topic", "inex-topic-file", "castitle"}:
        return LooksLikeTopics.instead(error, "the XML of INEX")
    return error


def explained_by_record(error: FormatError, record: Any) -> FormatError:
    """An error about a record, with what it looks like if it is no result at all.

    >>> error = explained_by_record(FormatError("unknown field 'bep'"), {"topic": "7", "bep": 5})
    >>> str(error).partition(", ")[0]
    'this looks like assessments (the field bep)'
    """
    if not isinstance(record, dict):
        return error
    found = {name for name, value in record.items() if value not in (None, "", [])}
    if "topic" in found and found & _OF_ASSESSMENTS:
        return LooksLikeAssessments.instead(error, f"the field {min(found & _OF_ASSESSMENTS)}")
    if "id" in found and "doc" not in found and found & _OF_TOPICS:
        return LooksLikeTopics.instead(error, f"the field {min(found & _OF_TOPICS)}")
    return error
