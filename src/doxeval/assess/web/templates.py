"""Pages from templates; all text in them is escaped and made legible."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.responses import HTMLResponse

from doxeval.assess.web.asked import url
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from jinja2 import Environment

    from doxeval.assess.db import User
    from doxeval.assess.web.asked import Site

_UNREADABLE = (*range(32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_REPLACED = dict.fromkeys(_UNREADABLE, "\N{REPLACEMENT CHARACTER}") | {9: "\t", 10: "\n", 13: "\n"}
_LONGEST_NAME = 200


def render(page: str, site: Site, user: User | None, **values: Any) -> HTMLResponse:
    """A page by the name of its template; `user` is who looks at it."""
    template = _environment().get_template(f"{page}.html.j2")
    shown = {"page": page, "site": site, "user": user, "settings": site.campaign.settings}
    return HTMLResponse(template.render(shown | values))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("doxeval.assess.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"counted": plural, "url": url}
    environment.filters |= {"named": named, "duration": duration, "decimals": decimals}
    return environment


def _shown(value: Any) -> Any:
    """A value as it is written into the page; text loses its control characters."""
    return value if isinstance(value, Markup | int | float) else str(value).translate(_REPLACED)


def named(name: str) -> Markup:
    r"""A name from outside, with hidden characters shown and its writing direction kept apart.

    >>> named("a<b>\u202e")
    Markup('<bdi>a&lt;b&gt;\\u202e</bdi>')
    """
    return Markup("<bdi>{}</bdi>").format(truncate(name, _LONGEST_NAME))


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(42), duration(170), duration(7500)
    ('42 s', '3 min', '2 h 05 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def decimals(value: float | None, digits: int = 2) -> str:
    """A coefficient; one that is undefined is a dash.

    >>> decimals(0.756), decimals(None)
    ('0.76', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"
