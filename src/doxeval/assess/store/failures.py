"""What can go wrong with a campaign.

InputError
└── CampaignError        no campaign, another collection, a name that does not exist …
    ├── CannotSave       the disk is full or the database is gone: nothing was changed
    └── Throttled        too many wrong passwords: wait
"""

from __future__ import annotations

from doxeval.errors import InputError


class CampaignError(InputError):
    """A campaign cannot do what was asked; the message says why.

    >>> str(CampaignError("there is no user bob"))
    'there is no user bob'
    """


class CannotSave(CampaignError):
    """The disk is full, or the database cannot be reached. Nothing was changed."""


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
