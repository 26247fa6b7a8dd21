"""The command line as a whole: every verb with hostile arguments, options and files.

The options are those that the verbs declare, so a new option is tried as soon as it exists. A call
is one piece of data, its arguments and the files it finds:

    {"arguments": ["topics", "t.xml"], "files": {"t.xml": "<inex_topic/>"}, "charset": "utf-8"}

Bytes that are not UTF-8 are kept as Python keeps them in arguments, as surrogates.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random

import click
from click.testing import CliRunner, Result

from doxeval.cli import INTERNAL_ERROR, LONGEST_MESSAGE, VERBS, main
from doxeval.documents import example_collection
from doxeval.retrieve import build_index
from fuzzing.calls import CALLS, COLLECTION, FILES
from fuzzing.inputs import (
    CHARACTERS,
    HTML_WORDS,
    JUDGMENTS_WORDS,
    MARKDOWN_WORDS,
    MEASURES_WORDS,
    NAVIGATION_WORDS,
    NEXI,
    NUMBERS,
    PATTERN,
    POINT,
    RUN_WORDS,
    SHARED,
    TOPICS_WORDS,
    XML_JUDGMENTS_WORDS,
    XML_RUN_WORDS,
    XPATH_ID,
    happens,
    maker,
    mutated,
)
from fuzzing.queries import measure_names
from fuzzing.target import DOCUMENTS, Broken, Target, workplace

# What no terminal should get from us on stderr: escape sequences, C1 and bidirectional controls.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONGEST_LINE = LONGEST_MESSAGE + 200  # with what click says before it
_EXIT_CODES = (0, 1, 2)
_TOKENS = {
    ".xml": XML_RUN_WORDS + XML_JUDGMENTS_WORDS + TOPICS_WORDS, ".html": HTML_WORDS,
    ".md": MARKDOWN_WORDS, ".txt": JUDGMENTS_WORDS, ".run": RUN_WORDS, ".csv": RUN_WORDS,
    ".jsonl": JUDGMENTS_WORDS + TOPICS_WORDS, ".json": NAVIGATION_WORDS,
    ".tsv": TOPICS_WORDS,
}  # fmt: skip
_NAMES = [
    "-", "--", "-x", "--out", "", " ", ".", "..", "/", "/dev/null", "/nosuch/x", "a/b", "x" * 300,
    "\x1b[2J.run", "new\nline.xml", "\udcff.xml", "*.xml", "[", "=a.run", "a=b=c.run",
    "\u202ex.run",
    "~", "$HOME", "a.xml", "t.run", "new", COLLECTION, "é.xml", "CON", "a.tar.gz", "x.zst",
    "\udc80=t.run",
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A call: arguments, files by name, and the encoding of the terminal."""

    arguments: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    charset: str = "utf-8"

    def to_bytes(self) -> bytes:
        """The case as JSON, without the files that no argument names."""
        named = {name: data for name, data in self.files.items() if self.names(name)}
        value = {
            "arguments": self.arguments,
            "files": {_text(name.encode(*_ESCAPED)): _text(data) for name, data in named.items()},
        }
        if self.charset != "utf-8":
            value["charset"] = self.charset
        return json.dumps(value, indent=1).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Case:
        """The case that was written as JSON.

        >>> Case.from_bytes(Case(("nexi", "a"), {}).to_bytes())
        Case(arguments=('nexi', 'a'), files={}, charset='utf-8')
        """
        value = json.loads(data)
        files = {name: text.encode(*_ESCAPED) for name, text in value["files"].items()}
        return cls(tuple(value["arguments"]), files, value.get("charset", "utf-8"))

    def names(self, file: str) -> bool:
        """Whether an argument names a file."""
        return any(file in argument for argument in self.arguments)


