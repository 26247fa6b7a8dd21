"""Passwords: hashed with Argon2id, or made up for a new user."""

from __future__ import annotations

import secrets
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from doxeval.assess.db.failures import CampaignError

SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 1000
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without those that look like another
# Every hash takes 64 MiB: many at once could exhaust the memory.
_AT_ONCE = threading.BoundedSemaphore(2)


def new_password() -> str:
    """A random password that can be read out and typed: 16 letters and digits, 79 bits.

    >>> len(new_password()), new_password() == new_password()
    (19, False)
    """
    letters = [secrets.choice(_LETTERS) for _ in range(16)]
    return "-".join("".join(letters[start : start + 4]) for start in range(0, 16, 4))


def checked_password(password: str) -> str:
    """A password, if it is neither too short nor too long.

    >>> checked_password("tide")
    Traceback (most recent call last):
    doxeval.assess.db.failures.CampaignError: a password has 8 to 1000 characters
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise CampaignError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return password


def hashed(password: str) -> str:
    """The hash of a password, with its salt and its parameters."""
    with _AT_ONCE:
        return hasher().hash(_encoded(password))


def is_right(password: str, hash_: str | None) -> bool:
    """Whether a password has this hash; without a hash it is wrong, and takes as long to tell.

    >>> is_right("high tide", hashed("high tide")), is_right("high tide", None)
    (True, False)
    """
    if len(password) > LONGEST_PASSWORD:
        return False
    with _AT_ONCE:
        try:
            hasher().verify(_of_nobody() if hash_ is None else hash_, _encoded(password))
        except (VerificationError, InvalidHashError):
            return False
    return hash_ is not None


@cache
def hasher() -> PasswordHasher:
    """Argon2id with the parameters that argon2-cffi recommends."""
    return PasswordHasher()


@cache
def _of_nobody() -> str:
    return hasher().hash(secrets.token_bytes(16))


def _encoded(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")
