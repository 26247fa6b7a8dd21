"""The people of a campaign: their accounts and sessions."""

from __future__ import annotations

from typing import Any

from doxeval.assess.db import (
    audit,
    passwords,
    sessions,
    throttling,
    users,
)
from doxeval.assess.db.engine import is_storable
from doxeval.assess.db.open_campaign import OpenCampaign
from doxeval.assess.db.users import User


class People(OpenCampaign):
    """Users and sessions."""

    def add_user(
        self, name: str, role: str = "assessor", password: str | None = None
    ) -> tuple[User, str]:
        """Add a user; without a password, a random one is made. It is kept nowhere but here."""
        chosen = users.password_or_new(password)
        users.check_name(name)
        hashed = passwords.hashed(chosen)
        return self._database.write(lambda to: users.add(to, name, role, hashed)), chosen

    def users(self) -> list[User]:
        """All users."""
        with self._database.read() as connection:
            return users.all_users(connection)

    def user(self, name: str) -> User:
        """The user of a name; there must be one."""
        with self._database.read() as connection:
            return users.by_name(connection, name)

    def set_password(self, name: str, password: str | None = None) -> str:
        """Give a user a new password, and end all of the user's sessions."""
        chosen = users.password_or_new(password)
        hashed = passwords.hashed(chosen)

        def change(connection: Any) -> None:
            user = users.set_password_hash(connection, name, hashed)
            sessions.close_sessions(connection, user.id)

        self._database.write(change)
        return chosen

    def set_active(self, name: str, active: bool) -> User:
        """Let a user sign in, or no longer; then all of the user's sessions end."""

        def change(connection: Any) -> User:
            user = users.set_active(connection, name, active)
            if not active:
                sessions.close_sessions(connection, user.id)
            return user

        return self._database.write(change)

    def check_password(self, name: str, password: str, address: str) -> User | None:
        """The user, if the password is right; a Throttled after too many wrong ones."""
        if not is_storable(name + address):
            return None
        self._database.write(lambda to: throttling.count_attempt(to, name, address))
        with self._database.read() as connection:
            found = users.with_hash(connection, name)
        if not passwords.is_right(password, found[1] if found else None) or found is None:
            self.note_event("sign-in failed", name=name, address=address)
            return None
        self._database.write(lambda to: throttling.forget_attempts(to, name, address))
        return found[0]

    # Sessions

    def open_session(self, user: User) -> str:
        """Sign a user in; the token that the browser keeps."""

        def change(connection: Any) -> str:
            audit.note(connection, "signed in", user.id)
            return sessions.open_session(connection, user.id)

        return self._database.write(change)

    def session_user(self, token: str) -> User | None:
        """The user of a session; None if it is over."""
        with self._database.read() as connection:
            found = sessions.user_of(connection, token)
        if found and found[1]:
            self._database.write(lambda to: sessions.note_use(to, token), alone=False)
        return found[0] if found else None

    def close_session(self, token: str) -> None:
        """End a session."""
        self._database.write(lambda to: sessions.close_session(to, token))

    def close_sessions(self, user: User) -> None:
        """End all sessions of a user."""
        self._database.write(lambda to: sessions.close_sessions(to, user.id))
