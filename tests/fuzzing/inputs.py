"""What hostile inputs are made of: changes of good files, grammars, and the words of each format.

Good files are shortened, repeated, spliced, and sprinkled with words that mean something somewhere,
numbers at the edges of ranges, control characters, and bytes that are not UTF-8. A grammar names
its parts: each part is a list of alternatives, and `<name>` in an alternative stands for a text of
that part. Deep down, the first alternative is taken, which must end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

# Changes

_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9.-]*")
_LONGEST = 1 << 20

NUMBERS = tuple(
    text.encode()
    for text in (
        "0", "-0", "1", "-1", "2", "3", "0.0", "1.0", "00", "01", "+1", "1.", ".5", "0.1", "1e0",
        "127", "128", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648",
        "-2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "-9223372036854775809", "18446744073709551616", "9" * 25, "9" * 400,
        "1e308", "1e309", "-1e309", "1e-400", "5e-324", "0." + "0" * 40 + "1", "0." + "3" * 40,
        "1e999999999", "nan", "NaN", "inf", "-inf", "Infinity", "0x10", "0b1", "1_000", "1,000",
        "1/3", "1e", "--1", "१", "١٢", "²", "½", "Ⅷ", "𝟏",
    )
)  # fmt: skip
# Control and format characters, surrogates and ends of ranges, in UTF-8 and in what is not.
_UNICODE = tuple(
    text.encode("utf-8", "surrogatepass")
    for text in (
        "\x00", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b[2J", "\x1b]0;t\x07", "\x7f", "\x80",
        "\x85", "\x9b31m", "\xa0", "\xad", "\u061c", "\u200b", "\u200d", "\u200f", "\u2028",
        "\u2029", "\u202e", "\u2066", "\u2069", "\u3000", "\ud800", "\udc80", "\udfff", "\ufdd0",
        "\ufeff", "\ufffd", "\ufffe", "\uffff", "\U0001f600", "\U000e0001", "\U0010ffff", "e\u0301",
        "ﬁ", "İ", "ı", "ß", "ǆ", "\u1e9e", "\u0345", "ΐ", "Å",
    )
)  # fmt: skip
_NO_UTF_8 = (b"\xff", b"\xfe", b"\xc0\x80", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8")
CHARACTERS = _UNICODE + _NO_UTF_8
MARKS = (
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\x1f\x8b\x08", b"PK\x03\x04",
    b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PAR1", b"\x93NUMPY", b"\x80\x04", b"ARROW1",
)  # fmt: skip
COMMON = (
    b"<", b">", b"/", b"&", b";", b"%", b'"', b"'", b"\\", b"\r\n", b"\r", b"\n", b"\t", b" ", b"{",
    b"}", b"[", b"]", b"(", b")", b":", b",", b"=", b"|", b"@", b"#", b"-", b"+", b"*", b"?", b"!",
    b"$", b"~", b"^", b"`", b"_", b".", b"..", b"../", b"null", b"true", b"false", b"\\ud800",
    b"\\u0000", b"\\x1b",
)  # fmt: skip


def happens(chance: Random, share: float) -> bool:
    """Decide something that is to happen in this share of all cases.

    Hypothesis prefers edges where it draws fractions, and makes whole numbers smaller.
    """
    return chance.randrange(1000) >= 1000 - 1000 * share


def mutated(data: bytes, pool: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    """A file with a few things done to it; of a million bytes at the most."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
        change = chance.choice(_CHANGES)
        data = change(data, pool, tokens, chance)
    if happens(chance, 0.01):
        data = _amplified(data, chance)
    if happens(chance, 0.005):
        data = _recoded(data, chance)
    return data[:_LONGEST]


def _part(data: bytes, chance: Random) -> tuple[int, int]:
    """A place in the data: often short, sometimes long."""
    at = chance.randint(0, len(data))
    longest = len(data) // 2 + 1 if happens(chance, 0.2) else 24
    return at, min(len(data), at + chance.randint(0, longest))


def _word(tokens: Sequence[bytes], chance: Random) -> bytes:
    kind = chance.randrange(100)
    if tokens and kind < 60:
        return chance.choice(tokens)
    if kind < 75:
        return chance.choice(COMMON)
    if kind < 87:
        return chance.choice(NUMBERS)
    return chance.choice(CHARACTERS) if kind < 98 else chance.choice(MARKS)


Change = Callable[[bytes, Sequence[bytes], Sequence[bytes], Random], bytes]


