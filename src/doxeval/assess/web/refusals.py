"""Answers that say what is wrong: a page for people, JSON for programs."""

from __future__ import annotations

import logging

from starlette.responses import JSONResponse, RedirectResponse, Response

from doxeval.assess.db import CannotSave, Damaged
from doxeval.assess.web.asked import Site, url
from doxeval.assess.web.problems import Problem
from doxeval.assess.web.templates import render
from doxeval.errors import DoxevalError, UnknownReference

log = logging.getLogger("doxeval.assess")


def refused(error: Exception) -> Problem:
    """An error of the library or of the program, as an answer.

    >>> refused(UnknownReference("no document 'x'")).status
    404
    """
    if isinstance(error, UnknownReference):
        return Problem(404, f"There is no such thing here: {error.message}.", "unknown")
    if isinstance(error, CannotSave | OSError):
        log.error("cannot save: %s", error)
        return Problem(
            503,
            "The judgments cannot be saved: the disk is full, or the database does not answer. "
            "Nothing that the page shows as saved is lost. Try again in a moment, and tell the "
            "organiser if it goes on.",
            "storage",
            headers={"retry-after": "5"},
        )
    if isinstance(error, Damaged):
        log.error("%s", error)
        return Problem(
            503,
            "The database of this campaign is damaged. Tell the organiser, who may have a backup; "
            "the log of the server tells more.",
            "storage",
        )
    if isinstance(error, DoxevalError):
        log.warning("%s: %s", type(error).__name__, error)
        return Problem(400, f"This did not work: {error}.", "refused")
    log.error("an error of the program", exc_info=error)
    return Problem(
        500, "This is an error of the program; the log of the server tells more.", "program"
    )


def answer_to(problem: Problem, site: Site, path: str, way_back: str = "/") -> Response:
    """The answer that tells a problem; someone who is signed out is asked to sign in."""
    if path.startswith("/api/"):
        return JSONResponse(problem.as_json(), problem.status, headers=problem.headers)
    if problem.status == 401:
        where = url("/login", next=None if way_back == "/" else way_back)
        return RedirectResponse(where, 303, headers=problem.headers)
    page = render("problem", site, None, problem=problem)
    page.status_code = problem.status
    page.headers.update(problem.headers)
    return page
