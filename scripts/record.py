"""Records what doxeval does, seen from the outside, and compares it with what it did before.

    python scripts/record.py                      compare; the differences are printed, exit code 1
    python scripts/record.py --only errors        the same for one part
    python scripts/record.py --write              make the record anew
    python scripts/record.py --write-stored       make the files anew that stand for old versions
    python scripts/record.py --changelog          print the table of renames for CHANGELOG

The record is in `tests/data/record`, a directory for each part:

    verbs         calls of every verb on the demo and on small worlds: output, exit code, files
    errors        wrong and hostile input, with the messages
    signatures    public names of doxeval and its rooms; all options of the command line
    application   requests to the assessment application, and its answers
    stored        what calls answer that open files of an earlier version

Only the command line, public names and HTTP are used, so that a change inside of doxeval needs no
change here. `renames.csv` lists names that changed: they are the only differences allowed. They are
applied to what was recorded, and to the calls. Where a name changed, so do line breaks and the
width of columns, so white space does not count there.
"""

from __future__ import annotations

import argparse
import difflib
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from doxeval.cli import main
from recording.application import record_application
from recording.renames import Renames, in_markdown, read_renames, renamed, renamed_file
from recording.running import Workshop, called, set_environment
from recording.signatures import leaves, record_signatures
from recording.stored import record_stored, write_stored
from recording.tables import read_table
from recording.worlds import FILES, prepare, prepare_demo
from recording.wrong_files import FILES_WRONG, kept

DATA = Path(__file__).parent.parent / "tests" / "data"
RECORD = DATA / "record"
PARTS = ("verbs", "errors", "signatures", "application", "stored")
LEAST_ERRORS = 300

Record = dict[str, str]


class Recorder:
    """Records parts below a temporary directory; what several need is made once."""

    def __init__(self, root: Path, renames: Renames) -> None:
        self.renames = renames
        self.workshop = Workshop(root, {**FILES, **FILES_WRONG}, renames)
        self._demo: str | None = None
        self._is_prepared = False

    def part(self, name: str) -> Record:
        """Return the record of a part, by the names of its files."""
        if name == "signatures":
            return record_signatures()
        if name == "stored":
            return record_stored(self.workshop, RECORD / "stored")
        self._prepare()
        if name == "verbs":
            return self._verbs()
        if name == "errors":
            return self._errors()
        return record_application(self.workshop)

    def write_stored(self) -> None:
        """Make the stored files anew."""
        self.demo()
        write_stored(self.workshop, RECORD / "stored")

    def demo(self) -> str:
        """Make the demo, unless it is there; return its record."""
        if self._demo is None:
            self._demo = prepare_demo(self.workshop)
        return self._demo

    def _prepare(self) -> None:
        if not self._is_prepared:
            prepare(self.workshop)
            self._is_prepared = True

    def _verbs(self) -> Record:
        table = read_table("calls.txt")
        calls = {renamed(verb, self.renames): lines for verb, lines in table.items()}
        known = {name or "doxeval": is_group for name, is_group in leaves(main)}
        missing = {name for name, is_group in known.items() if not is_group} - calls.keys()
        if missing:
            raise SystemExit(f"verbs without calls in scripts/recording/calls.txt: {missing}")
        record: Record = {}
        demo = self.demo()
        for verb in sorted({*calls, *known}):
            lines = calls.get(verb, [])
            if verb.startswith("each "):
                blocks = [
                    self.workshop.record(line.replace("$name", f"'{name}'"))
                    for name in _names(verb)
                    for line in lines
                ]
            elif verb == "as processes":
                blocks = list(map(self.workshop.record_process, lines))
            else:
                is_root = verb == "doxeval"
                first = [f"{'' if is_root else verb} --help"] if verb in known else []
                blocks = [demo] if verb == "demo" else []
                blocks += map(self.workshop.record, [*first, *lines])
            record[f"verbs/{verb.replace(' ', '-')}.txt"] = "\n".join(blocks)
        return record

    def _errors(self) -> Record:
        record = {
            f"errors/{renamed(verb, self.renames)}.txt": "\n".join(map(self.workshop.record, lines))
            for verb, lines in read_table("wrong.txt").items()
        }
        blocks = []
        for name, call, files, charset in kept(DATA / "hostile"):
            if isinstance(call, str):
                blocks.append(f"# {name}\n{self.workshop.record(call, files)}")
            else:
                blocks.append(f"# {name}\n{self.workshop.record_words(call, files, charset)}")
        record["errors/kept.txt"] = "\n".join(blocks)
        count = sum(block.count("\nexit ") for block in record.values())
        if count < LEAST_ERRORS:
            raise SystemExit(f"only {count} calls fail; expected at least {LEAST_ERRORS}")
        return record


