"""The rules of judging: what an assessor may do, and what it makes of the judgment."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "KINDS",
    "MODES",
    "Article",
    "Change",
    "Grade",
    "MalformedOperation",
    "Mode",
    "Operation",
    "OperationRefused",
    "QuoteMismatch",
    "Range",
    "State",
    "Status",
    "WrongChange",
    "allowed",
    "apply",
    "change_between",
    "check_quote",
    "gradable",
    "inconsistencies",
    "parse_operation",
    "problems",
    "redone",
    "undone",
]

__getattr__, __dir__ = door(__name__, __file__)
