"""Pages on which a parser of HTML would take forever, refused before they are parsed."""

from __future__ import annotations

import re
from collections import Counter

from doxeval.documents.limits import Limits, too_deep
from doxeval.errors import DocumentError

_TAG = re.compile(r"[\s/\[\]()@*|,]")
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
# Elements without an end tag, and elements that the next start tag may close.
_CLOSED_BY_OTHERS = frozenset(
    "area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot "
    "th thead tr track wbr".split()
)
_FORMATTING = "a b big code em font i nobr s small strike strong tt u".split()
MOST_OPEN = 20_000
_MOST_COPIES = 10_000_000
_MOST_COMPARISONS = 100_000_000
# The parser compares each attribute with all others of the same tag.
MOST_ATTRIBUTES = 2_000
_MOST_ODD_SCRIPTS = 10
_VALUE = r"(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?+"
_ATTRIBUTE = re.compile(rf"(=?[^\s/>=]++|=){_VALUE}")
_COMMENT_OR_TAG = re.compile(
    rf"<!--(?:.*?-->|.*)|<([A-Za-z][^\s/>]*+)((?:[\s/]++|(?:=?[^\s/>=]++|=){_VALUE})*+)", re.DOTALL
)


def refuse_hostile(page: str, limits: Limits, origin: str) -> None:
    """Refuse a page that would take the parser far longer than its size suggests."""
    _refuse_explosive(page, limits, origin)
    _refuse_many_attributes(page, origin)


def _refuse_explosive(page: str, limits: Limits, origin: str) -> None:
    """Refuse a page on which the algorithm of the standard would take forever.

    There, every start tag looks through all open elements, every block reopens all unclosed
    formatting elements, and every option looks through its list. The count of open elements here
    is an upper bound.
    """
    if page.count("<") <= limits.depth:
        return
    still_open: Counter[str] = Counter()
    starts = deepest = 0
    listed: int | None = None  # the start tags in the open list of options
    comparisons = 0
    for slash, name in (match.groups() for match in _TAG.finditer(page)):
        tag = name.lower()
        if tag == "select":
            listed = None if slash else 0
        elif listed is not None and not slash:
            listed += 1
            comparisons += listed if tag == "option" else 0
        if slash:
            still_open[tag] -= still_open[tag] > 0
        elif tag not in _CLOSED_BY_OTHERS:
            still_open[tag] += 1
            starts += 1
            deepest = max(deepest, sum(still_open.values()) if starts % 1000 == 0 else 0)
    if deepest > max(MOST_OPEN, limits.depth):
        raise DocumentError(too_deep(limits), origin)
    if deepest > MOST_OPEN:
        raise DocumentError(f"more than {MOST_OPEN:,} tags are open at once", origin)
    if comparisons > _MOST_COMPARISONS:
        raise DocumentError("a <select> has too many options", origin)
    formatting = sum(still_open[tag] for tag in _FORMATTING)
    if formatting > 200 and formatting * page.count("<") > _MOST_COPIES:
        raise DocumentError("unclosed formatting tags would make the tree explode", origin)


def _refuse_many_attributes(page: str, origin: str) -> None:
    """Refuse a page with too many attributes on one element.

    The attributes of all tags `<html>` and `<body>` end up on one element each. A script may look
    like such a tag.
    """
    fewest_characters = 3 * MOST_ATTRIBUTES
    if len(page) < fewest_characters:
        return
    of_root: set[str] = set()
    scripts = 0
    for tag in _COMMENT_OR_TAG.finditer(page):
        name, attributes = tag.groups()
        if name is None or (len(name) != 4 and len(attributes) < fewest_characters):
            continue
        if name.lower() in ("html", "body"):
            of_root.update(_ATTRIBUTE.findall(attributes))
            found = of_root
        else:
            found = set(_ATTRIBUTE.findall(attributes))
        if len(found) > MOST_ATTRIBUTES:
            scripts += 1
            if scripts < _MOST_ODD_SCRIPTS and _is_in_script(page, tag.start()):
                of_root.clear()
                continue
            message = f"more than {MOST_ATTRIBUTES:,} attributes on one element"
            raise DocumentError(message, origin)


def _is_in_script(page: str, position: int) -> bool:
    """Whether the parser takes what is at a position as part of a script."""
    from selectolax.lexbor import LexborHTMLParser

    mark = "<doxeval-was-here"
    scripts = LexborHTMLParser(page[:position] + mark).css("script")
    return bool(scripts) and mark in (scripts[-1].text() or "")
