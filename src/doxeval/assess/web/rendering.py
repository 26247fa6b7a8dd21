"""Pages from templates; all text in them is escaped and made legible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from doxeval.assess.db import (
    LONGEST_INSTRUCTIONS,
    LONGEST_NAME,
    LONGEST_PASSWORD,
    LONGEST_TITLE,
    SHORTEST_PASSWORD,
)
from doxeval.assess.web.appearance import rendered
from doxeval.assess.web.wire import LONGEST_QUERY
from doxeval.markup import page_templates
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign
    from doxeval.assess.web.find import Finder
    from doxeval.assess.web.pictures import PictureFolder

FOREVER = "public, max-age=31536000, immutable"
_LONGEST_SHOWN = 200
_FOR_ANYONE = frozenset({"problem", "login", "invitation"})
# What fields of forms take.
_LIMITS = {
    "longest_name": LONGEST_NAME,
    "longest_password": LONGEST_PASSWORD,
    "longest_query": LONGEST_QUERY,
    "longest_title": LONGEST_TITLE,
    "longest_instructions": LONGEST_INSTRUCTIONS,
    "shortest_password": SHORTEST_PASSWORD,
}


@dataclass(frozen=True)
class Site:
    """What all requests share; script and style are names of files below /static.

    pictures: where the pictures of documents are, if the organiser gives them.
    """

    campaign: Campaign
    finder: Finder
    script: str
    style: str
    secure: bool = False
    pictures: PictureFolder | None = None


def site_of(request: Request) -> Site:
    """Return what all requests share."""
    site: Site = request.app.state.site
    return site


def campaign_of(request: Request) -> Campaign:
    """Return the campaign that is served."""
    return site_of(request).campaign


def render(
    request: Request,
    page: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    """Return a page by the name of its template, for whoever is signed in."""
    site = site_of(request)
    user = request.scope.get("user")
    shown = {
        "page": page,
        "site": site,
        "settings": site.campaign.settings,
        "user": None if page in _FOR_ANYONE else user,
        "by_proxy": getattr(request.state, "by_proxy", False),
    }
    return _templates().TemplateResponse(
        request, f"{page}.html.j2", shown | values, status_code=status, headers=headers
    )


@cache
def _templates() -> Jinja2Templates:
    environment = page_templates("doxeval.assess.web")
    environment.globals |= {"counted": plural, "url": url, **_LIMITS}
    environment.filters |= {
        "named": named,
        "duration": duration,
        "decimals": decimals,
        "markdown": rendered,
    }
    return Jinja2Templates(env=environment)


def url(path: str, **parameters: str | None) -> str:
    """Return an address with parameters; those that are None are left out.

    >>> url("/article", topic="7", doc="a&b", judge=None)
    '/article?topic=7&doc=a%26b'
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def invitation_link(address: str, token: str) -> str:
    """Return the link of an invitation; `address` is that of the application.

    >>> invitation_link("https://assess.example.org/", "t0ken")
    'https://assess.example.org/invitation?token=t0ken'
    """
    return address.rstrip("/") + url("/invitation", token=token)


def named(name: str) -> Markup:
    r"""Return a name from outside, hidden characters shown, its writing direction kept apart.

    >>> named("a<b>\u202e")
    Markup('<bdi>a&lt;b&gt;\\u202e</bdi>')
    """
    return Markup("<bdi>{}</bdi>").format(truncate(name, _LONGEST_SHOWN))


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(42), duration(170), duration(7500)
    ('42 s', '3 min', '2 h 05 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def decimals(value: float | None, digits: int = 2) -> str:
    """Return a coefficient; one that is undefined is a dash.

    >>> decimals(0.756), decimals(None)
    ('0.76', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"
