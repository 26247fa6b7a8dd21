"""The reference of a family of measures, in which what its measures share is said once.

`doxeval measures NAME` explains one measure completely. A page has many of them, one below the
other: what at least half of them have in common comes first, and each measure has the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_FACT = re.compile(r"\*\*(Range|Needs|Edge cases|Laws|Source)\*\* (?:\(checked on [a-z ]+\) )?")
_LABELS = ("Range", "Needs", "Edge cases", "Laws", "Source")
_SHARED = "### What they share\n\nWhere a measure below says nothing else:\n\n"


@dataclass
class Entry:
    """A measure: its name, what is above its facts, and these facts, each by its label."""

    name: str
    above: list[str] = field(default_factory=list)
    default: str = ""
    parameters: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    example: str = ""
    files: str = ""


def reference_of(explained: str) -> str:
    """Return the explanations of several measures without what they repeat."""
    entries = [_entry(text) for text in re.split(r"^(?=### )", explained, flags=re.MULTILINE)[1:]]
    if len(entries) == 1:
        return explained.strip("\n") + "\n"
    facts = {label: _common(entry.facts.get(label, "") for entry in entries) for label in _LABELS}
    facts = {label: text for label, text in facts.items() if text}
    parameters = _common_parameters(entries)
    shared = [f"**{label}** {text}" for label, text in facts.items()]
    if parameters:
        shared.append("**Parameters**\n\n" + "\n".join(parameters))
    parts = [_SHARED + "\n\n".join(shared)] if shared else []
    parts += [
        _shortened(entry, entries[:place], facts, parameters) for place, entry in enumerate(entries)
    ]
    return "\n\n".join(parts) + "\n"


def _entry(text: str) -> Entry:
    """Parse what `explain_measure` has written."""
    entry = Entry(text[4 : text.index(":")])
    blocks = iter(text.strip("\n").split("\n\n"))
    for block in blocks:
        if found := _FACT.match(block):
            entry.facts[found[1]] = block[found.end() :]
        elif block == "**Parameters**":
            entry.parameters = next(blocks).split("\n")
        elif block.startswith("**By default**"):
            entry.default = block
        elif block.startswith("**Example**"):
            entry.example, entry.files = block, "\n\n".join(blocks)
        else:
            entry.above.append(block)
    return entry


def _common(texts: Iterable[str]) -> str:
    """Return the text that at least half of the measures have, and more than one; or nothing."""
    counts = Counter(texts)
    text, times = counts.most_common(1)[0]
    return text if times > 1 and 2 * times >= counts.total() else ""


def _common_parameters(entries: Sequence[Entry]) -> list[str]:
    """Return the lines that several measures have, of each parameter the most frequent one."""
    counts = Counter(line for entry in entries for line in entry.parameters)
    most: dict[str, str] = {}
    for line, times in counts.most_common():
        if times > 1:
            most.setdefault(_parameter(line), line)
    return [line for line in counts if line in most.values()]


def _parameter(line: str) -> str:
    """Return the name of a parameter as the line about it begins: `@k`, `[x]` or `base`."""
    return line.split("`")[1]


def _shortened(
    entry: Entry, earlier: Sequence[Entry], facts: dict[str, str], parameters: list[str]
) -> str:
    parts = [*entry.above, entry.default, _parameters(entry, parameters)]
    for label in _LABELS:
        text = entry.facts.get(label, "")
        if text != facts.get(label, ""):
            known = [(other.name, other.facts.get(label, "")) for other in earlier]
            parts.append(f"**{label}** {_as_before(text, known, facts.get(label, ''))}")
    parts += _example(entry, earlier)
    return "\n\n".join(part for part in parts if part)


def _parameters(entry: Entry, shared: list[str]) -> str:
    """Return what is not among the shared parameters, or is, but not in the default name."""
    others = [line for line in entry.parameters if line not in shared]
    names = [f"`{_parameter(line)}`" for line in entry.parameters if line in shared]
    hidden = [name for name in names if not _is_shown(name.strip("`"), entry.default)]
    above = f" as above{', with ' if hidden else ''}{', '.join(hidden)}" if names else ""
    if others:
        return f"**Parameters**{above}{'; and' if above else ''}\n\n" + "\n".join(others)
    return f"**Parameters**{above}." if hidden else ""


def _is_shown(parameter: str, default: str) -> bool:
    return parameter[0] in default if parameter[0] in "@[" else f"{parameter}=" in default


def _as_before(text: str, known: list[tuple[str, str]], shared: str) -> str:
    """Return a fact that begins or is as one of an earlier measure by the name of that measure."""
    if not text:
        return "none of those above."
    if shared and text.startswith(shared):
        return "as above. " + text[len(shared) :].strip()
    for name, other in sorted(known, key=lambda pair: -len(pair[1])):
        if len(other) > 60 and text.startswith(other):
            return f"as for `{name}`. {text[len(other) :].strip()}".strip()
    return text


def _example(entry: Entry, earlier: Sequence[Entry]) -> list[str]:
    """Return the example; sentences and files that an earlier one has are not repeated."""
    first = next((other for other in earlier if other.files == entry.files), None)
    if first is None or not entry.files:
        return [entry.example, entry.files]
    value, _, why = entry.example.partition(". ")
    known = re.split(r"(?<=\.) ", first.example.partition(". ")[2])
    new = " ".join(part for part in re.split(r"(?<=\.) ", why) if part not in known)
    return [f"{value}, with the files of `{first.name}`. {new}".strip()]
