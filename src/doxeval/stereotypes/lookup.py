"""Systems by name, and systems of users: functions, those of files, and those of packages.

A user's system is a function from a `Situation` to the elements that it returns, best first, each
with a score; a `System` also says what it is in words, and may return whole documents. Packages
offer them under the entry-point group `doxeval.systems`, by the name of the entry point. They are
looked for only when a name is not built in. A system of a file is named with the file:
`my.py:forgetful`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

from doxeval.errors import DoxevalError, InputError, SyntaxProblem
from doxeval.messages import escape, quoted, suggestion
from doxeval.named import attribute_of_file, name_in_file
from doxeval.stereotypes.systems import SYSTEMS, RankedElements, Situation, System

ENTRY_POINTS = "doxeval.systems"
# A name is that of the run, and of its file.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def system_named(name: str) -> System:
    """Return the system with this name: built in, of a package, or of a file, FILE.py:NAME.

    >>> system_named("ancestors").title
    'ideal units, each after all its ancestors, root first'
    >>> system_named("ancestor")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no simulated system 'ancestor'; did you mean ancestors?
    """
    if name in SYSTEMS:
        return SYSTEMS[name]
    in_file = name_in_file(name)
    if in_file is not None:
        given = attribute_of_file(in_file)
        try:
            return _checked(given)
        except InputError as error:
            raise InputError(error.message, in_file.file) from None
    offered = _offered()
    if name in offered:
        return _loaded(offered[name])
    known = [*SYSTEMS, *offered]
    raise SyntaxProblem(f"no simulated system {quoted(name)}{suggestion(name, known)}")


def as_system(given: str | System | Callable[[Situation], RankedElements]) -> System:
    """Return a system given by name, as such, or as a function, whose name it then has.

    >>> def forgetful(situation):
    ...     '''Return every other ideal unit.'''
    ...     return situation.ideal.rows(slice(None, None, 2))
    >>> system = as_system(forgetful)
    >>> system.name, system.title, system.kind.name
    ('forgetful', 'Return every other ideal unit', 'ELEMENT')
    """
    return system_named(given) if isinstance(given, str) else _checked(given)


def _checked(given: Any) -> System:
    """Return a system, or a function as one; anything else is an error."""
    if isinstance(given, System):
        system = given
    elif callable(given) and not isinstance(given, type):
        name = getattr(given, "__name__", type(given).__name__)
        title = (getattr(given, "__doc__", None) or name).strip().split("\n")[0].rstrip(".")
        system = System(name, title, given)
    else:
        raise InputError(
            f"{quoted(given)} is not a simulated system: expected a function of a Situation, or a "
            "System"
        )
    if not _NAME.fullmatch(system.name):
        raise InputError(
            f"a simulated system has the name {quoted(system.name)}: expected letters, digits, - "
            'and _; give it one by System("name", "what it returns", function)'
        )
    return system


def _offered() -> dict[str, EntryPoint]:
    """Return the systems that installed packages offer, by name; none of them is loaded."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def _loaded(entry: EntryPoint) -> System:
    where = f"the entry point {entry.name} = {entry.value}"
    try:
        loaded: Any = entry.load()
    except Exception as error:  # a broken package raises anything
        reason = escape(f"{type(error).__name__}: {error}")
        raise InputError(f"{where} cannot be loaded: {reason}") from error
    try:
        return replace(_checked(loaded), name=entry.name)
    except DoxevalError as error:
        raise InputError(f"{where}: {error}") from None
