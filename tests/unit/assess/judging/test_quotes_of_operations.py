"""Quotes are compared code point by code point with the text at their place."""

from __future__ import annotations

import hashlib

import pytest

from doxeval.assess.judging import Article, Operation, QuoteMismatch, check_quote
from doxeval.documents import example_collection

TEXT = "𝔸b e\u0301 שלום\r\nend" + "x" * 5000


@pytest.fixture(scope="module")
def article() -> Article:
    source = f"<p>{TEXT.replace(chr(13), '&#13;')}</p>"
    article = Article.of(example_collection({"a": source}), "a")
    assert article.text == TEXT
    return article


def quoting(start: int, end: int, quote: str | None, kind: str = "highlight") -> Operation:
    return Operation("1", 0, kind, start=start, end=end if kind != "bep" else None, quote=quote)


def hashed(start: int, end: int, text: str, length: int | None = None) -> Operation:
    digest = hashlib.sha256(text.encode()).hexdigest()
    size = len(text) if length is None else length
    return Operation(
        "1", 0, "highlight", start=start, end=end, quote_length=size, quote_sha256=digest
    )


@pytest.mark.parametrize(("start", "end"), [(0, 1), (0, 5), (3, 5), (6, 10), (10, 12), (0, 0)])
def test_the_exact_text_passes(article: Article, start: int, end: int) -> None:
    check_quote(quoting(start, end, TEXT[start:end]), article)
    check_quote(hashed(start, end, TEXT[start:end]), article)


@pytest.mark.parametrize(
    "operation",
    [
        quoting(0, 2, "𝔸"),
        quoting(3, 5, "\u00e9"),  # the same letter, but another sequence of code points
        quoting(10, 12, "\n"),
        quoting(2, 6, "b e\u0301"),
        quoting(len(TEXT) - 1, len(TEXT) + 1, "x"),
        quoting(5, 3, ""),
        hashed(0, 4, TEXT[1:5]),
        hashed(0, 4, TEXT[:4], length=5),
        quoting(0, 0, TEXT[:31], "bep"),
        quoting(0, 0, TEXT[:33], "bep"),
        quoting(1, 0, TEXT[:32], "bep"),
        quoting(len(TEXT) + 1, 0, "", "bep"),
    ],
)
def test_any_other_text_is_a_mismatch(article: Article, operation: Operation) -> None:
    with pytest.raises(QuoteMismatch):
        check_quote(operation, article)


def test_a_best_entry_point_quotes_up_to_32_characters(article: Article) -> None:
    check_quote(quoting(0, 0, TEXT[:32], "bep"), article)
    check_quote(quoting(len(TEXT) - 3, 0, "xxx", "bep"), article)


def test_operations_without_a_place_pass(article: Article) -> None:
    check_quote(Operation("1", 0, "validate"), article)
