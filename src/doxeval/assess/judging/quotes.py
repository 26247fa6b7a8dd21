"""Whether the text at an operation's place is the text that the assessor saw there."""

from __future__ import annotations

import hashlib

from doxeval.assess.judging.article import Article
from doxeval.assess.judging.operations import Operation
from doxeval.assess.judging.refusals import QuoteMismatch

# How much text after a best entry point is quoted.
BEP_QUOTE = 32


def check_quote(operation: Operation, article: Article) -> None:
    """Raise QuoteMismatch unless the article has the quoted text exactly there.

    Operations that carry no place pass.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low tide.</p>"}), "a")
    >>> check_quote(Operation("1", 0, "highlight", start=4, end=8, quote="tide"), article)
    >>> check_quote(Operation("1", 0, "highlight", start=3, end=7, quote="tide"), article)
    Traceback (most recent call last):
        ...
    doxeval.assess.judging.refusals.QuoteMismatch: text 3 to 7 is not what was quoted
    """
    if operation.start is None:
        return
    start, length = operation.start, len(article.text)
    end = min(start + BEP_QUOTE, length) if operation.kind == "bep" else operation.end
    if end is None or end > length or start > end:
        raise QuoteMismatch(f"the document has {length:,} characters, and {end} is beyond them")
    if not _is_quoted(article.text[start:end], operation):
        raise QuoteMismatch(f"text {start:,} to {end:,} is not what was quoted")


def _is_quoted(text: str, operation: Operation) -> bool:
    if operation.quote is not None:
        return text == operation.quote
    return (
        len(text) == operation.quote_length
        and hashlib.sha256(text.encode()).hexdigest() == operation.quote_sha256
    )