_ESCAPED = ("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode(*_ESCAPED)


@dataclass(frozen=True)
class Verb(Target):
    """Calls of one verb. The pool has only whole cases, so bytes are never mutated as such."""

    def input(self, chance: Random, pool: Sequence[bytes]) -> bytes:
        """A call with a few things done to it."""
        case = Case.from_bytes(chance.choice(pool))
        for _ in range(chance.choice((1, 1, 2, 2, 3, 4, 6))):
            case = chance.choice(_CHANGES)(case, chance)
        if happens(chance, 0.03):
            case = replace(case, charset="ascii")
        return replace(case, arguments=tuple(map(_allowed, case.arguments))).to_bytes()


def called(data: bytes) -> object:
    """Make a call in a directory of its own, and look at what it leaves behind."""
    case = Case.from_bytes(data)
    place = _empty_place()
    given = set()
    for name, contents in case.files.items():
        if _can_be_written(name):
            (place / name).write_bytes(contents)
            given.add(name)
    before = os.getcwd()
    os.chdir(place)
    try:
        runner = CliRunner(charset=case.charset)
        result = runner.invoke(main, [*case.arguments], prog_name="doxeval")
    finally:
        os.chdir(before)
    _check(result, case)
    _check_left(place, given, result.exit_code, case)
    return result.exit_code


def _check(result: Result, case: Case) -> None:
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    said = result.stderr
    if INTERNAL_ERROR in said or "Traceback (most" in said:
        raise Broken(f"the net caught something: {_last(said)}")
    if result.exit_code not in _EXIT_CODES:
        raise Broken(f"exit code {result.exit_code}")
    if result.exit_code and not result.output:
        raise Broken(f"exit code {result.exit_code} without a word")
    if _UNSAFE.search(said):
        raise Broken("control characters on stderr")
    if any(len(line) > _LONGEST_LINE for line in said.splitlines()):
        raise Broken(f"a line of more than {_LONGEST_LINE} characters on stderr")


def _check_left(place: Path, given: set[str], exit_code: int, case: Case) -> None:
    """Nothing temporary is left, and nothing at all of a call that failed."""
    made = {path.name for path in place.iterdir()} - given
    named = {part for argument in case.arguments for part in re.split("[/=]", argument)}
    left = {name for name in made if name.startswith(".")} - named
    if left:
        raise Broken("a temporary file is left")
    if exit_code and made and case.arguments[:1] not in (("validate",), ("demo",)):
        raise Broken("a call that failed has left a result")


def _last(text: str) -> str:
    return text.strip().splitlines()[-1][:200]


def _can_be_written(name: str) -> bool:
    return (
        bool(name)
        and "/" not in name
        and "\0" not in name
        and name not in (".", "..")
        and (len(name.encode("utf-8", "surrogateescape")) < 200)
    )


@cache
def _base() -> Path:
    base = workplace() / "calls"
    base.mkdir()
    shutil.copytree(example_collection(DOCUMENTS).directory, base / "collection")
    shutil.copytree(example_collection({"z": "<s>Other.</s>"}).directory, base / "other")
    build_index(base / "collection")
    _make_campaign(base)
    return base


def _make_campaign(base: Path) -> None:
    """A campaign with an assessor, on which all calls work."""
    sources = ("--collection", "collection", "--topics", "asked.tsv", "--pool", "pool.txt")
    for name in ("asked.tsv", "pool.txt"):
        (base / name).write_bytes(FILES[name])
    before = os.getcwd()
    os.chdir(base)
    try:
        for words in (
            ("init", "campaign", *sources),
            ("user", "add", "campaign", "ann"),
            ("assign", "campaign", "--all-topics", "ann"),
        ):
            done = CliRunner().invoke(main, ["assess", *words], prog_name="doxeval")
            if done.exit_code:
                raise RuntimeError(done.stderr)
    finally:
        os.chdir(before)


def _empty_place() -> Path:
    place = _base() / "place"
    if place.exists():
        shutil.rmtree(place)
    place.mkdir()
    return place


def _allowed(argument: str) -> str:
    """An argument that a system passes on, and that is not a place outside of the directory."""
    argument = argument.replace("\0", "")
    return f".{argument}" if argument.startswith("/") else argument


# Changes of a call.


def _change_file(case: Case, chance: Random) -> Case:
    used = [name for name in case.files if case.names(name)]
    if not used:
        return case
    name = chance.choice(used)
    words = _TOKENS.get(os.path.splitext(name)[1], ())
    pool = [case.files[name], *FILES.values()]
    changed = mutated(case.files[name], pool[: 1 if happens(chance, 0.7) else None], words, chance)
    return replace(case, files={**case.files, name: changed})


def _rename_file(case: Case, chance: Random) -> Case:
    used = [name for name in case.files if case.names(name)]
    if not used:
        return case
    name, new = chance.choice(used), chance.choice(_NAMES)
    arguments = tuple(argument.replace(name, new) for argument in case.arguments)
    return replace(case, arguments=arguments, files={**case.files, new: case.files[name]})


def _change_argument(case: Case, chance: Random) -> Case:
    if len(case.arguments) < 2:
        return case
    at = chance.randrange(1, len(case.arguments))
    old = case.arguments[at]
    if happens(chance, 0.5):
        new = _hostile(chance)
    else:
        data = mutated(old.encode("utf-8", "surrogateescape"), (b"-m",), MEASURES_WORDS, chance)
        new = data[:100_000].decode("utf-8", "surrogateescape")
    return replace(case, arguments=(*case.arguments[:at], new, *case.arguments[at + 1 :]))


def _drop_argument(case: Case, chance: Random) -> Case:
    if len(case.arguments) < 2:
        return case
    at = chance.randrange(1, len(case.arguments))
    return replace(case, arguments=case.arguments[:at] + case.arguments[at + 1 :])


def _swap_arguments(case: Case, chance: Random) -> Case:
    if len(case.arguments) < 3:
        return case
    words = list(case.arguments)
    one, other = chance.randrange(1, len(words)), chance.randrange(1, len(words))
    words[one], words[other] = words[other], words[one]
    return replace(case, arguments=tuple(words))


# Options whose effect is outside of the program: this one starts a browser.
_OUTSIDE = {"opens"}


def _add_option(case: Case, chance: Random) -> Case:
    """An option of the verb with a value, usually one that makes sense."""
    options = _options(case.arguments)
    if not options:
        return case
    option = chance.choice(options)
    name = chance.choice([*option.opts, *option.secondary_opts])
    words = [name] if option.is_flag else [name, _value(option, chance)]
    if name == "--figures" and happens(chance, 0.95):  # a second each
        return case
    return replace(case, arguments=(*case.arguments, *words))


def _add_argument(case: Case, chance: Random) -> Case:
    return replace(case, arguments=(*case.arguments, _hostile(chance)))


_CHANGES: tuple[Callable[[Case, Random], Case], ...] = (
    _change_file, _change_file, _change_file, _change_file, _rename_file, _change_argument,
    _change_argument, _drop_argument, _swap_arguments, _add_option, _add_option, _add_option,
    _add_argument,
)  # fmt: skip


def _options(arguments: tuple[str, ...]) -> list[click.Option]:
    """The options of the verb that is called."""
    command: click.Command | None = main
    context = click.Context(main)
    for word in arguments[:3]:
        if isinstance(command, click.Group):
            command = command.get_command(context, word)
    if command is None:
        return []
    options = (option for option in command.params if isinstance(option, click.Option))
    return [option for option in options if option.name not in _OUTSIDE]


_MADE: dict[str, Callable[[Random], bytes]] = {
    "names": measure_names,
    "id_rule": maker(XPATH_ID),
    "query": maker(NEXI),
    "path": maker(POINT),
    "tags": maker(PATTERN),
}


def _value(option: click.Option, chance: Random) -> str:
    """A value for an option: one that it expects, or a hostile one."""
    if happens(chance, 0.25):
        return _hostile(chance)
    if isinstance(option.type, click.Choice):
        return str(chance.choice([*option.type.choices]))
    if option.type.name in ("integer", "integer range", "float", "float range"):
        return chance.choice(["1", "2", "0.5", chance.choice(NUMBERS).decode()])
    if option.name in _MADE:
        return _MADE[str(option.name)](chance).decode("utf-8", "surrogateescape")
    return chance.choice([*FILES, *_NAMES, "1", "a", "mine", "gen", "focused", "r", "//id"])


def _hostile(chance: Random) -> str:
    kind = chance.randrange(6)
    if kind == 0:
        return chance.choice(CHARACTERS).decode("utf-8", "surrogateescape")
    if kind == 1:
        return chance.choice(NUMBERS).decode()
    if kind == 2:
        return chance.choice(_NAMES)
    if kind == 3:
        return chance.choice(list(_MADE.values()))(chance).decode("utf-8", "surrogateescape")
    if kind == 4:
        return chance.choice([*FILES])
    return chance.choice(list(SHARED["odd"])) * chance.choice((1, 3, 1000))


def _cases(verb: str) -> tuple[bytes, ...]:
    return tuple(Case(call, FILES).to_bytes() for call in CALLS[verb])


# Reports and the demo take long; the others about as long as each other.
_SHARES = {"report": 0.4, "demo": 0.005, "evaluate": 6, "collection": 4}
TARGETS = tuple(
    Verb(f"command-{verb}", called, _cases(verb), share=_SHARES.get(verb, 2.4), suffix=".json")
    for verb in VERBS
)
