"""A request as the functions that answer it see it: checked, and read to the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from doxeval.assess.db import ADJUDICATED, LONGEST_ID
from doxeval.assess.web.problems import Problem

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign, User
    from doxeval.assess.web.find import Finder
    from doxeval.assess.web.static import Assets


@dataclass(frozen=True)
class Site:
    """What all requests share."""

    campaign: Campaign
    finder: Finder
    assets: Assets
    secure: bool = False


@dataclass(frozen=True)
class Asked:
    """A request: who asks, for what, and what was sent along.

    user is None only on routes that are open to anyone. judge: as whom the user works on the topic.
    fields: those of a form. body: JSON.
    """

    site: Site
    method: str
    path: str
    query: Mapping[str, str]
    address: str
    token: str | None = None
    user: User | None = None
    topic: str = ""
    judge: int = -1
    fields: Mapping[str, str] = field(default_factory=dict)
    body: Any = None

    @property
    def campaign(self) -> Campaign:
        """The campaign that is served."""
        return self.site.campaign

    @property
    def who(self) -> User:
        """The user, on routes for those who are signed in."""
        if self.user is None:
            raise Problem(401, "You have not signed in yet.", "signed-out")
        return self.user

    @property
    def is_adjudicating(self) -> bool:
        """Whether the shared, adjudicated judgment is meant."""
        return self.judge == ADJUDICATED

    @property
    def document(self) -> str:
        """The document that is asked for."""
        return given_id(self.given("doc"), "doc")

    def given(self, name: str) -> Any:
        """A value from the address, the form or the JSON, which must not contradict each other."""
        sent = self.body if isinstance(self.body, dict) else {}
        found = [place[name] for place in (self.query, self.fields, sent) if name in place]
        if any(one != found[0] for one in found):
            raise Problem(400, f"The request has two different values of {name}.", name)
        return found[0] if found else None


def given_id(value: object, name: str) -> str:
    """The id of a topic or a document; what cannot be one does not exist.

    >>> given_id("a/../b.xml", "doc")
    'a/../b.xml'
    >>> given_id(None, "topic")
    Traceback (most recent call last):
    doxeval.assess.web.problems.Problem: (400, 'The request has no topic.', 'topic')
    """
    what = {"doc": "document"}.get(name, name)
    if value is None or value == "":
        raise Problem(400, f"The request has no {what}.", what)
    if not isinstance(value, str):
        raise Problem(400, f"The {what} is not a text.", what)
    if len(value) > LONGEST_ID or not is_storable(value):
        raise Problem(404, f"There is no such {what}.", what)
    return value


def is_storable(text: str) -> bool:
    r"""Whether a database keeps a text as it is.

    >>> is_storable("é"), is_storable("a\0"), is_storable("\ud800")
    (True, False, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def url(path: str, **parameters: str | None) -> str:
    """An address with parameters; those that are None are left out.

    >>> url("/article", topic="7", doc="a&b", judge=None)
    '/article?topic=7&doc=a%26b'
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def same_site(path: str | None) -> str:
    r"""A path of our own site to go back to; anything else leads to the first page.

    >>> same_site("/queue?topic=7"), same_site("//evil.example"), same_site("/\\evil.example")
    ('/queue?topic=7', '/', '/')
    """
    if not path or not path.startswith("/") or path.startswith("//") or len(path) > 4000:
        return "/"
    if "\\" in path or any(ord(sign) < 33 or 127 <= ord(sign) < 160 for sign in path):
        return "/"
    return path
