"""Who sends a request, and who may: sessions, other sites, roles, signing in, accounts."""

from __future__ import annotations

import logging
from enum import Enum
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from anyio import from_thread
from starlette.authentication import AuthCredentials, AuthenticationBackend, BaseUser
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from doxeval.assess.db import (
    ADJUDICATED,
    LONGEST_ID,
    LONGEST_NAME,
    LONGEST_PASSWORD,
    Interrupted,
    NoInvitation,
    Throttled,
)
from doxeval.assess.web.errors import SAFE_METHODS, RefusedRequest, as_sentence
from doxeval.assess.web.rendering import campaign_of, render, site_of
from doxeval.assess.web.requests import is_storable
from doxeval.errors import InputError
from doxeval.messages import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from doxeval.assess.db import Campaign, Part, Session, User
    from doxeval.assess.web.proxies import Proxies

COOKIE = "doxeval-session"
# With the id of a user behind it: the user has signed in before in this browser.
BROWSER_COOKIE = "doxeval-browser-"
_KEPT = 400 * 24 * 3600  # seconds; browsers keep no cookie for longer
_LONGEST_TOKEN = 200
log = logging.getLogger("doxeval.assess")


class Who(Enum):
    """Who may use a route."""

    ANYONE = "anyone, signed in or not"
    SIGNED_IN = "everyone who is signed in"
    TOPIC = "everyone who assesses or adjudicates the topic"
    ASSESSOR = "the assessors of the topic"
    ADJUDICATOR = "the adjudicators of the topic"
    JUDGE = "the assessors of the topic; with judge=adjudicated, its adjudicators"
    ORGANISER = "organisers and administrators"
    ADMIN = "administrators"


OF_A_TOPIC = frozenset({Who.TOPIC, Who.ASSESSOR, Who.ADJUDICATOR, Who.JUDGE})


class SessionBackend(AuthenticationBackend):
    """Finds the user of a request: by a trusted proxy's word, else by the token in its cookie.

    The credentials hold the roles that a user may act in; the state has the user's parts in the
    topic of the address, which are read along with the session. Files need no session.
    """

    def __init__(self, campaign: Campaign, proxies: Proxies) -> None:
        self.campaign = campaign
        self.proxies = proxies
        self._named: set[int] = set()  # users whom a proxy has named since the server started

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser] | None:
        """Return the roles and the user of a request, if somebody is signed in."""
        if conn.url.path.startswith("/static/"):
            return None
        topic = conn.query_params.get("topic", "")
        topic = topic if len(topic) <= LONGEST_ID and is_storable(topic) else ""
        name, token = self.proxies.name_in(conn), token_of(conn)
        session = None
        if name is not None:
            session = await run_in_threadpool(self._session_of_name, name, topic, conn)
        elif token is not None:
            session = await run_in_threadpool(self.campaign.session, token, topic)
        if session is None:
            return None
        user = session.user
        conn.state.parts = {topic: session.parts}
        conn.state.by_proxy = name is not None
        roles = [Who.SIGNED_IN.name]
        roles += [Who.ORGANISER.name] if user.is_organiser else []
        roles += [Who.ADMIN.name] if user.role == "admin" else []
        return AuthCredentials(roles), cast(BaseUser, user)

    def _session_of_name(self, name: str, topic: str, conn: HTTPConnection) -> Session:
        known = self.campaign.session_of_name(name, topic) if len(name) <= LONGEST_NAME else None
        if known is None:
            log.warning(
                "no account for %s, whom a proxy names, at %s", quoted(name), _address(conn)
            )
            raise RefusedRequest(
                403,
                "You are signed in at your institution, but have no account in this campaign. Ask "
                "the organiser for one.",
                "no-account",
            )
        if known.user.id not in self._named:
            self._named.add(known.user.id)
            self.campaign.note_event("signed in", known.user, by="proxy")
        return known


def is_by_proxy(request: HTTPConnection) -> bool:
    """Tell whether a proxy has authenticated the user, so that passwords do not matter."""
    return bool(getattr(request.state, "by_proxy", False))


def token_of(conn: HTTPConnection) -> str | None:
    """Return the token in the cookie of a request, if it may be one of ours."""
    token = conn.cookies.get(COOKIE, "")
    return token if _may_be_token(token) else None


def _may_be_token(token: str) -> bool:
    return token.isascii() and token.isprintable() and 0 < len(token) <= _LONGEST_TOKEN


def _browser_tokens(request: Request) -> list[str]:
    """Return the tokens by which users are known to have signed in before in this browser."""
    return [
        value
        for name, value in request.cookies.items()
        if name.startswith(BROWSER_COOKIE) and _may_be_token(value)
    ]


