"""Random texts from small grammars.

A grammar names its parts: each part is a list of alternatives, and `<name>` in an alternative
stands for a text of that part. Deep down, the first alternative is taken, which must end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from fuzzing.mutations import CHARACTERS, NUMBERS

Grammar = Mapping[str, Sequence[str]]
_PART = re.compile(r"<([a-z_]+)>")
_DEEPEST = 7


def _texts(words: Sequence[bytes]) -> list[str]:
    return [word.decode("utf-8", "surrogateescape") for word in words]


SHARED: Grammar = {
    "number": ["1", "2", "10", "<edge>"],
    "edge": _texts(NUMBERS),
    "odd": _texts(CHARACTERS),
    "tag": ["p", "sec", "article", "s", "st", "a-b", "x:y", "é", "_", "1x", "text", "and", "about"],
    "word": ["a", "tide", "e", "IBM", "l'eau", "b-c", "1.5", "&", "'", "-", "<odd>", "<edge>"],
}
NEXI: Grammar = {
    "start": ["<co>", "<cas>", "<cas>", "<cas>"],
    "cas": ["<path>[<clause>]", "<path>[<clause>]<path>", "<path>[<clause>]<cas>", "<path>"],
    "path": ["//<node>", "//<node>", "//<node><path>", "/<node><path>", "//<node>/<node>"],
    "node": ["<tag>", "*", "(<tag>|<tag>)", "(<tag>|<tag>|*)", "@<tag>"],
    "clause": [
        "<item>", "<item>", "<clause> and <clause>", "<clause> OR <clause>", "(<clause>)",
        "<clause> AND <clause> or <clause>", "((<clause>))",
    ],
    "item": [
        "about(<rel>, <co>)", "about(<rel>, <co>)", "<rel> <cmp> <value>", "about(<rel>,'<co>')",
    ],
    "cmp": ["=", "!=", "<", ">", "<=", ">=", "==", "~"],
    "value": ["<number>", "'<word>'", '"<word>"', "-<number>", "<word>"],
    "rel": [".", ".<path>", ".<path>/@<tag>", "..", "<path>"],
    "co": ["<term>", "<term> <co>", "<sign><term> <co>", "‘<term>’ <co>"],
    "term": ["<word>", '"<word> <word>"', '"<word>"', "“<word>”", '""'],
    "sign": ["+", "-", "", "+ ", "--"],
}  # fmt: skip
PATTERN: Grammar = {
    "start": ["<path>", "<path>, <path>", "<path>,<start>"],
    "path": ["//<node>", "/<node>", "//<node><path>", "/<node><path>", "<node>"],
    "node": ["<tag>", "*", "(<tag>|<tag>)", "(<tag> | <tag> | <tag>)", "<tag>[<number>]", "@<tag>"],
}
POINT: Grammar = {
    "start": ["<path>", "<path>/text()[<number>].<number>", "<path>/text().<number>", "<path>."],
    "path": ["/<step>", "/<step><path>", "/<step><path>", "<step>", "//<step>"],
    "step": ["<tag>", "<tag>[<number>]", "<tag>[<number>]", "*[<number>]", "text()", "@<tag>"],
}
XPATH_ID: Grammar = {
    "start": ["stem", "path", "<path>", "<path>/@<tag>", "<path>@<tag>", "@<tag>", "<odd>"],
    "path": PATTERN["path"],
    "node": PATTERN["node"],
}
# Most are well-formed, and most of these are plain enough to be scanned.
XML_DOCUMENT: Grammar = {
    "start": ["<tree>", "<before><tree>", "<before><tree><after>"],
    "before": [
        "", "\n", "\ufeff", "<?xml version='1.0'?>\n", '<?xml version="1.0" encoding="utf-8" ?>',
        "<!DOCTYPE s SYSTEM 's.dtd'>", "<!-- <s> --><?a b?>", "<!DOCTYPE s [<!ENTITY x 'y'>]>",
        "<?xml version='1.0' encoding='latin-1'?>",
    ],
    "after": ["\n", " \r\n", "<!-- -->"],
    "tree": [
        "<s/>", "<p><inner></p>", "<s a='<value>' ><inner></s\n>", "<b><inner></b>", "<br />",
        "<collectionlink\tb='<value>'/>", "<section><inner></section>", "<été><inner></été>",
    ],
    "inner": ["x", "<piece><tree><piece>", "<tree><tree>", "<piece>", "<inner><inner>"],
    "piece": [
        "", "x", "é", "字😀", "one ", "&amp;", "&lt;", "&#65;", "&#x1F600;", "\r\n", "\r", "\n",
        "/", "&quot;&apos;", "<rare>",
    ],
    "rare": [
        "<!-- > -->", "<![CDATA[<p>]]>", "<?a?>", ">", "&nbsp;", "&NotEqualTilde;", "&x;",
        "&#000000000065;", "&#13;", "]]&gt;", "<odd>",
    ],
    "value": ["", "1", "/", "&lt;", "&amp;&#9;", "é", '"', "\r\n", ">", "&nbsp;", "<odd>"],
}  # fmt: skip
JSON: Grammar = {
    "start": ["<value>"],
    "value": ["<scalar>", "<scalar>", "[<value>, <value>]", "{<pair>}", "{<pair>, <pair>}", "[]"],
    "pair": ['"<key>": <value>'],
    "scalar": ["1", "0", "-1", "0.5", '"a"', "null", "true", "false", '"<odd>"', "<edge>", '""'],
    "key": ["a", "id", "", "<odd>"],
}


def maker(grammar: Grammar) -> Callable[[Random], bytes]:
    """A function that makes texts of a grammar.

    >>> maker({"start": ["a<b>"], "b": ["c"]})(Random(1))
    b'ac'
    """
    parts = {**SHARED, **grammar}

    def made(name: str, chance: Random, depth: int) -> str:
        choices = parts[name]
        chosen = choices[0] if depth > _DEEPEST else chance.choice(choices)
        return _PART.sub(
            lambda part: made(part[1], chance, depth + 1) if part[1] in parts else part[0], chosen
        )

    return lambda chance: made("start", chance, 0).encode("utf-8", "surrogateescape")


def lines_of(record: Callable[[Random], bytes], most: int = 6) -> Callable[[Random], bytes]:
    """A function that makes some lines."""
    return lambda chance: b"\n".join(record(chance) for _ in range(chance.randint(1, most)))


def json_records(fields: Mapping[str, Sequence[str]]) -> Callable[[Random], bytes]:
    """A function that makes lines of JSON objects with known fields, and sometimes other values."""
    make = maker(JSON)

    def record(chance: Random) -> bytes:
        names = [name for name in fields if chance.random() < 0.5] or list(fields)
        pairs = []
        for name in names:
            usual = chance.random() < 0.75
            value = chance.choice(fields[name]).encode() if usual else make(chance)
            pairs.append(b'"' + name.encode() + b'": ' + value)
        return b"{" + b", ".join(pairs) + b"}"

    return lines_of(record)
