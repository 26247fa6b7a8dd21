"""The table of all limits, from the constants that set them, for docs/hardening.md.

A limit belongs here as soon as a reader has it: its value is taken from the reader itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pkgutil import resolve_name
from typing import NamedTuple

from doxeval import files, spans
from doxeval.assessments import FINEST_SHARE
from doxeval.documents import LONGEST_PATTERN, LONGEST_SELECTOR, Limits
from doxeval.messages import LONGEST_PATH, LONGEST_QUOTE

# The files that set limits.
judgment = resolve_name("doxeval.assessments.judgment")
text_columns = resolve_name("doxeval.assessments.columns")
terminal = resolve_name("doxeval.cli.output")
fields = resolve_name("doxeval.columns.records")
limits = resolve_name("doxeval.documents.build.options")
elements = resolve_name("doxeval.markup.elements")
parameters = resolve_name("doxeval.named.value")
navigation = resolve_name("doxeval.navigation.read")
parquet = resolve_name("doxeval.runs.parquet")
manifest = resolve_name("doxeval.storage.manifest")
nexi = resolve_name("doxeval.topics.nexi")
scoring = resolve_name("doxeval.evaluation.scoring")
html = resolve_name("doxeval.documents.readers.html")
display = resolve_name("doxeval.documents.display")
ids = resolve_name("doxeval.documents.ids")
nodes = resolve_name("doxeval.documents.nodes")
expat = resolve_name("doxeval.markup.expat")

_DEFAULT = Limits()


class Limit(NamedTuple):
    """What is limited, how much is allowed, and what raises it; nothing does if that is empty."""

    what: str
    allowed: str
    raised_by: str = ""


def size(count: int) -> str:
    """A number of bytes in the largest unit that fits.

    >>> size(64 << 20), size(2 << 30), size(1000)
    ('64 MiB', '2 GiB', '1,000 bytes')
    """
    for shift, unit in ((30, "GiB"), (20, "MiB")):
        if count >= 1 << shift and not count % (1 << shift):
            return f"{count >> shift} {unit}"
    return f"{count:,} bytes"


def power(number: int) -> int:
    """The exponent of a power of 2.

    >>> power(1 << 62)
    62
    """
    return number.bit_length() - 1


def times(factor: int, allowance: str) -> str:
    """A factor with an allowance for small files."""
    return f"{factor} times the size, plus {allowance}"


def option(name: str, field: str) -> str:
    """An option of `collection build`, and what it is in Python."""
    return f"`{name}`, `Limits({field}=…)`"


LIMITS: dict[str, tuple[Limit, ...]] = {
    "A document": (
        Limit(
            "bytes, decompressed",
            size(_DEFAULT.bytes),
            f"{option('--max-bytes', 'bytes')}, up to {limits.LONGEST_DOCUMENT:,}",
        ),
        Limit(
            "elements",
            f"{_DEFAULT.elements:,}",
            f"{option('--max-elements', 'elements')}, up to {limits.MOST_ELEMENTS_OF_A_DOCUMENT:,}",
        ),
        Limit("characters of text", f"{limits.LONGEST_DOCUMENT:,}"),
        Limit(
            "nesting of elements",
            f"{_DEFAULT.depth:,}",
            f"{option('--max-depth', 'depth')}, up to {limits.DEEPEST_POSSIBLE:,}",
        ),
        Limit("lines of Markdown", f"{_DEFAULT.lines:,}", option("--max-lines", "lines")),
        Limit("characters of its id", f"{limits.LONGEST_ID:,}"),
        Limit(
            "text that its entities stand for",
            times(_DEFAULT.expansion, f"{_DEFAULT.expansion_allowance:,} characters"),
            "`Limits(expansion=…, expansion_allowance=…)`",
        ),
        Limit("attributes of an HTML tag", f"{html.MOST_ATTRIBUTES:,}"),
        Limit("HTML tags that are open at once", f"{html.MOST_OPEN:,}"),
        Limit("characters of a CSS selector or a path pattern", f"{LONGEST_SELECTOR:,}"),
        Limit(
            "kept for display: characters of a picture's name", f"{display.LONGEST_PICTURE_NAME:,}"
        ),
        Limit(
            "characters of its alternative text", f"{display.LONGEST_ALT:,}, the rest is left out"
        ),
        Limit(
            "rows and columns that a cell spans",
            f"{display.MOST_ROWS_SPANNED:,} and {display.MOST_COLUMNS_SPANNED:,}, as in HTML",
        ),
    ),
    "A collection": (
        Limit("elements", f"{limits.MOST_ELEMENTS:,}"),
        Limit("documents", f"as many as elements, {limits.MOST_ELEMENTS:,}"),
        Limit("different paths, without ordinals", f"{nodes.MOST_PATHS:,}"),
        Limit("bytes of all texts, or of any file", f"below 2^{power(manifest.LARGEST_SIZE)}"),
        Limit("ids", f"told apart by {ids.HASH_BITS} bits of their hashes"),
    ),
    "XML of any kind": (
        Limit("declarations inside the document", size(expat.LARGEST_SUBSET)),
        Limit("declared entities", f"{expat.MOST_ENTITIES:,}"),
        Limit("characters of an entity", f"{expat.LONGEST_ENTITY:,}"),
        Limit("declared attributes", f"{expat.MOST_ATTRIBUTES:,}"),
        Limit("declared attributes of an element", f"{expat.MOST_ATTRIBUTES_OF_AN_ELEMENT:,}"),
        Limit("one tag, comment or instruction", size(expat.LARGEST_TOKEN)),
    ),
    "A compressed file or an archive": (
        Limit(
            "what it holds",
            times(files.EXPANSION, size(files.EXPANSION_ALLOWANCE)),
            "unpacking it yourself",
        ),
    ),
    "Topics, runs and assessments": (
        Limit(
            "a run whose topics are not together",
            size(scoring.LARGEST_WHOLE_RUN),
            "sorting it by topic",
        ),
        Limit("a file of assessments in text", size(text_columns.LARGEST_FILE), "several files"),
        Limit("results in a run that is read as a whole", f"{spans.MOST_GROUPS:,}"),
        Limit("judged documents in one set of assessments", f"{spans.MOST_GROUPS:,}"),
        Limit("topics in one evaluation", f"{limits.MOST_TOPICS:,}"),
        Limit("offsets in characters", f"below 2^{power(spans.TOO_LONG)}"),
        Limit("a line", size(files.LONGEST_LINE)),
        Limit("whole numbers", f"below 2^{power(fields.LARGEST_WHOLE)}"),
        Limit("denominator of a specificity", f"{FINEST_SHARE:,}"),
        Limit("grades", f"{judgment.LARGEST_GRADE:,}"),
        Limit("nesting of XML", f"{elements._DEEPEST:,}"),
        Limit("elements of XML in one topic or result", f"{elements._MOST_ELEMENTS:,}"),
        Limit("text of XML in one topic or result", size(elements._LONGEST_TEXT)),
    ),
    "Parquet": (
        Limit("bytes", size(parquet.LARGEST_FILE)),
        Limit("columns", f"{parquet.MOST_COLUMNS:,}"),
        Limit("rows", f"one per byte, or {parquet.ROWS_ALLOWED:,} if that is more"),
        Limit(
            "what the values take",
            f"{parquet.MOST_EXPANSION} times the size, or {size(parquet.EXPANSION_ALLOWED)} if "
            "that is more",
        ),
    ),
    "Queries, measures and models": (
        Limit("characters of a NEXI query", f"{nexi.MAX_LENGTH:,}"),
        Limit("nesting of a NEXI query", f"{nexi.MAX_DEPTH:,}"),
        Limit("cut-off of a measure", f"below {parameters._LARGEST_CUT_OFF:,}"),
        Limit("a file with a model of navigation", size(navigation._LARGEST)),
    ),
    "Sources of a collection": (
        Limit("characters of a pattern of file names", f"{LONGEST_PATTERN:,}"),
    ),
    "Opening a collection": (
        Limit(
            "files that are compared with their hashes",
            size(limits.VERIFIED_BYTES),
            "`doxeval collection verify`, `collection.verify()`",
        ),
    ),
    "Messages": (
        Limit("quoted input", f"{LONGEST_QUOTE} characters"),
        Limit("a quoted path", f"{LONGEST_PATH} characters"),
        Limit("a message", f"{terminal.LONGEST_MESSAGE:,} characters"),
    ),
}


def limits_table() -> str:
    """All limits as a table in Markdown."""
    return "\n".join(["| what | limit | raised by |", "|---|---|---|", *_rows()]) + "\n"


def _rows() -> Iterator[str]:
    for title, own in LIMITS.items():
        yield f"| **{title}** | | |"
        for limit in own:
            yield f"| {limit.what} | {limit.allowed} | {limit.raised_by or '—'} |"