class OwnSiteOnly:
    """Refuses requests that another site makes a browser send.

    Browsers say where a request comes from: in `Sec-Fetch-Site` on HTTPS and on the own machine,
    and in `Origin` whenever something is posted. Whatever may change anything must come from our
    own pages. The session's cookie is SameSite=Lax besides, so most of these requests come without
    it.
    """

    def __init__(self, app: ASGIApp, secure: bool = False) -> None:
        self.app = app
        self.secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it comes from another site."""
        if scope["type"] == "http":
            request = Request(scope)
            refuse_other_sites(request.method, request.headers, self.secure)
        await self.app(scope, receive, send)


def refuse_other_sites(method: str, headers: Mapping[str, str], secure: bool = False) -> None:
    """Refuse a request that may change something and does not come from our own pages.

    `headers` has lower-case names. `secure`: the application is served over TLS.

    >>> refuse_other_sites("POST", {"sec-fetch-site": "same-origin"})
    >>> refuse_other_sites("POST", {"origin": "http://localhost:8765", "host": "localhost:8765"})
    >>> refuse_other_sites("POST", {"sec-fetch-site": "cross-site"})
    Traceback (most recent call last):
    doxeval.assess.web.errors.RefusedRequest: 403: The request came from another site.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if method in SAFE_METHODS or site == "same-origin":
        return
    if site is None and origin is None:
        raise RefusedRequest(
            403, "The request does not say which site it comes from (Origin).", "other-site"
        )
    if site is not None or not _is_ours(origin or "", headers.get("host", ""), secure):
        raise RefusedRequest(403, "The request came from another site.", "other-site")


def _is_ours(origin: str, host: str, secure: bool) -> bool:
    """Return whether an origin is the host that the request was sent to.

    An origin that was made unreadable on its way is `null`, which has no host. A server behind a
    proxy does not see TLS, so http and https are only distinguished if `secure` is set.
    """
    try:
        scheme, place = urlsplit(origin)[:2]
    except ValueError:
        return False
    schemes = ("https",) if secure else ("http", "https")
    return bool(host) and scheme in schemes and place.lower() == host.lower()


def check_role(who: Who, credentials: AuthCredentials) -> None:
    """Refuse somebody who may not use a route, whatever the topic is."""
    if who is Who.ANYONE:
        return
    if Who.SIGNED_IN.name not in credentials.scopes:
        raise RefusedRequest(
            401, "Your session has ended, or you have not signed in yet.", "signed-out"
        )
    if who in (Who.ORGANISER, Who.ADMIN) and who.name not in credentials.scopes:
        names = {Who.ORGANISER: "organisers", Who.ADMIN: "administrators"}
        raise RefusedRequest(403, f"Only {names[who]} may do this.", "role")


def judge_of(request: Request, who: Who, topic: str, judge: str | None) -> int:
    """Return as whom somebody works on a topic, which must be theirs.

    A topic that does not exist is refused in the same words as one that belongs to others.
    """
    if judge not in (None, "adjudicated"):
        raise RefusedRequest(400, "judge= is adjudicated, or left out.", "judge")
    if who is Who.ASSESSOR and judge is not None:
        raise RefusedRequest(
            400, "This address is for your own judgments; leave out judge=.", "judge"
        )
    user: User = request.user
    part: Part = "adjudicate" if judge is not None or who is Who.ADJUDICATOR else "assess"
    parts = parts_of(request, topic)
    if part not in parts and not (who is Who.TOPIC and parts):
        raise RefusedRequest(403, f"You were not asked to {part} this topic.", "topic")
    return ADJUDICATED if part == "adjudicate" else user.id


def parts_of(request: Request, topic: str) -> Collection[Part]:
    """Return the parts of the user in a topic."""
    parts: Mapping[str, frozenset[Part]] = request.state.parts
    # A topic that is in a form or in JSON was not read along with the session.
    return parts[topic] if topic in parts else campaign_of(request).parts(request.user, topic)


def get_login(request: Request) -> Response:
    """Show the form; somebody who is signed in goes on to where they were going."""
    way = same_site(request.state.query.get("next"))
    is_signed_in = Who.SIGNED_IN.name in request.auth.scopes
    return RedirectResponse(way, 303) if is_signed_in else _login_page(request, way)


def _login_page(
    request: Request, way: str, problem: str = "", name: str = "", status: int = 200
) -> Response:
    return render(request, "login", status=status, next=way, problem=problem, name=name)


def post_login(request: Request) -> Response:
    """Sign in: a new session, whatever session the browser had before."""
    form: dict[str, str] = request.state.form
    name, way = form.get("name", ""), same_site(form.get("next"))
    user = _user_with_password(request, name, form.get("password", ""))
    if user is None:
        log.warning("failed sign-in as %s from %s", quoted(name), _address(request))
        wrong = "Name or password is wrong."
        return _login_page(request, way, wrong, name[:LONGEST_NAME], status=401)
    if token := token_of(request):
        campaign_of(request).close_session(token)
    return _signed_in(request, user, way)


