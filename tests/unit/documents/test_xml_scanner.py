"""Scanned documents against the same documents read by calls for each tag."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    PART,
    Limits,
    NumberedNames,
    Scan,
    XmlDocuments,
    joined_names,
    numbered,
    scan,
    xml_names,
)
from fuzzing.xml_twins import by_calls, difference, scanned
from levels import examples
from seams import change
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
    marks, errors = scanned([data], limits or Limits())
    return errors == [None] and isinstance(marks[0].names, NumberedNames)


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
    "large": b"<s>" + b"x" * PART + b"</s>",
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
    assert scan([b"<p>" + "字".encode() * 500 + b"</p>"], Limits()).lengths().tolist() == [500]


def test_a_scan_that_expat_does_not_confirm_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(bodies: list[bytes], limits: Limits) -> Scan:
        found = scan(bodies, limits)
        return found._replace(positions=found.positions * 2)

    documents = [b"<s>one<b/></s>", b"<s/>"]
    change(monkeypatch, xml_scan=wrong)
    assert difference(documents) is None
    assert not was_scanned(documents[0])


def test_scanning_stops_if_few_documents_are_plain() -> None:
    reader = XmlDocuments()
    unusual, plain = (b"<s><!-- --></s>", "a"), (b"<s/>", "a")
    assert list(reader.read([unusual] * 9 + [plain])) == [None] * 10
    assert list(reader.read([plain])) == [None]
    first, second, third = reader.take()
    assert isinstance(second.names, NumberedNames)
    assert not isinstance(third.names, NumberedNames)
    assert len(first.texts) == 9


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=30))
def test_names_are_numbered_one_by_one(random: list[bytes]) -> None:
    ends = bytes.maketrans(b"\t\n\r />\0<", b"aaaaaaaa")
    written = [name.translate(ends) for name in random]
    joined = b"".join(b"<" + name + b" >" for name in written) + bytes(xml_names.LONGEST + 8)
    places = np.cumsum([1] + [len(name) + 3 for name in written[:-1]])
    numbers, names, too_long = xml_names.names_at(joined, places)
    assert [names[number] for number in numbers.tolist()] == [
        name.decode("utf-8", "replace") for name in written
    ]
    assert not len(too_long)


def test_many_names_share_hashes() -> None:
    written = [f"<n{number}/>" for number in range(30_000)]
    document = f"<s>{''.join(written)}</s>".encode()
    assert was_scanned(document)
    assert difference([document]) is None


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=5), max_size=4))
def test_numbered_names_are_the_names(parts: list[list[str]]) -> None:
    flat = [name for part in parts for name in part]
    mixed = [numbered(part)[:] if number % 2 else part for number, part in enumerate(parts)]
    together = joined_names(mixed)
    assert list(together) == flat
    assert [together[at] for at in range(len(together))] == flat
    once = numbered(together)
    assert list(once) == flat
    assert once.distinct == list(dict.fromkeys(name for name in flat if name))
