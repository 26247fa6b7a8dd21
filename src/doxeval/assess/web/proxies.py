"""Proxies in front of the server: which are trusted, and what they say about a request.

A proxy tells by X-Forwarded-For for whom it asks, and, where it has authenticated people already,
by a header of the organiser's choice who they are. Anybody can write such headers, so they count
only in requests that come from the address of a trusted proxy, and are ignored in all others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TYPE_CHECKING, TypeAlias

from doxeval.assess.web.errors import RefusedRequest
from doxeval.errors import InputError
from doxeval.messages import Parameter

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send

Address: TypeAlias = IPv4Address | IPv6Address
_FORWARDED = b"x-forwarded-for"
_MOST_HOPS = 20
_FROM_PROXY = "doxeval.from-proxy"  # the key of a scope
# Headers that browsers or proxies fill with something else.
_TAKEN = frozenset(
    "authorization connection content-length content-type cookie forwarded host origin referer "
    "transfer-encoding user-agent x-forwarded-for x-forwarded-host x-forwarded-proto".split()
)


@dataclass(frozen=True)
class Proxies:
    """The proxies that are trusted, and the header in which they name people, if they do.

    >>> proxies = Proxies.of(["127.0.0.1", "10.1.0.0/16"], "X-Remote-User")
    >>> proxies.trust("10.1.2.3"), proxies.trust("10.2.0.1"), proxies.trust("somewhere")
    (True, False, False)
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    header: str | None = None

    @classmethod
    def of(cls, trusted: Sequence[str], header: str | None = None) -> Proxies:
        """Return the proxies of some addresses or networks; wrong ones are an error.

        >>> Proxies.of(["0.0.0.0/0"])
        Traceback (most recent call last):
        doxeval.errors.InputError: trusted_proxy='0.0.0.0/0' would trust everybody; expected the \
address of a proxy
        """
        if header is not None:
            if not trusted:
                raise InputError(
                    "nobody may say who people are without " + Parameter("trusted_proxy")
                )
            is_taken = header.lower() in _TAKEN or header.lower().startswith("sec-")
            if is_taken or not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,99}", header):
                raise InputError(
                    Parameter("auth_header", header)
                    + ": expected the name of a header that only the proxy writes, such as "
                    "X-Remote-User"
                )
        return cls(tuple(_network(text) for text in trusted), header and header.lower())

    def trust(self, address: str) -> bool:
        """Tell whether an address is that of a trusted proxy."""
        parsed = _parsed(address)
        return parsed is not None and any(parsed in network for network in self.networks)

    def asks_for(self, proxy: str, forwarded: str) -> str:
        """Return for whom a trusted proxy asks, by its header.

        Each proxy adds at the end from where it was asked, so whatever is before an address that
        is not of a trusted proxy was made up by somebody.

        >>> Proxies.of(["127.0.0.1"]).asks_for("127.0.0.1", "6.6.6.6, 192.0.2.7")
        '192.0.2.7'
        """
        found = proxy
        for text in forwarded.split(",")[: -_MOST_HOPS - 1 : -1]:
            address = _parsed(_without_port(text.strip()))
            if address is None:
                break
            found = str(address)
            if not self.trust(found):
                break
        return found

    def name_in(self, conn: HTTPConnection) -> str | None:
        """Return whom a trusted proxy names; None if it names nobody, or nobody may name people.

        Two names are refused: one of them may be from whoever sent the request.
        """
        if self.header is None or not conn.scope.get(_FROM_PROXY):
            return None
        given = [value for name, value in conn.scope["headers"] if name == self.header.encode()]
        if len(given) > 1:
            raise RefusedRequest(403, "The proxy names two people.", "proxy")
        name = given[0].decode("utf-8", "replace").strip() if given else ""
        return name or None


class BehindProxies:
    """Gives requests of trusted proxies the address of whoever the proxy asks for."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self.app = app
        self.proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with another address if it comes from a trusted proxy."""
        client = scope.get("client")
        if scope["type"] == "http" and client and self.proxies.trust(client[0]):
            lines = [value for name, value in scope["headers"] if name == _FORWARDED]
            address = self.proxies.asks_for(client[0], b",".join(lines).decode("latin-1"))
            scope = {**scope, "client": (address, 0), _FROM_PROXY: True}
        await self.app(scope, receive, send)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        network = ip_network(text.strip())
    except ValueError as error:
        raise InputError(
            Parameter("trusted_proxy", text)
            + f": expected an address such as 127.0.0.1, or a network such as 10.1.0.0/16 ({error})"
        ) from None
    if network.prefixlen == 0:
        raise InputError(
            Parameter("trusted_proxy", text)
            + " would trust everybody; expected the address of a proxy"
        )
    return network


def _parsed(text: str) -> Address | None:
    """Return an address; an IPv4 address in IPv6 as IPv4.

    >>> _parsed("::ffff:10.0.0.1"), _parsed("unknown")
    (IPv4Address('10.0.0.1'), None)
    """
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _without_port(text: str) -> str:
    """Return an address without the port that some proxies add.

    >>> _without_port("192.0.2.7:4711"), _without_port("[2001:db8::1]:4711"), _without_port("::1")
    ('192.0.2.7', '2001:db8::1', '::1')
    """
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
