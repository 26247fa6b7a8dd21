"""Phrases that messages share, and text of others made safe to show.

Names of runs, topics, documents and files come from anywhere. `escape` shows characters that could
deceive a reader or steer a terminal as escapes, `truncate` and `quoted` also keep a long text
short. All messages that contain such text use one of them; formats for other programs do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any

LONGEST_QUOTE = 80
LONGEST_PATH = 200
LONGEST_DESCRIPTION = 200
_MOST_KNOWN = 60
_LONGEST_GUESSED = 200
_MOST_GUESSED = 50_000  # names that are compared, in about a second
# Control characters, format characters (which include those that change the direction of text),
# lone surrogates, and the separators of lines and paragraphs; without tabs and line feeds.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_IN_LINES = re.compile(f"[{_HIDDEN}]")
_IN_A_LINE = re.compile(f"[\t\n{_HIDDEN}]")
_SHORT_ESCAPES = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_NARROWEST = 20  # a terminal that says that it is narrower is treated as this wide
# White space and a word; what is in quotation marks is a part of one word.
_QUOTED = r"(?<![^\s(=])'[^'\n]{1,200}'(?![^\s.,;:)])" + r'|(?<![^\s(=])"[^"\n]{1,200}"'
_WORDS = re.compile(rf"(\s*)((?:{_QUOTED}|\S)+)")
# Lone surrogates other than those that stand for bytes of a file name.
_NO_BYTES = re.compile("[\ud800-\udc7f\udd00-\udfff]")


# Text that is not ours


def escape(text: str, lines: bool = False) -> str:
    r"""Return text with control and format characters and lone surrogates as escapes.

    Text of several lines keeps its line feeds and tabs with `lines`.

    >>> print(escape("a\x1b[2J\u202e\nb"))
    a\u001b[2J\u202e\nb
    >>> print(escape("one\x07\ntwo", lines=True))
    one\u0007
    two
    """
    return (_IN_LINES if lines else _IN_A_LINE).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    number = ord(character)
    long = f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    return _SHORT_ESCAPES.get(character, long)


def truncate(name: str, longest: int = LONGEST_QUOTE) -> str:
    """Return a name with escapes, truncated if it is long.

    >>> truncate("a\\x1b[2J"), truncate("abcdefghij", 5)
    ('a\\\\u001b[2J', 'abcd…')
    """
    text = escape(name[: longest + 1])
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def one_line(text: str, longest: int = LONGEST_DESCRIPTION) -> str:
    """Return what somebody wrote on one line, with escapes, truncated if it is long.

    >>> one_line("the right\\n  elements\\x07 ")
    'the right elements\\\\u0007'
    """
    return truncate(" ".join(text.split()), longest)


def short_path(path: str, longest: int = LONGEST_PATH) -> str:
    """Return a path with escapes; a long one loses its middle, as both of its ends matter.

    >>> short_path("/article[1]/body[1]/sec[2]"), short_path("/article[1]/body[1]/sec[2]", 15)
    ('/article[1]/body[1]/sec[2]', '/articl…/sec[2]')
    """
    if len(path) <= longest:
        return escape(path)
    half = longest // 2
    return f"{escape(path[:half])}…{escape(path[-half:])}"


def quoted(value: object, longest: int = LONGEST_QUOTE) -> str:
    """Return a value as Python writes it, for a message about it; truncated if it is long.

    >>> quoted("sec"), quoted("abcdefghij", 4), quoted(None)
    ("'sec'", "'abcd'… (10 characters)", 'None')
    """
    if isinstance(value, str) and len(value) > longest:
        return f"{value[:longest]!r}… ({plural(len(value), 'character')})"
    try:
        text = repr(value)
    except ValueError:  # a whole number with thousands of digits
        return f"a value of the type {type(value).__name__}, too large to show"
    # A string within the limit is shown in full, however long its escapes are.
    if isinstance(value, str) or len(text) <= longest:
        return escape(text)
    return f"{escape(text[:longest])}… ({plural(len(text), 'character')})"


def json_text(value: Any, indent: int | None = None) -> str:
    r"""Return a value as JSON, with hidden characters and lone surrogates as JSON's own escapes.

    A reader of JSON gets exactly the value, and a terminal gets nothing that steers it. A number
    that is not defined, for which JSON has no word, is null.

    >>> print(json_text({"a": "\x9b\u202e é", "b": float("nan")}))
    {"a": "\u009b\u202e é", "b": null}
    """
    import json

    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_with_null(value), ensure_ascii=False, indent=indent)
    return json_escaped(text)


_PLAIN_KEY = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_WORDS_OF_YAML = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def yaml_text(value: Any) -> str:
    """Return mappings, lists and single values as YAML: blocks of names, with values as in JSON.

    >>> method = {"k1": 1e-05, "runs": ["a", {"b": None}]}
    >>> print(yaml_text({"tag": "mine", "method": method}), end="")
    tag: "mine"
    method:
      k1: 1.0e-05
      runs:
        - "a"
        - b: null
    """
    return "".join(f"{line}\n" for line in _yaml_lines(value))


def _yaml_lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for name, entry in value.items():
            is_plain = _PLAIN_KEY.fullmatch(name) and name.lower() not in _WORDS_OF_YAML
            key = f"{name if is_plain else json_text(name)}:"
            lines = list(_yaml_lines(entry))
            if isinstance(entry, Mapping | list | tuple) and entry:
                yield key
                yield from (f"  {line}" for line in lines)
            else:
                yield f"{key} {lines[0]}"
    elif isinstance(value, list | tuple) and value:
        for entry in value:
            first, *rest = _yaml_lines(entry)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        text = json_text(value)
        is_bare = isinstance(value, float) and "e" in text and "." not in text
        yield text.replace("e", ".0e") if is_bare else text  # else YAML 1.1 reads a string


def _with_null(value: Any) -> Any:
    """Return a value of JSON with None for each number that is not finite."""
    if isinstance(value, dict):
        return {name: _with_null(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_with_null(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def json_escaped(text: str) -> str:
    """Return JSON with hidden characters as JSON's own escapes.

    >>> print(json_escaped('{"a": "\\u202e"}'))
    {"a": "\\u202e"}
    """
    import json

    return _IN_LINES.sub(lambda match: json.dumps(match[0])[1:-1], text)


# Lines that fit


def terminal_width(stream: Any) -> int | None:
    """Return how many columns fit on a line, by COLUMNS or the terminal; None if it is none.

    A file or a pipe gets lines as long as they are.

    >>> import io
    >>> terminal_width(io.StringIO()) is None
    True
    """
    try:
        if stream is None or not stream.isatty():
            return None
    except ValueError:  # it is closed
        return None
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, _NARROWEST)


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> display_width("tide"), display_width("潮汐"), display_width("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum((east_asian_width(c) in "WF") + (not combining(c)) for c in text)


def cut_to(text: str, width: int) -> str:
    """Return a text that is cut at its end if it takes more columns than that.

    >>> cut_to("the right elements", 10), cut_to("潮汐", 3)
    ('the right…', '潮…')
    """
    if display_width(text) <= width:
        return text
    kept = text[: max(width - 1, 0)]
    while display_width(kept) > width - 1 and kept:
        kept = kept[:-1]
    return f"{kept}…"


def middle_cut(name: str, width: int) -> str:
    """Return a name that loses its middle if it is long, as both of its ends tell names apart.

    >>> middle_cut("bm25-stemmed-run1", 11), middle_cut("lm", 11)
    ('bm25-…-run1', 'lm')
    """
    if display_width(name) <= width:
        return name
    tail = cut_to(name[::-1], (width - 1) // 2 + 1)[:-1][::-1]
    return cut_to(name, width - display_width(tail)) + tail


def wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """Return a line as lines of at most so many columns, broken between words; None: as it is.

    What is quoted is not broken, nor is a word that is too long, such as a path. indent: what
    further lines begin with, besides the indentation of the first.

    >>> wrapped("no run 'the best one' in a.run", 12)
    ['no run', "'the best one'", 'in a.run']
    """
    if width is None or display_width(text) <= width:
        return [text]
    hang = text[: len(text) - len(text.lstrip(" "))] + indent
    lines, current = [], ""
    for word in _WORDS.finditer(text):
        space, token = word[1], word[2]
        if current.strip() and display_width(current + space + token) > width:
            lines.append(current)
            current = hang + token
        else:
            current += space + token
    return [*lines, current]


def wrapped_command(text: str, width: int | None) -> list[str]:
    """Return a command for a shell as lines that fit, each but the last with a backslash.

    >>> print(*wrapped_command("doxeval evaluate my.run -a qrels.txt -m MAiP", 30), sep="\\n")
    doxeval evaluate my.run -a \\
        qrels.txt -m MAiP
    """
    if width is None or display_width(text) <= width:
        return [text]
    lines = wrapped(text, width - 2, "    ")
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def utf8(text: str) -> bytes:
    r"""Return text as bytes, whatever it is: the bytes of a file name that is not UTF-8 come back.

    Other lone surrogates, for which there are no bytes, become escapes.

    >>> utf8("é\udcff\ud800")
    b'\xc3\xa9\xff\\ud800'
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _NO_BYTES.sub(_escape, text).encode("utf-8", "surrogateescape")


# Messages that name parameters


class Message(str):
    """A message that knows which of its parts are parameters; adding text keeps them.

    >>> message = "a.xml is too deep; " + Parameter("depth") + " sets the limit"
    >>> print(message)
    a.xml is too deep; depth= sets the limit
    >>> [part.name for part in message.parts if isinstance(part, Parameter)]
    ['depth']
    """

    parts: tuple[str, ...]

    def __new__(cls, *parts: object) -> Message:
        """Join texts, messages and errors."""
        pieces = tuple(piece for part in parts for piece in parts_of(part))
        made = super().__new__(cls, "".join(pieces))
        made.parts = pieces
        return made

    def __add__(self, text: str) -> Message:
        return Message(self, text)

    def __radd__(self, text: str) -> Message:
        return Message(text, self)


class Parameter(Message):
    """A parameter that a message names; the command line shows its option instead.

    >>> print(Parameter("depth"), Parameter("order", "list"), Parameter("force", True))
    depth= order='list' force=True
    """

    name: str
    value: object

    def __new__(cls, name: str, value: object = None) -> Parameter:
        """Name a parameter, perhaps with a value."""
        made = str.__new__(cls, f"{name}={'' if value is None else quoted(value)}")
        made.name = name
        made.value = value
        made.parts = (made,)
        return made

    def __getnewargs__(self) -> tuple[str, object]:  # type: ignore[override]  # those of __new__
        return self.name, self.value

    def __getstate__(self) -> None:
        """Pickle nothing else: `parts` is the parameter itself."""


def parts_of(message: object) -> tuple[str, ...]:
    """Return the parts of a message or of an error.

    >>> parts_of("no parameter in it")
    ('no parameter in it',)
    """
    parts: tuple[str, ...] | None = getattr(message, "parts", None)
    if parts is not None:
        return parts
    return (message if isinstance(message, str) else str(message),)


# Phrases


def plural(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "result"), plural(1500, "result")
    ('1 result', '1,500 results')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def join_names(names: Sequence[str], most: int = 10) -> str:
    """Join names by commas; of many, the first, and how many more there are.

    >>> join_names(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    shown = ", ".join(map(truncate, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def suggestion(wrong: str, known: Iterable[str], what: str = "") -> str:
    """Return the end of a message about a wrong name: the closest known name, or all of them.

    >>> suggestion("carefull", ["careful", "broad"]), suggestion("x", ["careful", "broad"])
    ('; did you mean careful?', '; there are careful, broad')
    """
    names = list({name.lower(): name for name in known}.values())
    close = closest(wrong, names)
    if close is not None:
        return f"; did you mean {truncate(close)}?"
    return f"; there are {what}{join_names(names, _MOST_KNOWN)}" if names else "; there are none"


def closest(wrong: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name that a wrong one is most like, if it is like any.

    >>> closest("Carefull", ["careful", "broad"]), closest("x", ["careful", "broad"])
    ('careful', None)
    """
    from difflib import get_close_matches

    # Comparing takes the product of the lengths, and nobody mistypes hundreds of letters.
    by_case = {name.lower(): name for name in known if len(name) <= _LONGEST_GUESSED}
    if len(wrong) > _LONGEST_GUESSED or len(by_case) > _MOST_GUESSED:
        return None
    close = get_close_matches(wrong.lower(), by_case, 1, likeness)
    return by_case[close[0]] if close else None


def short_repr(value: Any, positional: int = 0) -> str:
    """Return a dataclass as the call that makes it, without what has its default value.

    The first fields may be shown without their names.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int = 0
    ...     name: str = ""
    >>> short_repr(Point(3, name="a"), 1)
    "Point(3, name='a')"
    """
    shown = [repr(getattr(value, field.name)) for field in fields(value)[:positional]]
    for field in fields(value)[positional:]:
        default = field.default if field.default_factory is MISSING else field.default_factory()
        given = getattr(value, field.name)
        if field.repr and given != default:
            shown.append(f"{field.name}={given!r}")
    return f"{type(value).__name__}({', '.join(shown)})"
