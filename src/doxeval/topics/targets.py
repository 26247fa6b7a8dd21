"""The target of a topic: the path of the elements that its structured query asks for.

A castitle has it as the path of the whole query. CAS titles of 2002 name target elements instead,
`<te>tig</te>`: tags or paths (`bdy/sec`, `article//sec`), several of them separated by commas. They
may stand anywhere in a document unless they begin with `/`. Here they become path patterns, too.
"""

from __future__ import annotations

import re

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted, truncate
from doxeval.topics.nexi import NexiError, parse_structured
from doxeval.topics.topic import Topic

_NAME = r"(?:\*|[^\W\d][\w.:-]*)"
_TARGET_ELEMENT = re.compile(rf"(?://?)?{_NAME}(?://?{_NAME})*")


def target_of(topic: Topic) -> str | None:
    """The path patterns of a topic's target, joined by commas; None if it names no target.

    >>> target_of(Topic("231", castitle="//article[about(., tides)]//(sec|p)"))
    '//article//(sec|p)'
    >>> target_of(Topic("05", cas_parts=(("te", "tig, fm/au"), ("cw", "QBIC"))))
    '//tig, //fm/au'
    >>> target_of(Topic("91", title="tides"))
    """
    if topic.structured is not None:
        try:
            return str(parse_structured(topic.structured).target)
        except NexiError as error:
            raise _problem(topic, str(error)) from None
    named = [
        name.strip()
        for kind, text in topic.cas_parts
        if kind == "te"
        for name in re.split("[,|]", text)
    ]
    return ", ".join(_pattern(name, topic) for name in named) or None


def _pattern(name: str, topic: Topic) -> str:
    if not _TARGET_ELEMENT.fullmatch(name):
        raise _problem(
            topic, f"target element {quoted(name)}: expected a tag or a path such as bdy/sec"
        )
    return name if name.startswith("/") else f"//{name}"


def _problem(topic: Topic, reason: str) -> SyntaxProblem:
    return SyntaxProblem(
        f"the query of topic {truncate(topic.id)}: {reason}", topic.origin, topic.line
    )
