"""What can go wrong, as exceptions.

    DoxevalError
    ├── InputError                the user's input is wrong: where, and what was expected
    │   ├── SourceError           a source of documents cannot be opened, or holds none
    │   ├── DocumentError         one document cannot be read
    │   ├── DuplicateId           two documents have the same id (documents/ids.py)
    │   ├── FormatError           a file or a value is not in the format it should be in
    │   │   ├── LooksLikeAssessments   assessments were given as a run (runs/run.py)
    │   │   ├── LooksLikeTopics        topics were given as a run (runs/run.py)
    │   │   └── TrecEvalError          what trec_eval refuses (compat/trec_input.py)
    │   ├── CollectionError       no collection, or another version, truncated or altered
    │   ├── SearchIndexError      no index of words, or another version, truncated or altered
    │   ├── SyntaxProblem         a path, a pattern or the name of a measure does not parse
    │   │   └── NexiError         a query is not NEXI (topics/nexi.py)
    │   ├── UnknownReference      a document, an element or a text point does not exist
    │   ├── MalformedOperation    an operation does not parse (assess/judging/operations.py)
    │   ├── QuoteMismatch         a quote is not the text there (assess/judging/operations.py)
    │   ├── OperationRefused      the rules of judging forbid it (assess/judging/state.py)
    │   ├── WrongChange           a change of another judgment (assess/judging/state.py)
    │   ├── CampaignError         a campaign cannot do what was asked (assess/db/session.py)
    │   │   ├── CannotSave        nothing was saved; try again (assess/db/session.py)
    │   │   ├── Damaged           the database of a campaign is damaged (assess/db/session.py)
    │   │   ├── Interrupted       whoever wanted to sign in has gone away (assess/db/session.py)
    │   │   ├── NoInvitation      a link to join no longer counts (assess/db/invitations.py)
    │   │   ├── NotInQueue        nobody is to judge the document (assess/db/session.py)
    │   │   ├── Throttled         too many failed logins (assess/db/session.py)
    │   │   └── Unknown           no such topic or user (assess/db/session.py)
    │   ├── NoMajority            two assessors differ (assessments/merge.py)
    │   ├── Undecided             assessors differ, and nobody decided (assess/exchange/export.py)
    │   ├── Unfinished            a package would lack judgments (assess/package/contents.py)
    │   └── UnknownName           a table of scores has no such run or measure; a KeyError too
    ├── OutputError               the result cannot be written: it exists, or the disk is full
    ├── WorkerLost                a worker process was killed before it was done
    ├── EngineError               a cluster cannot do the work, or was lost
    ├── MissingText               the collection was built without its text
    └── MissingInput              a measure needs something that was not given

The message of each is written for users: the command line prints it and ends with exit code 1,
without a traceback. A class is defined here unless another file is named.

What is not wrong but should be known is a warning: it is part of a result, and public functions
emit it as a DoxevalWarning too.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType


class DoxevalError(Exception):
    """The root of all errors that doxeval raises on purpose.

    Messages name parameters of the library, such as `force=True`. Where they are of the type
    `messages.Message`, they know which parts these are, and the command line shows its options.

    >>> issubclass(InputError, DoxevalError)
    True
    """

    @property
    def parts(self) -> tuple[str, ...]:
        """The message in parts, some of which may be parameters.

        >>> DoxevalError("no such file").parts
        ('no such file',)
        """
        parts: tuple[str, ...] | None = getattr(self.args[0] if self.args else "", "parts", None)
        return (str(self),) if parts is None else parts


class InputError(DoxevalError):
    """The user's input is wrong: the message says where, and what was expected.

    >>> str(InputError("undefined entity &foo;", "a.xml", 3, 14))
    'a.xml:3:14: undefined entity &foo;'
    >>> str(InputError("no such file", "b.xml"))
    'b.xml: no such file'
    """

    def __init__(
        self,
        message: str,
        origin: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        # The base class gets all arguments, so that the error can be pickled on its way back
        # from a worker process.
        super().__init__(message, origin, line, column)
        self.message = message
        self.origin = origin
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return "".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """Where the error is, and the message in parts."""
        position = [str(part) for part in (self.origin, self.line, self.column) if part is not None]
        message = getattr(self.message, "parts", (self.message,))
        return (f"{':'.join(position)}: ", *message) if position else message


class SourceError(InputError):
    """A source of documents cannot be opened, or holds none."""


class DocumentError(InputError):
    """One document cannot be read."""


class FormatError(InputError):
    """A file or a value is not in the format it should be in."""


class CollectionError(InputError):
    """There is no collection, or it has another version, or it was truncated or altered."""


class SearchIndexError(InputError):
    """There is no index of words, or it has another version, or it was truncated or altered."""


class SyntaxProblem(InputError):
    """A path, a text point, a path pattern, a query or the name of a measure does not parse."""


class UnknownReference(InputError):
    """A document, an element or a text point does not exist."""


class UnknownName(InputError, KeyError):
    """A table of scores has no such run or measure.

    It is a KeyError too, so that `in` and `get` work as they do for dictionaries.

    >>> str(UnknownName("no run 'b'"))
    "no run 'b'"
    """


class OutputError(DoxevalError):
    """The result cannot be written: it exists already, or the disk is full."""


class WorkerLost(DoxevalError):
    """A worker process ended before it gave its answer.

    >>> issubclass(WorkerLost, DoxevalError)
    True
    """


class EngineError(DoxevalError):
    """A cluster cannot do the work, or was lost: the message says what is wrong, and where.

    >>> issubclass(EngineError, DoxevalError)
    True
    """


class MissingInput(DoxevalError):
    """A measure needs something that was not given."""


class MissingText(DoxevalError):
    """The text of a collection is needed, and the collection was built without it."""


class DoxevalWarning(UserWarning):
    """Something that readers of a result should know; the result has it among its warnings.

    >>> issubclass(DoxevalWarning, UserWarning)
    True
    """


def warn(messages: Iterable[str]) -> None:
    """Emit each message once, as a warning about the line that called the calling function.

    To be called by public functions, before they return. If the line is one of doxeval's own,
    nothing is emitted: its result is on the way to another public function, which has the messages
    among its own, or to the command line, which prints them. So workers emit nothing either.

    >>> def public():
    ...     warn(["two runs have the same name"])
    >>> user = {"__name__": "my_module", "public": public}
    >>> with warnings.catch_warnings(record=True) as emitted:
    ...     warnings.simplefilter("always")
    ...     public()
    ...     exec("public()", user)
    >>> [str(warning.message) for warning in emitted]
    ['two runs have the same name']
    """
    caller, level = sys._getframe(1).f_back, 3
    while caller is not None and _module(caller) == _CHECKING:
        caller, level = caller.f_back, level + 1
    if caller is not None and _module(caller).partition(".")[0] == __name__.partition(".")[0]:
        return
    for message in dict.fromkeys(messages):
        warnings.warn(message, DoxevalWarning, stacklevel=level)


_CHECKING = "doxeval.named.arguments"  # stands between public functions and their callers


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


@contextmanager
def output_errors(target: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors of the system into an OutputError that names what could not be written.

    >>> with output_errors("a.txt"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
        ...
    doxeval.errors.OutputError: a.txt: cannot be written: No space left on device
    """
    try:
        yield
    except BrokenPipeError:
        raise  # the reader is gone, which is not an error of the output
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
