"""Writes down what a program printed or wrote, without what varies from one machine to the next.

Everything that varies is replaced here and nowhere else: directories, times, versions, passwords,
ports, and digits of numbers beyond those that arithmetic promises.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import doxeval

# How much of a text is written down in full; of a longer one, its first lines and a hash.
LONGEST_OUTPUT = 20_000
LONGEST_FILE = 8_000
LONGEST_LINE = 4_000
_FIRST_LINES = 12

_VARYING: tuple[tuple[str, str], ...] = (
    (r"\bin \d+\.\d+ s\b", "in N s"),
    (r"(?m)^((?:\| )?✓ .*?) +\d+\.\d s$", r"\1  N s"),
    (r"\b[a-z0-9]{4}(?:-[a-z0-9]{4}){3}\b", "PASSWORD"),
    (r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?UTC|Z|\+00:00)?", "TIME"),
    (r"\b127\.0\.0\.1:\d{4,5}\b", "127.0.0.1:PORT"),
    (rf"\bdoxeval(\"?[ :]+\"?){re.escape(doxeval.__version__)}\b", r"doxeval\1VERSION"),
    (rf"(\bversion ){re.escape(doxeval.__version__)}\b", r"\1VERSION"),
    (r"'sha256-[A-Za-z0-9+/=]{44}'", "'sha256-HASH'"),
    (r"(/static/\w+-)[0-9a-f]{16}\b", r"\1HASH"),
    (r"\bprocess \d+\b", "process N"),
    (r"(the certificate or its key cannot be used: ).*", r"\1WHY"),
    (r"\bexpires=\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", "expires=TIME"),
    (r"\([\w/]+\.py:\d+\); please report", "(PLACE); please report"),
    (r"\b(assessor|adjudicator|organiser|admin)-[0-9a-f]{6}\b", r"\1-PSEUDONYM"),
    (r"(campaign-revision-\d+-)[\dT-]+Z", r"\1TIME"),
    (r"(\.(?:html|jsonl|gz): )[\d,]+ bytes", r"\1N bytes"),
    (r"(\"end\": \{[^}]*\}, \"sha256\": \")[0-9a-f]{64}", r"\1HASH"),
    (r"(?m)^[0-9a-f]{64}(?=  \S)", "HASH"),
    (r"(\"encodingFormat\": \"[^\"]*\",\s*\"sha256\": \")[0-9a-f]{64}", r"\1HASH"),
    (r"\burn:uuid:[0-9a-f-]{36}", "urn:uuid:ID"),
    (r"\bimport:[0-9a-f]{24}\b", "import:ID"),
    (r"\$argon2id\$[^\"]+", "HASH"),
    (r"(doxeval-(?:session|browser-\d+)=|\btoken=)[\w-]{20,}", r"\1TOKEN"),
    (r"(\"(?:day|end)\": \")20\d\d-\d\d-\d\d", r"\1DAY"),
    (r"\b(until|by|about) 20\d\d-\d\d-\d\d", r"\1 DAY"),
    (r"(?m)((?:^|\| |  ))20\d\d-\d\d-\d\d$", r"\1DAY"),
)
# Lists in the order of a set, which varies.
_UNORDERED = re.compile(r"(there is no such operation; there are |frozenset\(\{)([\w', -]+)")
_LONG_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{11,}(?:e[+-]?\d+)?(?![\w.])|\d\.\d+e-\d+(?![\w.])")


def in_order(text: str) -> str:
    """Return a text in which the items of sets are in order.

    >>> in_order("there is no such operation; there are undo, bep.")
    'there is no such operation; there are bep, undo.'
    """
    return _UNORDERED.sub(lambda match: match[1] + ", ".join(sorted(match[2].split(", "))), text)


class Plain:
    """Makes texts plain that were printed or written below a directory."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def text(self, text: str) -> str:
        """Return a text without what varies.

        >>> Plain(Path("/tmp/x")).text("/tmp/x/sea: 46 documents, in 0.1 s, 0.30000000000000004")
        'ROOT/sea: 46 documents, in N s, 0.3'
        """
        for place in {str(self.root), str(self.root.resolve())}:
            text = text.replace(place, "ROOT")
        for pattern, instead in _VARYING:
            text = re.sub(pattern, instead, text)
        return _LONG_NUMBER.sub(lambda match: format(float(match[0]), ".9g"), in_order(text))

    def output(self, title: str, data: bytes) -> list[str]:
        """Return the lines of the record for an output of a program; none if it is empty."""
        text = self.text(data.decode("utf-8", "surrogateescape"))
        return [f"{title}:", *_quoted(text, LONGEST_OUTPUT)] if text else []

    def file(self, name: str, data: bytes) -> list[str]:
        """Return the lines of the record for a file."""
        shown = visible(self.text(name))
        if name.endswith((".db", ".png", ".pdf", ".svg")):
            return [f"file {shown}"]  # what is in it depends on times, fonts and libraries
        if name.endswith(".gz"):
            return self.file(name.removesuffix(".gz") + " (unpacked)", gzip.decompress(data))
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = [(part.filename, archive.read(part)) for part in archive.infolist()]
            inside = [self.file(f"{name}/{part}", content) for part, content in members]
            return [line for lines in inside for line in lines]
        if name.endswith(".parquet"):
            return [f"file {shown}, as records:", *_quoted(self.text(_records(data)), LONGEST_FILE)]
        if name.endswith("manifest.json"):
            data = _manifest(data)
        if name.endswith(".html") and b"</html>" in data:
            return self._page(shown, data.decode())
        try:
            text = self.text(data.decode())
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text or name.endswith((".npy", ".bin")) or "/data/" in name:
            return [f"file {shown}, {len(data):,} bytes, sha256 {_hash(data)}"]
        if name.endswith("manifest.json"):
            return [f"file {shown}, {len(text):,} characters, sha256 {_hash(text.encode())}"]
        return [f"file {shown}:", *_quoted(text, LONGEST_FILE)]

    def _page(self, name: str, page: str) -> list[str]:
        """Return what a page says, without its script and style; its data by their hash."""
        text = self.text(page_text(page))
        lines = [f"page {name}, {len(text):,} characters of text:", *_quoted(text, LONGEST_OUTPUT)]
        for match in re.finditer(
            r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S
        ):
            value = json.loads(match[1].replace("<\\/", "</"))
            parts = value.items() if isinstance(value, dict) else [("data", value)]
            lines += [
                f"| data {key}: sha256 {_hash(self.text(json.dumps(part, indent=0)).encode())}"
                for key, part in parts
            ]
        return lines


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _records(data: bytes) -> str:
    """Return the columns and rows of a Parquet file as text: its bytes name a library's version."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(data))
    columns = [f"{field.name}: {field.type}" for field in table.schema]
    rows = [json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()]
    return "\n".join([", ".join(columns), *rows])


def _manifest(data: bytes) -> bytes:
    """Return a manifest without what depends on Python: its version of Unicode."""
    value = json.loads(data)
    if "unicode" in value:
        value["unicode"], value["checksum"] = "UNICODE", "CHECKSUM"
    return json.dumps(value, indent=1).encode()


def _quoted(text: str, longest: int) -> Iterator[str]:
    """Yield the lines of a text behind a bar; of a long one the first, and a hash of all."""
    lines = text.splitlines() if text.isascii() else text.split("\n")
    if lines and not lines[-1] and text.endswith("\n"):
        lines.pop()
    if len(text) > longest:
        yield from map(_line, lines[:_FIRST_LINES])
        size = f"{len(lines):,} lines, {len(text):,} characters"
        yield f"… {size}, sha256 {_hash(text.encode('utf-8', 'surrogatepass'))}"
        return
    yield from map(_line, lines)
    if text and not text.endswith("\n"):
        yield "… without a line feed at its end"


def visible(text: str) -> str:
    """Return a text with escapes in place of what cannot be seen or written.

    >>> visible("a\\tb\\x1b")
    'a\\\\tb\\\\x1b'
    """
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def _line(line: str) -> str:
    """Return a line that is safe to keep in a file of text."""
    shown = visible(line)
    if len(shown) > LONGEST_LINE:
        whole = _hash(line.encode("utf-8", "surrogatepass"))
        shown = f"{shown[:200]} … {len(line):,} characters, sha256 {whole}"
    return f"| {shown}" if shown else "|"


class _Text(HTMLParser):
    """Collects what a page says and offers: its texts, links, forms and fields."""

    _OFFERED = frozenset(
        "a button form input link main option script section select textarea".split()
    )
    _SHOWN = ("href", "action", "method", "name", "type", "value", "id", "for", "data-topic",
              "data-doc", "data-judge", "src", "checked", "selected", "required")  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note links, forms, fields and sections; pass over scripts and styles."""
        self._hidden += tag in ("script", "style")
        if tag in self._OFFERED:
            shown = [
                name if value is None else f"{name}={value}"
                for name, value in attributes
                if name in self._SHOWN
            ]
            self.lines.append(f"<{' '.join([tag, *shown])}>")

    def handle_endtag(self, tag: str) -> None:
        """Note the end of what is passed over."""
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if not self._hidden and data.strip():
            self.lines.append(" ".join(data.split()))


def page_text(page: str) -> str:
    """Return what a page says and offers, one piece on each line.

    >>> print(page_text('<p class="x">One <a href="/two">two</a></p><script>3</script>'))
    One
    <a href=/two>
    two
    <script>
    """
    parser = _Text()
    parser.feed(page)
    return "\n".join(parser.lines)
