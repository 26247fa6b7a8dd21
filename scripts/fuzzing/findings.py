"""What was found: its kind, so that it is told once, and files that show it again."""

from __future__ import annotations

import hashlib
import re
import traceback
from dataclasses import dataclass
from pathlib import Path

import doxeval
from fuzzing.target import Broken

_ROOT = Path(doxeval.__file__).parent
_DETAIL = re.compile(r"0x[0-9a-f]+|[0-9]+|'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True)
class Finding:
    """An input that ends in something that should not happen.

    kind: equal for findings that have one cause, as far as can be told. details: a traceback,
    or what was measured.
    """

    target: str
    kind: str
    details: str
    data: bytes

    @property
    def is_about_limits(self) -> bool:
        """Whether it is about time or memory, so that trying it again would take long."""
        return self.kind.startswith(("TooSlow", "TooLarge", "MemoryError", "died", "hangs"))

    def saved(self, directory: Path, suffix: str) -> Path:
        """Write the input to a file, in a directory that has the name of its target."""
        place = directory / self.target
        place.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(self.kind.encode()).hexdigest()[:8]
        path = place / f"{re.sub(r'[^A-Za-z]+', '-', self.kind)[:40].strip('-')}-{digest}{suffix}"
        path.write_bytes(self.data)
        return path


def finding_of(target: str, error: BaseException, data: bytes) -> Finding:
    """The finding that an exception is."""
    details = "".join(traceback.format_exception(error))
    if isinstance(error, Broken):
        return Finding(target, f"{target}: {_DETAIL.sub('', str(error))}", details, data)
    kind = type(error).__name__
    return Finding(target, f"{kind} {_place(error)}", details, data)


def _place(error: BaseException) -> str:
    """The innermost line of doxeval in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(_ROOT)]
    if not own:
        return "outside of doxeval"
    return f"{Path(own[-1].filename).relative_to(_ROOT)}:{own[-1].lineno} in {own[-1].name}"
