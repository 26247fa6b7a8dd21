"""A PostgreSQL server of our own, from Debian's packages, in a temporary directory.

Nobody can reach it but through its socket, and it ends with the tests that use it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.engine import make_url

if TYPE_CHECKING:
    import pwd

PROGRAMS = Path("/usr/lib/postgresql")


@dataclass
class Cluster:
    """A server that can be stopped, killed and started again."""

    programs: Path
    directory: Path
    options: tuple[str, ...] = ()
    _process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.directory}"

    def start(self) -> None:
        settings = ["listen_addresses=", "max_connections=200", *self.options]
        words = [word for setting in settings for word in ("-c", setting)]
        place = ["-D", str(self.directory / "data"), "-k", str(self.directory)]
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.programs / "postgres"), *place, *words],
                stdout=log,
                stderr=log,
                start_new_session=True,
                **_somebody(),
            )
        self._wait()

    def _wait(self) -> None:
        for _ in range(600):
            ready = [str(self.programs / "pg_isready"), "-q", "-h", str(self.directory)]
            if subprocess.run(ready, check=False).returncode == 0:
                return
            assert self._process is not None
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError((self.directory / "log").read_text()[-2000:])

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: by SIGINT at once but in order, by SIGQUIT as if it had crashed."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    @property
    def databases(self) -> Databases:
        return Databases(self.url("postgres"))


@dataclass
class Databases:
    """The databases of a server; `url` is one from which others can be made."""

    url: str

    def new(self, model: str | None = None) -> str:
        """The URL of a new database: a copy of the one with the URL `model`, or an empty one."""
        made = make_url(self.url).set(database=f"doxeval_test_{secrets.token_hex(6)}")
        copied = "" if model is None else f' TEMPLATE "{make_url(model).database}"'
        self._execute(f'CREATE DATABASE "{made.database}"{copied}')
        return made.render_as_string(hide_password=False)

    def drop(self, url: str) -> None:
        self._execute(f'DROP DATABASE IF EXISTS "{make_url(url).database}" WITH (FORCE)')

    def _execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)


def programs() -> Path | None:
    """Where the newest PostgreSQL is installed; None if there is none."""
    found = sorted(PROGRAMS.glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def cluster(*options: str) -> Iterator[Cluster]:
    """A running server; there must be `programs`."""
    found = programs()
    assert found is not None
    # Names of sockets are short, so this is not below the directory of a test.
    directory = Path(tempfile.mkdtemp(prefix="doxeval-pg-"))
    if os.getuid() == 0:
        shutil.chown(directory, _servant().pw_uid, _servant().pw_gid)
    made = Cluster(found, directory, options)
    try:
        subprocess.run(
            [str(found / "initdb"), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync",
             "--no-instructions", "--locale=C", "-D", str(directory / "data")],
            check=True,
            stdout=subprocess.DEVNULL,
            **_somebody(),
        )  # fmt: skip
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(directory, ignore_errors=True)


def _somebody() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    servant = _servant()
    return {"user": servant.pw_uid, "group": servant.pw_gid, "extra_groups": [], "cwd": "/"}


def _servant() -> pwd.struct_passwd:
    import pwd  # which not all systems have whose tests of SQLite use this file

    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("there is neither a user postgres nor nobody")
