"""Users, their passwords, their sessions, and what slows down guessing."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from argon2 import PasswordHasher, Type

from doxeval.assess.db import Campaign, CampaignError, Session, Throttled
from seams import change
from small_campaign import PASSWORD, stored

DAY = 24 * 3600  # seconds
IDLE, ABSOLUTE = DAY, 14 * DAY


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = "2026-03-01T12:00:00.000Z"
        change(monkeypatch, campaign_clock=lambda: self.time)

    def wait(self, seconds: float) -> None:
        moved = datetime.fromisoformat(self.time) + timedelta(seconds=seconds)
        self.time = moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.usefixtures("real_passwords")
def test_passwords_are_made_up_and_kept_as_argon2id(campaign: Campaign) -> None:
    carl, password = campaign.add_user("carl")
    hashes = stored(campaign, "users", "password_hash")
    assert any(hash_.startswith("$argon2id$v=19$m=65536,") for hash_ in hashes)
    assert PasswordHasher().type is Type.ID
    assert not any(password in one for one in hashes)
    assert campaign.check_password("carl", password, "here") == carl
    assert campaign.check_password("carl", password + " ", "here") is None


def test_names_are_unique_and_visible(campaign: Campaign) -> None:
    for name in ("ann", "ANN", "", " x", "a\nb", "x" * 65, "Majority", "a\u202eb", "a\0b"):
        with pytest.raises(CampaignError):
            campaign.add_user(name)
    with pytest.raises(CampaignError, match="no role"):
        campaign.add_user("carl", "boss")
    with pytest.raises(CampaignError, match="8 to 1000"):
        campaign.add_user("carl", password="short")
    assert [user.name for user in campaign.users()] == ["admin", "organiser", "ann", "bob", "adj"]


def test_the_same_name_twice_at_once_is_one_user(campaign: Campaign) -> None:
    def add(_: int) -> bool:
        try:
            campaign.add_user("carl")
        except CampaignError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(add, range(4))) == 1


def test_pseudonyms_do_not_tell_names(campaign: Campaign) -> None:
    pseudonyms = {user.pseudonym for user in campaign.users()}
    assert len(pseudonyms) == 5
    assert not pseudonyms & {user.name for user in campaign.users()}


def test_unknown_users_and_wrong_passwords_look_the_same(campaign: Campaign) -> None:
    assert campaign.check_password("ann", "wrong password", "here") is None
    assert campaign.check_password("nobody", PASSWORD, "here") is None
    assert campaign.check_password("a\0b", PASSWORD, "here") is None
    assert campaign.check_password("\ud800", PASSWORD, "here") is None
    campaign.set_active("ann", False)
    assert campaign.check_password("ann", PASSWORD, "here") is None


def test_a_session_is_a_random_token_of_which_the_hash_is_kept(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    token, other = campaign.open_session(ann), campaign.open_session(ann)
    assert token != other
    assert len(token) >= 43  # 256 bits
    kept = stored(campaign, "sessions", "token_hash")
    assert hashlib.sha256(token.encode()).hexdigest() in kept
    assert token not in kept
    assert campaign.session(token) == Session(ann)
    assert campaign.session(kept[0]) is None
    campaign.close_session(token)
    assert campaign.session(token) is None
    assert campaign.session(other) == Session(ann)


def test_sessions_end_when_idle_and_in_any_case(campaign: Campaign, clock: Clock) -> None:
    token = campaign.open_session(campaign.user("ann"))
    clock.wait(IDLE + 1)
    assert campaign.session(token) is None
    token = campaign.open_session(campaign.user("ann"))
    used = 0
    while campaign.session(token) is not None:
        clock.wait(IDLE / 2)
        used += 1
    assert used * IDLE / 2 == ABSOLUTE
    assert len(stored(campaign, "sessions")) == 1  # the first one is gone


def test_new_passwords_and_disabling_end_sessions(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    token, other = campaign.open_session(ann), campaign.open_session(campaign.user("bob"))
    password = campaign.set_password("ann")
    assert campaign.session(token) is None
    assert campaign.check_password("ann", PASSWORD, "here") is None
    assert campaign.check_password("ann", password, "here") == ann
    token = campaign.open_session(ann)
    campaign.set_active("ann", False)
    assert campaign.session(token) is None
    campaign.set_active("ann", True)
    assert campaign.session(token) is None
    assert campaign.session(other) is not None


def test_guessing_is_slowed_down(campaign: Campaign, clock: Clock) -> None:
    for _ in range(5):
        assert campaign.check_password("ann", "wrong password", "there") is None
    with pytest.raises(Throttled) as slowed:
        campaign.check_password("ann", PASSWORD, "there")
    assert slowed.value.seconds == 2
    # Neither another address nor another user suffers.
    assert campaign.check_password("ann", PASSWORD, "here") is not None
    assert campaign.check_password("bob", PASSWORD, "there") is not None
    clock.wait(2)
    assert campaign.check_password("ann", "wrong password", "there") is None
    with pytest.raises(Throttled) as slowed:
        campaign.check_password("ann", PASSWORD, "there")
    assert slowed.value.seconds == 3
    clock.wait(3)
    assert campaign.check_password("ann", PASSWORD, "there") is not None
    assert campaign.check_password("ann", "wrong password", "there") is None  # counted afresh


def test_guessing_from_many_addresses_is_slowed_down_too(campaign: Campaign, clock: Clock) -> None:
    for number in range(50):
        assert campaign.check_password("ann", "wrong password", f"address {number}") is None
    with pytest.raises(Throttled):
        campaign.check_password("ann", PASSWORD, "another")
    clock.wait(16 * 60)
    assert campaign.check_password("ann", PASSWORD, "another") is not None
    assert stored(campaign, "login_failures") == []


def test_guesses_at_once_all_count(campaign: Campaign) -> None:
    def guess(number: int) -> bool:
        try:
            campaign.check_password("ann", f"wrong password {number}", "there")
        except Throttled:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(guess, range(20))) == 5


def test_the_trail_tells_who_did_what(campaign: Campaign) -> None:
    organiser = campaign.user("organiser")
    campaign.close_topic("7", organiser)
    campaign.close_topic("7", organiser)
    campaign.check_password("ann", "wrong password", "there")
    campaign.note_event("exported", organiser, format="jsonl")
    told = [(one.what, one.user, one.details) for one in campaign.events()[-3:]]
    assert told == [
        ("topic closed", organiser.id, {"topic": "7"}),
        ("sign-in failed", None, {"name": "ann", "address": "there"}),
        ("exported", organiser.id, {"format": "jsonl"}),
    ]
