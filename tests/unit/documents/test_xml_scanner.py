"""Scanned documents against the same documents read by calls for each tag."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    Limits,
    XmlDocuments,
)
from doxeval.errors import DocumentError
from fuzzing.documents import by_calls, difference, scanned
from levels import examples
from seams import change, value_of
from strategies import odd_documents, plain_documents


@examples(30)
@given(st.lists(plain_documents(), min_size=1, max_size=4))
def test_plain_documents_are_scanned_to_the_same_marks(documents: list[bytes]) -> None:
    assert difference(documents) is None
    _, errors = by_calls(documents, Limits())
    for data, error in zip(documents, errors, strict=True):
        assert error or was_scanned(data)


def was_scanned(data: bytes, limits: Limits | None = None) -> bool:
    """Whether the tags of a document come from a scan."""
    with calls_counted() as calls:
        _, errors = scanned([data], limits or Limits())
    return errors == [None] and not calls


@contextmanager
def calls_counted() -> Iterator[list[bytes]]:
    """The documents that are read by calls for each tag from now on."""
    calls: list[bytes] = []

    def counting(self: Any, data: bytes, origin: str) -> DocumentError | None:
        calls.append(data)
        error: DocumentError | None = by_calls_of_tags(self, data, origin)
        return error

    with pytest.MonkeyPatch.context() as patch:
        change(patch, xml_read_by_calls=counting)
        yield calls


by_calls_of_tags = value_of("xml_read_by_calls")


@examples(30)
@given(st.lists(odd_documents(), min_size=1, max_size=5))
def test_all_documents_have_the_same_marks_or_errors(documents: list[bytes]) -> None:
    assert difference(documents) is None


@examples(30)
@given(st.lists(odd_documents(), min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 6))
def test_limits_are_kept_in_the_same_way(documents: list[bytes], depth: int, elements: int) -> None:
    assert difference(documents, Limits(depth=depth, elements=elements, bytes=150)) is None


UNUSUAL = {
    "comment": b"<s><!-- --></s>",
    "instruction": b"<s><?x y?></s>",
    "character data": b"<s><![CDATA[x]]></s>",
    "greater than": b"<s>a > b</s>",
    "greater than in a value": b"<s a='>'/>",
    "named entity": b"<s>&nbsp;</s>",
    "named entity with a DTD": b"<!DOCTYPE s SYSTEM 's'><s>&nbsp;</s>",
    "redefined entity": b"<!DOCTYPE s [<!ENTITY lt '&#38;#60;'>]><s>&lt;</s>",
    "other encoding": b"<?xml version='1.0' encoding='latin-1'?><s>\xe9</s>",
    "wide encoding": "<s>é</s>".encode("utf-16"),
    "long reference": b"<s>&#000000000065;</s>",
    "long name": b"<" + b"n" * 65 + b"/>",
    "large": b"<s>" + b"x" * value_of("xml_part_bytes") + b"</s>",
    "a comment at the end": b"<s/><!-- -->",
}


@pytest.mark.parametrize("kind", sorted(UNUSUAL))
def test_unusual_documents_are_read_by_calls(kind: str) -> None:
    data = UNUSUAL[kind]
    assert not was_scanned(data)
    if "redefined" not in kind:
        assert by_calls([data], Limits())[1] == [None]
    assert difference([b"<s>a<p/>b</s>", data, b"<s>c<q>d</q></s>", data, data]) is None


def test_limits_hold_to_the_last_element() -> None:
    nested = b"<a>" * 5 + b"</a>" * 5
    beside = b"<a>" + b"<b/>" * 4 + b"</a>"
    for data, limits, tight in (
        (nested, Limits(depth=5), Limits(depth=4)),
        (beside, Limits(elements=5), Limits(elements=4)),
        (beside, Limits(depth=2), Limits(depth=1)),
        (nested, Limits(bytes=len(nested)), Limits(bytes=len(nested) - 1)),
    ):
        assert was_scanned(data, limits)
        assert not was_scanned(data, tight)
        assert scanned([data], tight)[1] != [None]
        assert difference([data, beside, data], tight) is None


def test_text_far_from_ascii_is_counted_right() -> None:
    """Where most bytes continue a character, they are counted in another way."""
    documents = ["<s>漢字<b a='漢字'>漢字😀</b>é</s>".encode()] * 40
    assert was_scanned(documents[0])
    assert difference(documents) is None
    only_text = b"<p>" + "字".encode() * 500 + b"</p>"
    assert was_scanned(only_text)
    assert difference([only_text]) is None


@pytest.mark.parametrize(
    ("tag", "kept"),
    [
        (b"<td dir=''", [("dir", "")]),
        (b'<li value=""', [("value", "")]),
        (b"<hi rend=''", [("rend", "")]),
        (b'<x:hi a="lang=1" rend\n=\t"2"', [("rend", "2")]),
        (b"<p lang = 'he'", [("lang", "he")]),
        (b"<p xml:lang\n='&#104;e' dir=\"&lt;\r\n\"", [("xml:lang", "he"), ("dir", "< ")]),
        (b"<p a=' lang=' b=\" dir='rtl'\"", []),
        (b"<p adir='1' langs='2' rend='3'", []),
    ],
)
def test_attributes_are_found_however_they_are_written(
    tag: bytes, kept: list[tuple[str, str]]
) -> None:
    name = tag.split()[0][1:]
    for element in (tag + b"/>", tag + b" />", tag + b">dir= </" + name + b"> lang = 'x' "):
        document = b"<s>dir='a'<b></b>" + element + b"</s>"
        assert was_scanned(document)
        (marks,), _ = scanned([document], Limits())
        assert marks.attributes == [[(2, *pair) for pair in kept]]
        assert difference([document, b"<s/>", document]) is None


def test_a_scan_that_expat_does_not_confirm_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scan = value_of("xml_scan")

    def wrong(bodies: list[bytes], limits: Limits) -> Any:
        right = scan(bodies, limits)
        return right._replace(positions=right.positions * 2)

    documents = [b"<s>one<b/></s>", b"<s/>"]
    change(monkeypatch, xml_scan=wrong)
    assert difference(documents) is None
    assert not was_scanned(documents[0])


def test_scanning_stops_if_few_documents_are_plain() -> None:
    reader = XmlDocuments()
    unusual, plain = (b"<s><!-- --></s>", "a"), (b"<s/>", "a")
    with calls_counted() as calls:
        assert list(reader.read([unusual] * 9 + [plain])) == [None] * 10
        assert calls == [unusual[0]] * 9
        assert list(reader.read([plain])) == [None]
    assert calls[9:] == [plain[0]]
    assert sum(len(marks.texts) for marks in reader.take()) == 11


NAMES = st.text("aZé漢_-.:7", min_size=1, max_size=60).map(lambda name: f"n{name}")


@given(st.lists(NAMES, min_size=1, max_size=30))
def test_names_are_as_they_were_written(names: list[str]) -> None:
    ends = ("/>", " />", "\t/>", "\n/>")
    tags = [f"<{name}{ends[number % 4]}" for number, name in enumerate(names)]
    document = f"<s>{''.join(tags)}</s>".encode()
    assert was_scanned(document)
    (marks,), _ = scanned([document], Limits())
    assert [name for name in marks.names if name] == ["s", *names]


def test_many_names_share_hashes() -> None:
    written = [f"<n{number}/>" for number in range(30_000)]
    document = f"<s>{''.join(written)}</s>".encode()
    assert was_scanned(document)
    assert difference([document]) is None
