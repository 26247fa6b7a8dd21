"""Headers of every answer: what browsers may do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Nothing but our own script and style runs; no page of another site may hold ours; scripts cannot
# turn text into HTML.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
ALWAYS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
# Pages show what only the person at the screen may see, so no cache keeps them.
UNLESS_SET = {"cache-control": "no-store"}
TLS_ONLY = {"strict-transport-security": "max-age=31536000"}


class SecurityHeaders:
    """Adds the headers to every answer of an application, those of errors included.

    >>> SecurityHeaders(None, secure=True).added[b"referrer-policy"]
    b'same-origin'
    """

    def __init__(self, app: ASGIApp | None, secure: bool = False) -> None:
        self.app = app
        always = ALWAYS | (TLS_ONLY if secure else {})
        self.added = {name.encode(): value.encode() for name, value in always.items()}
        self.unless_set = {name.encode(): value.encode() for name, value in UNLESS_SET.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the headers to its answer."""
        assert self.app is not None  # noqa: S101
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower(), value) for name, value in message.get("headers", [])]
                there = {name for name, _ in own}
                own = [pair for pair in own if pair[0] not in self.added]
                own += self.added.items()
                own += [pair for pair in self.unless_set.items() if pair[0] not in there]
                message = {**message, "headers": own}
            await send(message)

        await self.app(scope, receive, send_with_headers)