# Calls that list names, and the indent of each name.
_LISTS = {
    "each measure": ("measures", "  "),
    "each preset": ("measures --presets", ""),
    "each model": ("models", "  "),
}


def _names(verb: str) -> list[str]:
    """Return the names for a section of the table that is about each of them."""
    call, indent = _LISTS[verb]
    code, printed, _ = called(call.split(), Path.cwd())
    names = re.findall(rf"^{indent}(\S+) +\S.*", printed.decode(), re.MULTILINE)
    if code != 0 or not names:
        raise SystemExit(f"doxeval {call} lists no names")
    return names


# Comparing


def recorded(part: str) -> Record:
    """Return the committed record of a part."""
    return {
        path.relative_to(RECORD).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((RECORD / part).glob("*.txt"))
    }


def differences(
    before: Mapping[str, str], now: Mapping[str, str], renames: Renames
) -> Iterator[str]:
    """Yield the lines of a unified diff of two records; renames are no differences.

    >>> old = {"verbs/chunks-cut.txt": "$ doxeval chunks cut a\\n| cut      n\\n"}
    >>> new = {"verbs/chunks-split.txt": "$ doxeval chunks split a\\n| chunking n\\n"}
    >>> list(differences(old, new, {"chunks cut": "chunks split", "cut": "chunking"}))
    []
    >>> len(list(differences(old, new, {}))) > 0
    True
    """
    expected = {renamed_file(name, renames): text for name, text in before.items()}
    for name in sorted(expected.keys() | now.keys()):
        text = now.get(name, "")
        renamed_text = _renamed_record(expected.get(name, ""), text, renames)
        yield from difflib.unified_diff(
            renamed_text.splitlines(keepends=True),
            text.splitlines(keepends=True),
            f"recorded/{name}",
            f"today/{name}",
        )


def _renamed_record(before: str, now: str, renames: Renames) -> str:
    """Return a recorded text with new names; blocks in which only white space differs, as now."""
    if not renames or before == now:
        return before
    today = {" ".join(block.split()): block for block in _blocks(now)}
    result = []
    for block in _blocks(before):
        new = renamed(block, renames)
        result.append(new if new == block else today.get(" ".join(new.split()), new))
    return "".join(result)


def _blocks(text: str) -> list[str]:
    """Return the blocks of a record, each of which begins with a call."""
    blocks: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ ") or not blocks:
            blocks.append("")
        blocks[-1] += line
    return blocks


def write(part: str, record: Record) -> None:
    """Write the record of a part in place of the earlier one."""
    for name in recorded(part).keys() - record.keys():
        (RECORD / name).unlink()
    for name, text in record.items():
        path = RECORD / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check_changelog(renames: Renames) -> Iterator[str]:
    """Yield what CHANGELOG lacks of the table of renames."""
    if renames and in_markdown(renames) not in (DATA.parent.parent / "CHANGELOG.md").read_text(
        encoding="utf-8"
    ):
        yield "CHANGELOG.md lacks the table that `python scripts/record.py --changelog` prints\n"


def record_main(arguments: list[str]) -> int:
    """Do what the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be repeated")
    parser.add_argument("--write", action="store_true", help="make the record anew")
    parser.add_argument("--write-stored", action="store_true", help="make the stored files anew")
    parser.add_argument("--changelog", action="store_true", help="print renames in Markdown")
    options = parser.parse_args(arguments)
    renames = read_renames(RECORD / "renames.csv")
    if options.changelog:
        print(in_markdown(renames))
        return 0
    lines: list[str] = list(check_changelog(renames))
    root = Path(tempfile.mkdtemp(prefix="record-")).resolve()
    try:
        set_environment(root)
        recorder = Recorder(root, renames)
        if options.write_stored:
            recorder.write_stored()
        for part in options.only or PARTS:
            today = recorder.part(part)
            if options.write:
                write(part, today)
            else:
                lines += differences(recorded(part), today, renames)
    finally:
        shutil.rmtree(root)
    sys.stdout.writelines(lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(record_main(sys.argv[1:]))
