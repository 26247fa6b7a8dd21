"""Why an operation is not carried out, as exceptions with an explanation for the assessor."""

from __future__ import annotations

from collections.abc import Callable

from doxeval.errors import InputError


class MalformedOperation(InputError):
    """The operation is not written as operations are: a field is missing, unknown or absurd."""


class QuoteMismatch(InputError):
    """The text at the operation's place is not the text that the assessor saw there."""


class Refused(InputError):
    """The rules of judging do not allow the operation; `code` says which rule, in one word.

    >>> str(Refused("outside", "The document ends before that."))
    'The document ends before that.'
    """

    def __init__(self, code: str, explanation: str) -> None:
        super().__init__(explanation)
        self.code = code

    def __reduce__(self) -> tuple[Callable[[str, str], Refused], tuple[str, str]]:
        return Refused, (self.code, self.message)


class WrongChange(InputError):
    """A change is undone or redone on a state that it does not belong to."""
