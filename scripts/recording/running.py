"""Carries out calls of the command line, each in an empty directory, and records the outcome."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from click.testing import CliRunner

from doxeval.cli import main
from recording.plain import Plain, visible
from recording.renames import Renames, renamed
from recording.tables import expanded, parsed

# The same on all machines, whoever runs it and wherever.
ENVIRONMENT = {
    "COLUMNS": "100",
    "LINES": "40",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "SOURCE_DATE_EPOCH": "1700000000",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "GIT_DIR": os.devnull,  # the record does not depend on the commit
}
LONGEST_CALL = 1000
# Directories that a call may change: it gets a copy if one of its words begins with the name.
COPIED = {
    "campaign": "../campaign",
    "campaign2005": "../campaign2005",
    "mine": "../small/collection",
}


def set_environment(root: Path) -> None:
    """Let this process see the same environment on all machines, and a home below `root`."""
    for name in [name for name in os.environ if name.startswith(("DOXEVAL_", "XDG_", "DASK_"))]:
        del os.environ[name]
    home = {"HOME": str(root / "home"), "DOXEVAL_CACHE": str(root / "home" / "cache")}
    os.environ.update(ENVIRONMENT | home)
    (root / "home").mkdir()
    os.umask(0o022)
    sys.dont_write_bytecode = True  # files of the user's code are no output


class Workshop:
    """A directory below which calls are carried out, each in an empty directory `case`.

    Names that changed are changed in the calls, too.
    """

    def __init__(self, root: Path, files: Mapping[str, bytes], renames: Renames) -> None:
        self.root, self.files, self.renames = root, files, renames
        self.plain = Plain(root)

    def record(self, line: str, more: Mapping[str, bytes] | None = None) -> str:
        """Return the record of the calls of a line; `more` are files that only they see."""
        records = (
            self._record(call, {**self.files, **(more or {})})
            for call in expanded(renamed(line, self.renames))
        )
        return "\n".join(records)

    def _record(self, call: str, files: Mapping[str, bytes]) -> str:
        steps = [parsed(step) for step in call.split(" && ")]
        there = self._prepare([word for step, _ in steps for word in step], files)
        lines = [line for step, given in steps for line in self._step(step, given)]
        return "\n".join([*lines, *self._written(there)]) + "\n"

    def record_words(self, words: list[str], files: Mapping[str, bytes], charset: str) -> str:
        """Return the record of one call that is given by its words."""
        there = self._prepare(words, files)
        lines = self._step(words, None, charset)
        return "\n".join([*lines, *self._written(there)]) + "\n"

    def record_process(self, line: str) -> str:
        """Return the record of a call as a process, with what it finds in the environment."""
        (call,) = expanded(renamed(line, self.renames))
        before, _, rest = call.partition("doxeval")
        words, _ = parsed(rest)
        there = self._prepare(words, self.files)
        more = dict(pair.split("=") for pair in before.split())
        code, printed, errors = called_as_process(words, self.root / "case", more)
        lines = [f"$ {call}", f"exit {code}", *self.plain.output("stdout", printed)]
        lines += self.plain.output("stderr", errors)
        return "\n".join([*lines, *self._written(there)]) + "\n"

    def record_at(self, line: str, made: str) -> str:
        """Return the record of a call below the root that makes a directory."""
        words, _ = parsed(renamed(line, self.renames))
        lines = self._step(words, None, place=".")
        contents = _contents(self.root / made)
        shown = [self.plain.file(f"{made}/{name}", data) for name, data in contents.items()]
        return "\n".join([*lines, *(line for file in shown for line in file)]) + "\n"

    def make(self, line: str, place: str = ".") -> None:
        """Carry out a call below the root that must succeed, to make what other calls need."""
        words, given = parsed(renamed(line, self.renames))
        code, _, errors = called(words, self.root / place, given)
        if code != 0:
            raise SystemExit(f"doxeval {line}: exit code {code}\n{errors.decode()}")

    def _prepare(self, words: list[str], files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Make the directory of a call, with the files and directories that its words name."""
        case = self.root / "case"
        shutil.rmtree(case, ignore_errors=True)
        case.mkdir()
        for name, place in COPIED.items():
            if any(word.split("/")[0] == name for word in words):
                shutil.copytree(case / place, case / name)
        for name, data in files.items():
            folder = name.split("/")[0]
            if any(
                name in word or ("/" in name and folder in word.split("=")[-1]) for word in words
            ):
                target = case / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        return _contents(case)

    def _step(
        self,
        words: list[str],
        given: str | None,
        charset: str = "utf-8",
        place: str = "case",
    ) -> list[str]:
        shown = self.plain.text(" ".join(map(_quote, words)))
        more = "" if given is None else f" <<< {shlex.quote(given[:-1])}"
        expanded = _with_files(words, self.root / place)
        code, printed, errors = called(expanded, self.root / place, given, charset)
        lines = [f"$ doxeval {visible(shown)}{more}"[:LONGEST_CALL]]
        if code:
            lines.append(f"exit {code}")
        return [*lines, *self.plain.output("stdout", printed), *self.plain.output("stderr", errors)]

    def _written(self, before: Mapping[str, bytes]) -> list[str]:
        """Return the lines for the files that are new or changed, and those that are gone."""
        after = _contents(self.root / "case")
        lines = [f"gone {visible(name)}" for name in sorted(before.keys() - after.keys())]
        for name in sorted(after):
            if before.get(name) != after[name]:
                lines += self.plain.file(name, after[name])
        return lines


def called(
    words: Iterable[str], directory: Path, given: str | None = None, charset: str = "utf-8"
) -> tuple[str | int, bytes, bytes]:
    """Call the command line in this process; return its exit code, stdout and stderr."""
    before = Path.cwd()
    os.chdir(directory)
    try:
        with warnings.catch_warnings():
            for kind in (
                DeprecationWarning,
                PendingDeprecationWarning,
                ImportWarning,
                ResourceWarning,
            ):
                warnings.simplefilter("ignore", kind)
            data = None if given is None else given.encode()
            runner = CliRunner(charset=charset)
            result = runner.invoke(main, list(words), prog_name="doxeval", input=data)
    finally:
        os.chdir(before)
    code: str | int = result.exit_code
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        code = f"by {type(result.exception).__name__}: {result.exception}"
    return code, result.stdout_bytes, result.stderr_bytes


def called_as_process(
    words: Iterable[str], directory: Path, more: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Call the command line as a shell would."""
    done = subprocess.run(
        [sys.executable, "-m", "doxeval", *words],
        cwd=directory,
        env=os.environ | more,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def _quote(word: str) -> str:
    return word if "*" in word and " " not in word else shlex.quote(word)


def _with_files(words: Iterable[str], directory: Path) -> list[str]:
    """Return words with patterns of shared files expanded, as a shell does."""
    expanded: list[str] = []
    for word in words:
        is_pattern = "*" in word and word.startswith("../")
        paths = sorted(str(path) for path in directory.glob(word)) if is_pattern else []
        expanded += [os.path.relpath(path, directory) for path in paths] or [word]
    return expanded


def _contents(directory: Path) -> dict[str, bytes]:
    """Return all files below a directory by their names, empty directories included."""
    contents: dict[str, bytes] = {}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if path.is_file() and not path.is_symlink():
            contents[name] = path.read_bytes()
        elif path.is_dir() and not any(path.iterdir()):
            contents[f"{name}/"] = b""
    return contents
