"""Requests that another site makes a browser send are refused.

Browsers say where a request comes from: in `Sec-Fetch-Site` on HTTPS and on the own machine, and in
`Origin` whenever something is posted. Whatever may change anything must come from our own pages.
The session's cookie is SameSite=Lax besides, so most of these requests come without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from doxeval.assess.web.problems import Problem

SAFE_METHODS = frozenset({"GET", "HEAD"})


def refuse_other_sites(method: str, headers: Mapping[str, str], secure: bool = False) -> None:
    """Raise a Problem if a request that may change something does not come from our own pages.

    `headers` has lower-case names. `secure`: the application is served over TLS.

    >>> refuse_other_sites("POST", {"sec-fetch-site": "same-origin"})
    >>> refuse_other_sites("POST", {"origin": "http://localhost:8765", "host": "localhost:8765"})
    >>> refuse_other_sites("POST", {"sec-fetch-site": "cross-site"})
    Traceback (most recent call last):
    doxeval.assess.web.problems.Problem: (403, 'The request came from another site.', 'other-site')
    """
    if method in SAFE_METHODS:
        return
    site = headers.get("sec-fetch-site")
    if site is not None:
        if site != "same-origin":
            raise Problem(403, "The request came from another site.", "other-site")
        return
    origin = headers.get("origin")
    if origin is None:
        raise Problem(
            403, "The request does not say which site it comes from (Origin).", "other-site"
        )
    if not _is_ours(origin, headers.get("host", ""), secure):
        raise Problem(403, "The request came from another site.", "other-site")


def _is_ours(origin: str, host: str, secure: bool) -> bool:
    """Whether an origin is the host that was asked.

    An origin that was made unreadable on its way is `null`, which has no host. A server behind a
    proxy does not see TLS, so http and https are only told apart if `secure` is set.
    """
    try:
        scheme, place = urlsplit(origin)[:2]
    except ValueError:
        return False
    schemes = ("https",) if secure else ("http", "https")
    return bool(host) and scheme in schemes and place.lower() == host.lower()