def _insert(data: bytes, _: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + _word(tokens, chance) + data[at:]


def _replace(data: bytes, _: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    at, until = _part(data, chance)
    return data[:at] + _word(tokens, chance) + data[until:]


def _delete(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    at, until = _part(data, chance)
    return data[:at] + data[until:]


def _repeat(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    at, until = _part(data, chance)
    times = chance.randint(5, 300) if happens(chance, 0.05) else chance.randint(1, 4)
    return data[:until] + data[at:until] * times + data[until:]


def _flip(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    if not data:
        return b"\x00"
    at = chance.randrange(len(data))
    byte = data[at] ^ (1 << chance.randrange(8)) if happens(chance, 0.5) else chance.randrange(256)
    return data[:at] + bytes([byte]) + data[at + 1 :]


def _splice(data: bytes, pool: Sequence[bytes], _: Sequence[bytes], chance: Random) -> bytes:
    other = chance.choice(pool)
    begin, end = _part(other, chance)
    at, until = _part(data, chance)
    return data[:at] + other[begin:end] + data[until if happens(chance, 0.5) else at :]


def _cross(data: bytes, pool: Sequence[bytes], _: Sequence[bytes], chance: Random) -> bytes:
    """The beginning of one file and the end of another."""
    other = chance.choice(pool)
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def _number(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    """A number at the edge of some range, in place of another."""
    return _in_place_of(_NUMBER, data, NUMBERS, chance)


def _name(data: bytes, pool: Sequence[bytes], tokens: Sequence[bytes], chance: Random) -> bytes:
    """Another word in place of a word."""
    return _in_place_of(_WORD, data, tokens or COMMON, chance)


def _in_place_of(
    pattern: re.Pattern[bytes], data: bytes, words: Sequence[bytes], chance: Random
) -> bytes:
    found = pattern.search(data, chance.randint(0, len(data))) or pattern.search(data)
    word = chance.choice(words)
    return word if found is None else data[: found.start()] + word + data[found.end() :]


def _line(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    """Lines are swapped, doubled or dropped."""
    lines = data.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    action = chance.randrange(3)
    if action == 0:
        lines[at], lines[other] = lines[other], lines[at]
    elif action == 1:
        lines.insert(at, lines[other])
    else:
        del lines[at]
    return b"\n".join(lines)


def _field(data: bytes, _: Sequence[bytes], __: Sequence[bytes], chance: Random) -> bytes:
    """Two words change places."""
    words = re.split(rb"(\s+)", data)
    at, other = chance.randrange(len(words)), chance.randrange(len(words))
    words[at], words[other] = words[other], words[at]
    return b"".join(words)


_CHANGES: tuple[Change, ...] = (
    _insert, _insert, _replace, _replace, _delete, _repeat, _flip, _splice, _cross, _number,
    _number, _name, _line, _field,
)  # fmt: skip


def _amplified(data: bytes, chance: Random) -> bytes:
    """A part of the data over and over, beside itself or around the rest: what grows, grows."""
    at, until = _part(data, chance)
    part = data[at:until] or b"["
    times = min(chance.choice((1_000, 5_000, 20_000)), (1 << 18) // len(part) + 1)
    return data[:until] + part * times + data[until:]


def _recoded(data: bytes, chance: Random) -> bytes:
    """The same text in another encoding."""
    encoding = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7"))
    return data.decode("utf-8", "replace").encode(encoding, "replace")


# Grammars

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
        names = [name for name in fields if happens(chance, 0.5)] or list(fields)
        pairs = []
        for name in names:
            usual = happens(chance, 0.75)
            value = chance.choice(fields[name]).encode() if usual else make(chance)
            pairs.append(b'"' + name.encode() + b'": ' + value)
        return b"{" + b", ".join(pairs) + b"}"

    return lines_of(record)


# Words of the formats, which changes put in the place of others


def words(text: str) -> tuple[bytes, ...]:
    """The words of a text, as bytes."""
    return tuple(word.encode() for word in text.split())


XML_WORDS = (
    *words(
        "< > </ /> & ; &#0; &#x110000; &lt; &nbsp; &nosuch; ]]> <!-- --> <![CDATA[ <?x ?> <a> </a> "
        "<a/> <p> </p> <b> ]> <!DOCTYPE <?xml encoding= standalone= version= xmlns:x= x:y xml:id "
        "SYSTEM PUBLIC NDATA CDATA #IMPLIED #FIXED ID IDREFS ENTITIES UTF-16 latin-1 gbk utf-7"
    ),
    b"<!DOCTYPE a [", b"<!ENTITY x 'y'>", b"<!ENTITY x '&x;&x;'>", b"<!ENTITY % x 'y'>", b"%x;",
    b"<!ENTITY x SYSTEM 'file:///etc/passwd'>", b"<!ATTLIST a b CDATA 'c'>",
    b"<!ELEMENT a (b|c)*>", b"<!NOTATION x SYSTEM 'y'>", b"<![INCLUDE[", b"<![IGNORE[",
    b"<?xml version='1.0' encoding='punycode'?>", b"<?xml version='1.1'?>",
    b' a="&x;&x;&x;"', b" a='1' a='2'", b"<p" + b" a" * 30,
)  # fmt: skip
HTML_WORDS = (
    *words(
        "<b> </b> <p> </p> <table> <tr> <td> <svg> <math> <template> <select> <option> <script> "
        "<style> <title> <h1> </h1> <h6> <section> </section> <header> <hgroup> <div> </div> <rp> "
        " <textarea> <plaintext> <frameset> <noscript> <iframe> <!doctype <!-- --> "
        "<br> </br> <li> <a> <nobr> <form> <button> <body> <html> <head> <base> <image> <mi> "
        "<annotation-xml> <foreignObject> <![CDATA[ ]]> &amp; &notin; &#128; &#xD800; &#0;"
    ),
    b"<meta charset=punycode>", b"<meta charset='utf-16'>", b"<meta charset=unicode_escape>",
    b'<meta http-equiv="content-type" content="text/html; charset=shift_jis">',
)  # fmt: skip
MARKDOWN_WORDS = (
    *words("# ## ###### - * + 1. > ``` ~~~ | --- === *** __ ** ` [ ] ( ) ![ ]: <b> </b> <!-- \\"),
    b"    ", b"\t", b"  \n", b"\n\n", b"[x]: y\n", b"> > ", b"- - ", b"|---|\n", b"1) ",
)  # fmt: skip
JSON_WORDS = words(
    '{ } [ ] : , " \\u0000 \\ud800 \\udc00 \\n \\" null true false {"a": NaN Infinity 1e999 -0 '
    '"" [[[[ }}}} {}'
)
RUN_WORDS = (
    *JSON_WORDS,
    *words(
        '"topic" "doc" "start" "end" "path" "nodes" "offset" "rank" "score" "run" "start_point" '
        '"end_point" "point" topic doc start end path nodes offset rank score run start_point '
        "point Q0 Q 7 8 a b a.xml ./a mine X -1 /s[1] /s[1]/p[2] /s[0] /s[1]/p[999999999] /* // "
        '/s/text()[1].2 /s/text()[0].0 ,, "" \''
    ),
)
XML_RUN_WORDS = (
    *XML_WORDS,
    *words(
        "<inex-submission <topic </topic> topic-id= <result> </result> <file> </file> <path> "
        "</path> <rank> </rank> <rsv> </rsv> <passage start= end= <fol offset= length= task= "
        "result-type= element passage fol run-id= <collections> <collection> <in> "
    ),
)
JUDGMENTS_WORDS = (
    *RUN_WORDS,
    *words(
        '"bep" "assessor" "pool" "e" "s" "inferred" "size" "rsize" "scale" "2005" "2004" "rel" '
        '"judged" "grade" "docsize" "?" "1/3" "U" 0:5 5:0 -1:5 0:-1 0:99999999999 : 0:5:5'
    ),
)
XML_JUDGMENTS_WORDS = (
    *XML_WORDS,
    *words(
        "<assessments </assessments> pool= topic= <file </file> name= file= <passage <element "
        "<path path= exhaustivity= exhaustiveness= specificity= relevance= coverage= cov= inpool= "
        "inferred= inconsistant= <best-entry-point whitespace-text-node= keep strip size= rsize= "
        '"?" "U" "3" "0" "E" "L" "N" "S" "/s[1]" "/s[1]/p[2]" "/s/text()[1].2"'
    ),
)
TOPICS_WORDS = (
    *XML_WORDS,
    *JSON_WORDS,
    *words(
        '<inex_topic topic_id= query_type= ct_no= <title> </title> <castitle> <te> <cw> <ce> "id" '
        '"title" "castitle" "description" "narrative" <topic id= CO CAS CO+S SCAS VCAS about( // '
    ),
    b"\t",
)
NAVIGATION_WORDS = (
    *JSON_WORDS,
    *words(
        '"model" "routes" "summary" "matrix" "steady" "restart" "partition" "weights" "other" '
        '"tag" "depth" "path" "steps" "doc" "probabilities" "abandonment" "hierarchical" "none" '
        '"neighbours" "p" "a" "b" "/s[1]" "/s[1]/p[1]" "S" "P" 0.5 1 0 1.5'
    ),
)
NEXI_WORDS = words(
    "// / [ ] ( ) | * about( about(., and or AND OR . .// /@ @a = != < > <= >= , ' \" ‘ ’ “ ” + - "
    "& a b sec p 2000 -1.5 ((( ))) ]]] [[["
)
MEASURES_WORDS = words(
    "@ [ ] ( ) , = + : @10 @0 @-1 @1e3 [.01] [0] [1] [1.5] nxCG iP MAiP MAgP ESRR AP P R cF nav= "
    "nav=depth base= base=ideal quant= quant=spec ignore= ignore=p+b alpha= beta= score=F score= "
    "resize= window= links p b none all auto full strict gen sog5 true false"
)
PATHS_WORDS = words(
    "/ // [ ] ( ) | * @ , . .. text() text()[1].0 [1] [0] [999999999] sec p s a:b and"
)
