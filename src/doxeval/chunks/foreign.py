"""Documents of LangChain, LlamaIndex and Haystack, known by their attributes.

None of these libraries is imported: whatever has a text where they have it will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from doxeval.errors import FormatError
from doxeval.messages import quoted


def metadata_of(thing: Any) -> Mapping[str, Any]:
    """What an object says about itself beside its text."""
    for name in ("metadata", "meta"):
        found = getattr(thing, name, None)
        if isinstance(found, Mapping):
            return found
        if found is not None and hasattr(found, "__dict__"):
            return dict(vars(found))
    return {}


def text_of(thing: Any) -> str | None:
    """The text of an object of another library; None if it has none."""
    for name in ("page_content", "text", "content"):
        found = getattr(thing, name, None)
        if isinstance(found, str):
            return found
    get = getattr(thing, "get_content", None)
    if callable(get):
        found = get()
        return found if isinstance(found, str) else None
    return None


def window_of(text: str | None, metadata: Mapping[str, Any]) -> str | None:
    """The window of sentences that is read instead of a sentence, as LlamaIndex has it.

    Its metadata hold the window and the sentence, which is the text until MetadataReplacement puts
    the window in its place. None if there is no window, or if the text is neither of them any more.

    >>> metadata = {"window": "One. Two. Three.", "original_text": "Two. "}
    >>> window_of("Two. ", metadata), window_of("Two", metadata), window_of("Two. ", {})
    ('One. Two. Three.', None, None)
    """
    window, sentence = metadata.get("window"), metadata.get("original_text")
    if text is None or not isinstance(window, str) or not isinstance(sentence, str):
        return None
    return window if text.split() in (sentence.split(), window.split()) else None


def foreign_documents(things: Sequence[Any]) -> Iterable[tuple[str, str]]:
    """The ids and texts of documents that another library has loaded.

    LangChain's have no id of their own as a rule: then the source in their metadata is the id, with
    the page after it if several are of one source.

    >>> from types import SimpleNamespace
    >>> page = SimpleNamespace(page_content="One.", metadata={"source": "faq.pdf", "page": 0})
    >>> foreign_documents([page])
    [('faq.pdf', 'One.')]
    """
    texts = [text_of(thing) for thing in things]
    if None in texts:
        wrong = things[texts.index(None)]
        raise FormatError(f"{quoted(wrong)}: expected a document with its text")
    names = [_name(thing) for thing in things]
    if None in names:
        wrong = things[names.index(None)]
        raise FormatError(f"{quoted(wrong)}: expected an id, or a source in its metadata")
    times = Counter(names)
    ids = [
        name if times[name] == 1 else f"{name}#{metadata_of(thing).get('page', '')}".rstrip("#")
        for name, thing in zip(names, things, strict=True)
    ]
    return [(str(name), text or "") for name, text in zip(ids, texts, strict=True)]


def _name(thing: Any) -> str | None:
    metadata = metadata_of(thing)
    if hasattr(thing, "page_content"):  # LangChain, whose ids are those of a vector store
        found = metadata.get("source") or getattr(thing, "id", None)
    else:
        found = (
            getattr(thing, "id_", None)
            or getattr(thing, "doc_id", None)
            or getattr(thing, "id", None)
        )
    return None if found in (None, "") else str(found)
