"""The time: UTC, as text that sorts by time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def now() -> str:
    """The time now, to the millisecond.

    >>> len(now()), now()[-1]
    (24, 'Z')
    """
    return as_text(datetime.now(UTC))


def later(time: str, seconds: float) -> str:
    """The time some seconds later (earlier if they are negative).

    >>> later("2026-01-31T23:59:59.500Z", 1)
    '2026-02-01T00:00:00.500Z'
    """
    return as_text(datetime.fromisoformat(time) + timedelta(seconds=seconds))


def seconds_between(earlier: str, after: str) -> float:
    """How many seconds lie between two times.

    >>> seconds_between("2026-01-31T23:59:59.500Z", "2026-02-01T00:00:00.000Z")
    0.5
    """
    return (datetime.fromisoformat(after) - datetime.fromisoformat(earlier)).total_seconds()


def as_text(time: datetime) -> str:
    """A time as ISO 8601 in UTC.

    >>> as_text(datetime(2026, 1, 31, 12, tzinfo=UTC))
    '2026-01-31T12:00:00.000Z'
    """
    text = time.astimezone(UTC).isoformat(timespec="milliseconds")
    return f"{text.removesuffix('+00:00')}Z"
