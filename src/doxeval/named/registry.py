"""All classes of one kind by name: built in, registered, and offered by installed packages.

Built-in classes are looked through in order and only as far as needed, so that modules can be
loaded one by one. Entry points of packages are looked for only when a name is not built in, or all
are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, is_dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from doxeval.errors import DoxevalError, InputError
from doxeval.messages import quoted
from doxeval.named.names import NAME, Noun, parse
from doxeval.named.value import Named

V = TypeVar("V", bound=Named)
K = TypeVar("K", bound=type[Named])


class Registry(Mapping[str, type[V]]):
    """The classes below `base` by name.

    built_in: gives the classes of doxeval itself, in the order in which they are listed.
    entry_points: the group under which packages offer classes.
    """

    def __init__(
        self,
        base: type[V],
        noun: Noun,
        built_in: Callable[[], Iterable[type[V]]],
        entry_points: str,
    ) -> None:
        self._base = base
        self._noun = noun
        self._built_in = built_in
        self._entry_points = entry_points
        self._registered: dict[str, type[V]] = {}

    def __getitem__(self, name: str) -> type[V]:
        for kind in self._built_in():
            if kind.name == name:
                return kind
        if name in self._registered:
            return self._registered[name]
        if name in self._offered.kinds:
            return self._offered.kinds[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*(kind.name for kind in self._built_in()), *self.added)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def added(self) -> dict[str, type[V]]:
        """The classes that are not built in."""
        return {**self._offered.kinds, **self._registered}

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with classes that installed packages offer."""
        return self._offered.problems

    @cached_property
    def _offered(self) -> _Offered[V]:
        return _offered_by_packages(self._entry_points, self._base)

    def register(self, kind: K) -> K:
        """Make a class known by its name; a built-in one cannot be replaced."""
        _check(kind, self._base)
        known = self._registered.get(kind.name)
        is_built_in = any(kind.name == own.name for own in self._built_in())
        is_same = known is not None and _place(known) == _place(kind)
        if is_built_in or (known is not None and not is_same):
            raise InputError(
                f"there is a {self._noun.word} {quoted(kind.name)} already; choose another name"
            )
        self._registered[kind.name] = kind  # type: ignore[assignment]
        return kind

    def unregister(self, name: str) -> None:
        """Forget a registered class."""
        del self._registered[name]

    def named(self, text: str) -> V:
        """The value of a name."""
        return parse(text, self, self._noun)

    def value_of(self, given: str | V | type[V]) -> V:
        """What was given as a value, as a name, or as a class, which stands for its defaults."""
        if isinstance(given, str):
            return self.named(given)
        if isinstance(given, type) and issubclass(given, self._base):
            _check(given, self._base)
            given = given()
        if not isinstance(given, self._base):
            raise InputError(
                f"{quoted(given)} is not a {self._noun.word}: "
                f"expected a name such as {self._noun.sample!r} or a value"
            )
        _check(type(given), self._base)
        return given


def defined_in(module: ModuleType, base: type[V]) -> tuple[type[V], ...]:
    """The classes below `base` with a name of their own that a module defines, in their order."""
    return tuple(
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, base)
        and kind.__module__ == module.__name__
        and "name" in vars(kind)
    )


def _place(kind: type[Named]) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _check(kind: Any, base: type[Named]) -> None:
    """Whether a class can be used."""
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise InputError(f"{quoted(kind)} is not a subclass of doxeval.{base.__name__}")
    where = f"{kind.__module__}.{kind.__qualname__}"
    if not NAME.fullmatch(getattr(kind, "name", "")):
        raise InputError(f'{where} needs a name of letters and digits: name = "My{base.__name__}"')
    if not is_dataclass(kind) or any(isinstance(value, Field) for value in vars(kind).values()):
        raise InputError(f"{where} needs the decorator @dataclass(frozen=True)")


# Classes of other packages


class _Offered(NamedTuple, Generic[V]):
    """Classes of installed packages, and what is wrong with some."""

    kinds: dict[str, type[V]]
    problems: tuple[str, ...]


def _offered_by_packages(group: str, base: type[V]) -> _Offered[V]:
    from importlib.metadata import entry_points

    found: dict[str, type[V]] = {}
    problems = []
    for entry in sorted(entry_points(group=group), key=lambda one: (one.name, one.value)):
        try:
            for kind in _kinds_of(entry.load(), base):
                _check(kind, base)
                found.setdefault(kind.name, kind)
        except DoxevalError as error:
            problems.append(f"the entry point {entry.name} = {entry.value}: {error}")
        except Exception as error:  # whatever another package does wrong, ours goes on
            problems.append(
                f"the entry point {entry.name} = {entry.value} cannot be loaded: "
                f"{type(error).__name__}: {error}"
            )
    return _Offered(found, tuple(problems))


def _kinds_of(loaded: Any, base: type[V]) -> Iterable[Any]:
    """An entry point names a class, a module that defines some, or a collection of them."""
    if isinstance(loaded, ModuleType):
        return defined_in(loaded, base)
    return loaded if isinstance(loaded, list | tuple) else (loaded,)
