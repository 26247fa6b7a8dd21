"""The cookie of a session: a random token that only the server can match."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.responses import Response

COOKIE = "doxeval-session"
_LONGEST_TOKEN = 200


def token_in(header: str | None) -> str | None:
    """The token in a Cookie header.

    >>> token_in("a=b; doxeval-session=T0ken"), token_in("a=b"), token_in(None)
    ('T0ken', None, None)
    """
    if not header:
        return None
    for part in header.split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            is_token = value.isascii() and value.isprintable() and len(value) <= _LONGEST_TOKEN
            return value if value and is_token else None
    return None


def set_token(response: Response, token: str, secure: bool) -> None:
    """Give a session to a browser, until the browser is closed or the session ends here."""
    response.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure, path="/")


def forget_token(response: Response, secure: bool) -> None:
    """Take it back."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=secure, path="/")
