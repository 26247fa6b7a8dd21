"""What the organiser decided when the campaign began; every page and every export follows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from sqlalchemy import Connection, insert, select, update

from doxeval.assess.db.failures import CampaignError, stored
from doxeval.assess.db.schema import SETTINGS
from doxeval.assess.judging import Mode
from doxeval.messages import Parameter, suggestion

Order = Literal["pool", "prioritised", "random"]
Snap = Literal["characters", "words", "sentences"]
DisplayRole = Literal[
    "heading", "list", "item", "table", "row", "cell", "inline", "figure", "maths", "block"
]


@dataclass(frozen=True)
class Settings:
    """The decisions of the organiser.

    order: in which order assessors walk the pool; `random` follows `seed`.
    show_pooled: whether assessors may see which parts of a document runs returned.
    display: how tags are shown, where it is not guessed. snap: what selections snap to.

    >>> Settings(mode="2005").order
    'pool'
    >>> Settings(order="alphabetical")
    Traceback (most recent call last):
    doxeval.assess.db.failures.CampaignError: order='alphabetical'; there are pool, \
prioritised, random
    """

    mode: Mode = "2006"
    order: Order = "pool"
    seed: int = 0
    show_pooled: bool = False
    display: Mapping[str, str] = field(default_factory=dict)
    snap: Snap = "characters"
    title: str = ""

    def __post_init__(self) -> None:
        choices = {"mode": get_args(Mode), "order": get_args(Order), "snap": get_args(Snap)}
        for name, known in choices.items():
            chosen = getattr(self, name)
            if chosen not in known:
                raise CampaignError(Parameter(name, chosen) + suggestion(str(chosen), known))
        for tag, role in self.display.items():
            if role not in get_args(DisplayRole):
                hint = suggestion(str(role), get_args(DisplayRole))
                raise CampaignError(Parameter("display", {tag: role}) + hint)
        object.__setattr__(self, "display", MappingProxyType(dict(self.display)))


def save(connection: Connection, settings: Settings) -> None:
    """Keep the settings of a new campaign."""
    value: dict[str, Any] = {
        **{name: getattr(settings, name) for name in settings.__dataclass_fields__},
        "display": dict(settings.display),
    }
    put(connection, "settings", value)


def load(connection: Connection) -> Settings:
    """The settings of a campaign."""
    with stored("the settings of the campaign"):
        return Settings(**get(connection, "settings"))


def collection(connection: Connection) -> dict[str, str]:
    """Where the collection is, and its seal."""
    found = get(connection, "collection")
    with stored("the place of the collection"):
        return {name: str(found[name]) for name in ("path", "seal")}


def get(connection: Connection, key: str) -> Any:
    """One value by its key; None if it was never put."""
    return connection.execute(select(SETTINGS.c.value).where(SETTINGS.c.key == key)).scalar()


def put(connection: Connection, key: str, value: Any) -> None:
    """Keep a value under a key, instead of what was there."""
    changed = update(SETTINGS).where(SETTINGS.c.key == key).values(value=value)
    if not connection.execute(changed).rowcount:
        connection.execute(insert(SETTINGS).values(key=key, value=value))
