"""What can go wrong with a campaign.

InputError
└── CampaignError        no campaign, another collection, a name that does not exist …
    ├── CannotSave       the disk is full or the database is gone: nothing was changed
    ├── Damaged          the database holds what doxeval never wrote
    └── Throttled        too many wrong passwords: wait
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from doxeval.errors import InputError

# What Python raises for values of another type or shape than it expects.
_ODD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error)


class CampaignError(InputError):
    """A campaign cannot do what was asked; the message says why.

    >>> str(CampaignError("there is no user bob"))
    'there is no user bob'
    """


class CannotSave(CampaignError):
    """The disk is full, or the database cannot be reached. Nothing was changed."""


class Damaged(CampaignError):
    """The database is damaged: it holds what doxeval never wrote, or lacks what it did."""


@contextmanager
def stored(what: str) -> Iterator[None]:
    """Turn errors of making something from values of the database into a Damaged.

    >>> with stored("a topic"):
    ...     {}["title"]
    Traceback (most recent call last):
    doxeval.assess.db.failures.Damaged: a topic cannot be read (KeyError: 'title')
    """
    try:
        yield
    except _ODD as error:
        raise Damaged(f"{what} cannot be read ({type(error).__name__}: {error})") from error


class Throttled(CampaignError):
    """Too many wrong passwords; `seconds` is how long to wait before the next attempt.

    >>> str(Throttled(30))
    'too many wrong passwords: wait 30 seconds'
    """

    def __init__(self, seconds: int) -> None:
        plural = "" if seconds == 1 else "s"
        super().__init__(f"too many wrong passwords: wait {seconds} second{plural}")
        self.seconds = seconds

    def __reduce__(self) -> tuple[type[Throttled], tuple[int]]:
        return Throttled, (self.seconds,)
