"""Requests that are refused: the answer that says why, a page for people, JSON for programs."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from doxeval.assess.db import CannotSave, Damaged, NotInQueue, Unknown
from doxeval.assess.web.rendering import render, url
from doxeval.assess.web.wire import ErrorData
from doxeval.errors import DoxevalError, UnknownReference

SAFE_METHODS = frozenset({"GET", "HEAD"})
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
log = logging.getLogger("doxeval.assess")


class RefusedRequest(HTTPException):
    """A request that is refused: the status, a sentence for the reader, and a word for programs.

    >>> RefusedRequest(404, "There is no such topic.", "topic").sentence
    'There is no such topic.'
    """

    def __init__(
        self, status: int, sentence: str, code: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, sentence, headers)
        self.sentence = sentence
        self.code = code

    @property
    def title(self) -> str:
        """The heading of the page that shows it."""
        return TITLES.get(self.status_code, "This did not work")


def problem_of(error: Exception) -> RefusedRequest:
    """Return an error of a route, of the library or of the program as a problem.

    >>> problem_of(UnknownReference("no document 'x'")).status_code
    404
    """
    match error:
        case RefusedRequest():
            return error
        case HTTPException(status_code=status):
            sentence = "Check the address." if status == 404 else TITLES.get(status, "") + "."
            return RefusedRequest(status, sentence, "address")
        case NotInQueue():
            return RefusedRequest(
                404,
                "This document is not in your queue for the topic. Find it there and add it, if "
                "you want to judge it.",
                "document",
            )
        case Unknown():
            return RefusedRequest(404, as_sentence(error), "unknown")
        case UnknownReference():
            return RefusedRequest(404, f"There is no such thing here: {error.message}.", "unknown")
        case CannotSave() | OSError():
            log.error("cannot save: %s", error)
            return RefusedRequest(
                503,
                "The judgments cannot be saved: the disk is full, or the database does not answer. "
                "Nothing that the page shows as saved is lost. Try again in a moment, and tell the "
                "organiser if it goes on.",
                "storage",
                headers={"retry-after": "5"},
            )
        case Damaged():
            log.error("%s", error)
            return RefusedRequest(
                503,
                "The database of this campaign is damaged. Tell the organiser, who may have a "
                "backup; the log of the server tells more.",
                "storage",
            )
        case DoxevalError():
            log.warning("%s: %s", type(error).__name__, error)
            return RefusedRequest(400, f"This did not work: {error}.", "refused")
    log.error("an error of the program", exc_info=error)
    return RefusedRequest(
        500, "This is an error of the program; the log of the server tells more.", "program"
    )


def answer_error(request: Request, error: Exception) -> Response:
    """Answer a request that failed; someone who is signed out is sent to the page to sign in."""
    if isinstance(error, ClientDisconnect):
        return Response(status_code=400)
    problem = problem_of(error)
    if request.url.path.startswith("/api/"):
        body = msgspec.json.encode(ErrorData(problem.sentence, problem.code))
        return Response(body, problem.status_code, problem.headers, "application/json")
    if problem.status_code == 401:
        return RedirectResponse(url("/login", next=_way_back(request)), 303)
    return render(
        request, "problem", status=problem.status_code, headers=problem.headers, problem=problem
    )


def _way_back(request: Request) -> str | None:
    """Return the address to come back to, if there is more than the first page to come back to."""
    path, query = request.url.path, request.url.query
    if request.method not in SAFE_METHODS or (path == "/" and not query):
        return None
    return f"{path}?{query}" if query else path


def as_sentence(error: Exception) -> str:
    """Return the message of an error as a page shows it.

    >>> as_sentence(ValueError("there is already a user ann"))
    'There is already a user ann.'
    """
    message = str(error)
    return f"{message[:1].upper()}{message[1:]}."
