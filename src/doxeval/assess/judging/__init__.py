"""The rules of judging: what an assessor may do, and what it makes of the judgment."""

from doxeval.assess.judging.article import Article
from doxeval.assess.judging.changes import Change, change_between, redone, undone
from doxeval.assess.judging.inconsistencies import inconsistencies
from doxeval.assess.judging.operations import KINDS, Operation, parse_operation
from doxeval.assess.judging.quotes import check_quote
from doxeval.assess.judging.refusals import (
    MalformedOperation,
    QuoteMismatch,
    Refused,
    WrongChange,
)
from doxeval.assess.judging.rules import allowed, apply, gradable, problems
from doxeval.assess.judging.state import MODES, Grade, Mode, Range, State, Status

__all__ = [
    "KINDS",
    "MODES",
    "Article",
    "Change",
    "Grade",
    "MalformedOperation",
    "Mode",
    "Operation",
    "QuoteMismatch",
    "Range",
    "Refused",
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
