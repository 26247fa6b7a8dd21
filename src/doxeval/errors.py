"""What can go wrong, as exceptions.

    DoxevalError
    ├── InputError            what the user gave is wrong: where, and what was expected
    │   ├── SourceError       a source of documents cannot be opened, or holds none
    │   ├── DocumentError     one document cannot be read
    │   ├── FormatError       a file of topics, runs or assessments is not what it should be
    │   ├── CollectionError   no collection there, another version, truncated or altered
    │   ├── SyntaxProblem     a path, a text point or a path pattern that does not parse
    │   ├── UnknownReference  a document, element or point that does not exist
    │   └── UnknownName       a run or a measure that a table of scores does not have
    ├── OutputError           the result cannot be written: it exists, or the disk is full
    ├── MissingText           the collection was built without its text
    └── MissingInput          a measure needs something that was not given

Every one of them is meant for the user's eyes: the command line prints it and ends with
exit code 1, without a traceback.
"""

from __future__ import annotations


class DoxevalError(Exception):
    """The root of all errors that doxeval raises on purpose.

    Messages name parameters of the library, such as `force=True`; the command line names its
    options instead.

    >>> issubclass(InputError, DoxevalError)
    True
    """


class InputError(DoxevalError):
    """Something the user gave is wrong.

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
        # All arguments go to the base class, so that the error survives the way back from a
        # worker process.
        super().__init__(message, origin, line, column)
        self.message = message
        self.origin = origin
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = [str(part) for part in (self.origin, self.line, self.column) if part is not None]
        return f"{':'.join(place)}: {self.message}" if place else self.message


class SourceError(InputError):
    """A source of documents cannot be opened, or holds none."""


class DocumentError(InputError):
    """One document cannot be read."""


class FormatError(InputError):
    """A file of topics, runs or assessments is not what it should be."""


class CollectionError(InputError):
    """There is no collection, or it is of another version, truncated or altered."""


class SyntaxProblem(InputError):
    """A path, a text point or a path pattern does not parse."""


class UnknownReference(InputError):
    """A document, an element or a point in a text does not exist."""


class UnknownName(InputError, KeyError):
    """A table of scores has no such run or measure.

    It is a KeyError too, so that `in` and `get` work as they do for dictionaries.

    >>> str(UnknownName("no run 'b'"))
    "no run 'b'"
    """


class OutputError(DoxevalError):
    """The result cannot be written."""


class MissingInput(DoxevalError):
    """A measure needs something that was not given."""


class MissingText(DoxevalError):
    """The collection was built without its text, and the text is needed."""
