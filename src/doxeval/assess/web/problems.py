"""What a request can be answered with instead of what it asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TITLES = {
    400: "This request cannot be read",
    401: "Please sign in",
    403: "This is not open to you",
    404: "There is no such page",
    405: "This address does not work that way",
    409: "Your copy is out of date",
    413: "That is too much at once",
    415: "This is not the kind of data expected here",
    422: "The rules do not allow this",
    423: "This topic is closed",
    429: "Too many attempts",
    500: "Something went wrong here",
    503: "The judgments cannot be saved just now",
}


class Problem(Exception):
    """A request that is refused: the status, a sentence for the reader, and a word for programs.

    >>> problem = Problem(404, "There is no document 'x' in this topic.", "document")
    >>> problem.as_json()
    {'error': "There is no document 'x' in this topic.", 'code': 'document'}
    """

    def __init__(
        self,
        status: int,
        sentence: str,
        code: str,
        *,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(status, sentence, code)
        self.status = status
        self.sentence = sentence
        self.code = code
        self.headers = dict(headers or {})
        self.more = dict(more or {})

    @property
    def title(self) -> str:
        """The heading of the page that tells it."""
        return TITLES.get(self.status, "This did not work")

    def as_json(self) -> dict[str, Any]:
        """The body of the answer to a program."""
        return {"error": self.sentence, "code": self.code} | self.more


def as_sentence(error: Exception) -> str:
    """The message of an error, as a page says it.

    >>> as_sentence(ValueError("there is already a user ann"))
    'There is already a user ann.'
    """
    message = str(error)
    return f"{message[:1].upper()}{message[1:]}."
