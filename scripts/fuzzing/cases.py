"""A call of the command line as one piece of data: its arguments and the files it finds.

    {"arguments": ["topics", "t.xml"], "files": {"t.xml": "<inex_topic/>"}, "charset": "utf-8"}

Bytes that are not UTF-8 are kept as Python keeps them in arguments, as surrogates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fuzzing.shrinking import shorter


@dataclass(frozen=True)
class Case:
    """A call: arguments, files by name, and the encoding of the terminal."""

    arguments: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    charset: str = "utf-8"

    def to_bytes(self) -> bytes:
        """The case as JSON, without the files that no argument names."""
        named = {name: data for name, data in self.files.items() if self.names(name)}
        value = {
            "arguments": self.arguments,
            "files": {_text(name.encode(*_ESCAPED)): _text(data) for name, data in named.items()},
        }
        if self.charset != "utf-8":
            value["charset"] = self.charset
        return json.dumps(value, indent=1).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Case:
        """The case that was written as JSON.

        >>> Case.from_bytes(Case(("nexi", "a"), {}).to_bytes())
        Case(arguments=('nexi', 'a'), files={}, charset='utf-8')
        """
        value = json.loads(data)
        files = {name: text.encode(*_ESCAPED) for name, text in value["files"].items()}
        return cls(tuple(value["arguments"]), files, value.get("charset", "utf-8"))

    def names(self, file: str) -> bool:
        """Whether an argument names a file."""
        return any(file in argument for argument in self.arguments)

    def simpler(self) -> Iterator[Case]:
        """The case with less in it."""
        for at in range(len(self.arguments)):
            yield replace(self, arguments=self.arguments[:at] + self.arguments[at + 1 :])
        for name, data in self.files.items():
            for less in shorter(data):
                yield replace(self, files={**self.files, name: less})
        for at, argument in enumerate(self.arguments):
            for less in shorter(argument.encode(*_ESCAPED)):
                changed = (*self.arguments[:at], _text(less), *self.arguments[at + 1 :])
                yield replace(self, arguments=changed)


_ESCAPED = ("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode(*_ESCAPED)
