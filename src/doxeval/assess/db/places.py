"""The directory of a campaign.

campaign.json   where the database and the collection are; only its owner may read it
campaign.db     the database, unless it is PostgreSQL
server.lock     held by the server that runs on this directory
backups/        copies of the database, made before it was migrated
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sqlalchemy.engine import URL

from doxeval.assess.db.engine import parsed_url, sqlite_url
from doxeval.assess.db.failures import CampaignError
from doxeval.files import decode_json, open_output
from doxeval.storage import absolute_location
from doxeval.version import __version__

FACTS_FILE, SQLITE_FILE, LOCK_FILE, BACKUPS = (
    "campaign.json",
    "campaign.db",
    "server.lock",
    "backups",
)
_FORMAT = 1


@dataclass(frozen=True)
class Facts:
    """Where a campaign's parts are; `database` is None for SQLite in the same directory."""

    collection: str
    seal: str
    database: str | None = None
    doxeval: str = ""
    format: int = _FORMAT

    def moved_to(self, collection: str, seal: str) -> Facts:
        """The same with a collection in another place."""
        return replace(self, collection=collection, seal=seal)

    def url(self, directory: Path) -> URL:
        """The URL of the database."""
        if self.database is None:
            return sqlite_url(directory.absolute() / SQLITE_FILE)
        return parsed_url(self.database)


def new_facts(collection: str | Path, seal: str, database: str | None) -> Facts:
    """The facts of a campaign that is made now, by this doxeval."""
    version = __version__
    return Facts(absolute_location(collection), seal, database, version)


def read_facts(directory: Path) -> Facts:
    """The facts of a campaign."""
    path = directory / FACTS_FILE
    try:
        data = decode_json(path.read_bytes())
        facts = Facts(**data)
    except FileNotFoundError:
        message = f"is not a campaign: it has no {FACTS_FILE}"
        raise CampaignError(message, str(directory)) from None
    except OSError as error:
        raise CampaignError(error.strerror or str(error), str(path)) from error
    except (ValueError, TypeError) as error:
        raise CampaignError("is damaged: expected the facts of a campaign", str(path)) from error
    if facts.format != _FORMAT:
        message = f"has format {facts.format!r}, which this doxeval does not know"
        raise CampaignError(message, str(path))
    if facts.database is None and not (directory / SQLITE_FILE).is_file():
        raise CampaignError(f"its database {SQLITE_FILE} is missing", str(directory))
    return facts


def write_facts(directory: Path, facts: Facts) -> None:
    """Write the facts, completely or not at all; the URL in them may have a password."""
    path = directory / FACTS_FILE
    with open_output(path) as file:
        os.chmod(file.fileno(), 0o600)
        file.write(json.dumps(asdict(facts), indent=2).encode() + b"\n")


@contextmanager
def server_lock(directory: Path, purpose: str) -> Iterator[None]:
    """Hold the lock of a campaign's directory; whoever comes second is refused.

    The system releases the lock when the process ends, however it ends. Where there are no such
    locks (Windows), nobody is refused; transactions keep the database safe all the same.
    """
    if os.name != "posix":
        yield
        return
    import fcntl

    file = os.open(directory / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(file, 200, 0).decode(errors="replace").strip()
            who = f" ({holder})" if holder else ""
            message = f"a server is running on this campaign{who}: stop it before you {purpose}"
            raise CampaignError(message, str(directory)) from None
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()}\n".encode(), 0)
        yield
        os.ftruncate(file, 0)
    finally:
        os.close(file)
