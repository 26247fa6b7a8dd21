"""XML documents as bytes, with what is unusual about real ones: prologues, encodings, line ends."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from strategies.trees import Node, Piece, escaped, nodes, pieces, plain_texts

_LONG = "a" * 7, "b" * 8, "c" * 9, "collectionlink", "d" * 63, "é" * 4, "q:name"
_TAGS = ["s", "p", "b", "x-y", "été", "a.b", "_", "db:ol", "entry", "img", *_LONG]
_ATTRIBUTES = [
    "", " ", ' id="1"', "\n a='/'  ", ' a="&amp;&lt;&#9;" b=\'"\'', " a='é字😀'\t",
    " xml:lang='he'", '\n\tdir = "rtl" ', ' a=" dir=&#39;rtl&#39; lang=" lang="a&#10;b\r\n"',
    " start='3' x:start='4' morerows='1' src='é&amp;字.png' alt='/'", ' a.dir="1" colspan\n=\n"2"',
]  # fmt: skip
_UNUSUAL = [
    " a='x > y'",
    " lang='>'",
    " dir='&nbsp;'",
    " lang='a&nosuch;b'",
    ' a="<"',
    " a='&nbsp;'",
    " a",
    " a='1' a='2'",
    "/",
]
_BEFORE = [
    "",
    "\n",
    '<?xml version="1.0"?>',
    "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n",
    '<?xml version="1.0" encoding="us-ascii"?>\n',
    '<!DOCTYPE s SYSTEM "s.dtd">',
    "<!DOCTYPE s PUBLIC '-//X//>' \"s.dtd\" >\n<!-- <s> -->",
    '<?xml-stylesheet href="a.css"?>\n<!-- > -->',
]
_UNUSUAL_BEFORE = [
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    '<?xml version="1.0" encoding="rot13"?>',
    '<!DOCTYPE s [<!ENTITY lt "xyz"><!ENTITY e "more">]>',
    '<!DOCTYPE s [<!ATTLIST p a CDATA "1">]>',
    "<!DOCTYPE s [<!ENTITY % p 'x'>]>",
    '<?xml version="1.1"?>',
]


def plain_pieces() -> st.SearchStrategy[Piece]:
    """Text and references that a scan understands."""
    references = ["&lt;", "&gt;", "&amp;", "&apos;", "&quot;", "&#38;", "&#xE9;", "&#x1F600;"]
    return st.one_of(
        plain_texts().map(lambda text: Piece(escaped(text), text)),
        st.sampled_from([*references, "&#00000065;", "\r\n", "\r", "\n\r\n", "&#13;\n"]).map(
            lambda source: Piece(source, source)
        ),
    )


def unusual_pieces() -> st.SearchStrategy[Piece]:
    """What a scan leaves to another reader, or what is not XML at all."""
    sources = [">", "]]>", "&nbsp;", "&NotEqualTilde;", "&#0065;", "&#000000000065;", "&e;", "&"]
    wrong = ["<", "</p>", "<p>", "&#0;", "\0", "<!-", "<![CDATA[", "&#xD800;", "&lt", "<p/", "\x0b"]
    return st.one_of(pieces(), st.sampled_from([*sources, *wrong]).map(lambda s: Piece(s, s)))


def _spaced(source: str, space: str) -> str:
    return re.sub(r"(</[^<>]*)>", lambda tag: tag[1] + space + ">", source)


@st.composite
def _documents(
    draw: st.DrawFn, inside: st.SearchStrategy[Piece], attributes: list[str], before: list[str]
) -> bytes:
    node: Node = draw(nodes(inside, _TAGS, attributes))
    source = _spaced(node.source, draw(st.sampled_from(["", " ", "\n"])))
    after = draw(st.sampled_from(["", "\n", " \r\n"]))
    text = draw(st.sampled_from(before)) + source + after
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def plain_documents() -> st.SearchStrategy[bytes]:
    """Documents that a scan understands, if they are well-formed."""
    return _documents(plain_pieces(), _ATTRIBUTES, _BEFORE)


def odd_documents() -> st.SearchStrategy[bytes]:
    """Documents of any kind, in several encodings, and things that are no documents."""
    everything = _documents(
        st.one_of(plain_pieces(), unusual_pieces()),
        _ATTRIBUTES + _UNUSUAL,
        _BEFORE + _UNUSUAL_BEFORE,
    )
    recoded = st.builds(
        lambda data, encoding: data.decode().encode(encoding, "replace"),
        everything,
        st.sampled_from(["utf-8", "latin-1", "utf-16", "utf-16-le", "utf-16-be"]),
    )
    cut = st.builds(lambda data, at: data[:at], everything, st.integers(0, 60))
    followed = everything.map(lambda data: data + b"<!-- after -->")
    return st.one_of(plain_documents(), everything, recoded, cut, followed)