def _user_with_password(request: Request, name: str, password: str) -> User | None:
    """Return the user of a name and a password, if they belong together."""
    name = name.strip()
    if not (name and password and is_storable(name) and is_storable(password)):
        return None
    if len(name) > LONGEST_NAME or len(password) > LONGEST_PASSWORD:
        return None
    try:
        return campaign_of(request).check_password(
            name,
            password,
            _address(request),
            _browser_tokens(request),
            lambda: from_thread.run(request.is_disconnected),
        )
    except Interrupted:
        raise ClientDisconnect from None
    except Throttled as error:
        log.warning("too many sign-ins as %s from %s", quoted(name), _address(request))
        raise _throttled(error, "passwords") from None


def _throttled(error: Throttled, what: str) -> RefusedRequest:
    return RefusedRequest(
        429,
        f"There were too many wrong {what}. Wait {error.seconds} seconds and try again.",
        "throttled",
        headers={"retry-after": str(error.seconds)},
    )


def _address(conn: HTTPConnection) -> str:
    return conn.client.host if conn.client else ""


def _signed_in(request: Request, user: User, way: str) -> Response:
    """Give a session to the browser, until it is closed or the session ends here.

    Another cookie stays: strangers who guess the user's password do not slow this browser down.
    """
    response = RedirectResponse(way, 303)
    campaign, secure = campaign_of(request), site_of(request).secure
    token = campaign.open_session(user)
    response.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure)
    token = campaign.remember_browser(user, _browser_tokens(request))
    name = f"{BROWSER_COOKIE}{user.id}"
    response.set_cookie(name, token, _KEPT, httponly=True, samesite="lax", secure=secure)
    return response


def same_site(path: str | None) -> str:
    r"""Return a path of our own site to go back to; anything else leads to the first page.

    >>> same_site("/queue?topic=7"), same_site("//evil.example"), same_site("/\\evil.example")
    ('/queue?topic=7', '/', '/')
    """
    if not path or not path.startswith("/") or path.startswith("//") or len(path) > 4000:
        return "/"
    if "\\" in path or any(ord(sign) < 33 or 127 <= ord(sign) < 160 for sign in path):
        return "/"
    return path


def post_logout(request: Request) -> Response:
    """Sign out: the session is over here too, not only in this browser."""
    if token := token_of(request):
        campaign_of(request).close_session(token)
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=site_of(request).secure)
    return response


# Invitations


def get_invitation(request: Request) -> Response:
    """Show the form in which an invited user chooses a password; nothing changes yet."""
    token = request.state.query.get("token", "")
    try:
        user = campaign_of(request).invited_user(_link_token(token))
    except NoInvitation as error:
        raise _no_invitation(error) from None
    return render(request, "invitation", token=token, name=user.name, problem="")


def post_invitation(request: Request) -> Response:
    """Set the password that an invited user has chosen, and sign them in; the link is used up."""
    form, campaign = request.state.form, campaign_of(request)
    token, new = form.get("token", ""), form.get("new", "")
    try:
        user = campaign.invited_user(_link_token(token))
        problem = "" if new == form.get("again", "") else "The password was not repeated exactly."
        if not problem:
            try:
                user = campaign.accept_invitation(token, new)
            except NoInvitation:
                raise
            except InputError as error:
                problem = as_sentence(error)
    except NoInvitation as error:
        try:  # only wrong links are counted, so nobody can keep a right one from working
            campaign.count_wrong_link(_address(request))
        except Throttled as throttled:
            raise _throttled(throttled, "links") from None
        raise _no_invitation(error) from None
    if problem:
        return render(
            request, "invitation", status=422, token=token, name=user.name, problem=problem
        )
    if old := token_of(request):
        campaign.close_session(old)
    return _signed_in(request, user, "/")


def _link_token(token: str) -> str:
    return token if _may_be_token(token) else ""


def _no_invitation(error: NoInvitation) -> RefusedRequest:
    sentence = (
        f"{as_sentence(error)} Sign in if you have used it, or ask the organiser for another."
    )
    return RefusedRequest(404, sentence, "invitation")


# Accounts


def get_account(request: Request) -> Response:
    """Show the own account."""
    is_changed = request.state.query.get("done") == "password"
    notice = "Your password is changed. All your other sessions have ended." if is_changed else ""
    return _account_page(request, notice=notice)


def _account_page(
    request: Request, *, notice: str = "", problem: str = "", status: int = 200
) -> Response:
    return render(request, "account", status=status, notice=notice, problem=problem)


def post_password(request: Request) -> Response:
    """Change the own password; all other sessions end."""
    user: User = request.user
    form = request.state.form
    problem, new = "", form.get("new", "")
    if is_by_proxy(request):
        problem = "Your institution signs you in; there is no password to change here."
    elif _user_with_password(request, user.name, form.get("current", "")) is None:
        problem = "The current password is wrong."
    elif new != form.get("again", ""):
        problem = "The new password was not repeated exactly."
    else:
        try:
            campaign_of(request).set_password(user.name, new)
        except InputError as error:
            problem = as_sentence(error)
    if problem:
        return _account_page(request, problem=problem, status=422)
    return _signed_in(request, user, "/account?done=password")
