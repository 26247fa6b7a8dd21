"""Classes of named values by name, and names to values: `nxCG@10(base=full)` is parsed.

A registry knows classes that are built in, registered, or offered by installed packages. Built-in
classes are looked through in order and only as far as needed, so that modules can be loaded one by
one. Entry points of packages are looked for only when a name is not built in, or all are listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cached_property
from types import MappingProxyType, ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from doxeval.errors import DoxevalError, InputError, SyntaxProblem
from doxeval.messages import quoted, suggestion
from doxeval.named.python_file import NameInFile, module_of_file
from doxeval.named.value import Named, from_text, signed_parameter

NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_IN_BRACKETS = r"(?:[^()]|(?<=[a-z])\([^()]*\))*"
_NAME_WITH_PARAMETERS = re.compile(
    rf"(?P<name>{NAME.pattern})"
    rf"(?:\((?P<first>{_IN_BRACKETS})\))?"  # AP(rel=2)@10, as ir_measures writes it
    r"(?:@(?P<cut>[^\[\](),=@]*))?"
    r"(?:\[(?P<point>[^\[\](),=@]*)\])?"
    rf"(?:\((?P<last>{_IN_BRACKETS})\))?"
)
_LONGEST_QUOTE = 80  # characters of a wrong name in an error
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
        _check_class(kind, self._base)
        known = self._registered.get(kind.name)
        # The same class comes again when its module, or a cell of a notebook, is run again.
        if self._is_built_in(kind.name) or (
            known is not None and _full_name(known) != _full_name(kind)
        ):
            raise InputError(
                f"there is a {self._noun.word} {quoted(kind.name)} already; choose another name"
            )
        self._registered[kind.name] = kind  # type: ignore[assignment]
        return kind

    def _is_built_in(self, name: str) -> bool:
        return any(name == kind.name for kind in self._built_in())

    def unregister(self, name: str) -> None:
        """Forget a registered class."""
        del self._registered[name]

    def named(self, text: str) -> V:
        """Return the value of a name."""
        return parse(text, self, self._noun)

    def named_in_file(self, in_file: NameInFile) -> V:
        """Return the value of a name in a user's file of Python, which is run.

        Its class is registered, so that the printed names of its values parse back.
        """
        kinds = _KindsOfFile(in_file.file, self._base, self._noun)
        value = parse(in_file.name, kinds, self._noun)
        try:
            self.register(type(value))
        except InputError as error:
            raise InputError(error.message, in_file.file) from None
        return value

    def value_of(self, given: str | V | type[V]) -> V:
        """Return the value given as such, as a name, or as a class, which means its defaults."""
        if isinstance(given, str):
            return self.named(given)
        if isinstance(given, type) and issubclass(given, self._base):
            _check_class(given, self._base)
            given = given()
        if not isinstance(given, self._base):
            raise InputError(
                f"{quoted(given)} is not a {self._noun.word}: "
                f"expected a name such as {self._noun.sample!r} or a value"
            )
        _check_class(type(given), self._base)
        return given


def defined_in(module: ModuleType, base: type[V]) -> tuple[type[V], ...]:
    """Return the subclasses of `base` with their own name that a module defines, in order."""
    return tuple(
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, base)
        and kind.__module__ == module.__name__
        and "name" in vars(kind)
    )


class _KindsOfFile(Mapping[str, type[V]]):
    """The classes below `base` that a user's file of Python defines, by their names."""

    def __init__(self, file: str, base: type[V], noun: Noun) -> None:
        self._module, self._file = module_of_file(file), file
        self._base, self._noun = base, noun
        self._kinds = {kind.name: kind for kind in defined_in(self._module, base)}

    def __getitem__(self, name: str) -> type[V]:
        word, base = self._noun.word, f"doxeval.{self._base.__name__}"
        if name in self._kinds:
            _check_class(self._kinds[name], self._base, name, self._file)
            return self._kinds[name]
        given = getattr(self._module, name, None)
        if given is None:
            hint = suggestion(name, self._kinds)
            raise InputError(f"no {word} {quoted(name)} in the file{hint}", self._file)
        if isinstance(given, type) and issubclass(given, self._base):
            written = quoted(getattr(given, "name", None))
            message = f"the {word} of the class {name} has the name {written}: expected that one"
            raise InputError(message, self._file)
        raise InputError(f"{name} is not a {word}: expected a subclass of {base}", self._file)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def _full_name(kind: type[Named]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _check_class(
    kind: Any, base: type[Named], full_name: str = "", file: str | None = None
) -> None:
    """Raise an error unless the class can be used."""
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise InputError(f"{quoted(kind)} is not a subclass of doxeval.{base.__name__}")
    full_name = full_name or _full_name(kind)
    if not NAME.fullmatch(getattr(kind, "name", "")):
        expected = f'name = "My{base.__name__}"'
        raise InputError(f"{full_name} needs a name of letters and digits: {expected}", file)
    if not is_dataclass(kind) or any(isinstance(value, Field) for value in vars(kind).values()):
        raise InputError(f"{full_name} needs the decorator @dataclass(frozen=True)", file)


# Names


class Noun(NamedTuple):
    """What messages call values of one kind, and how their names are written.

    elsewhere: what people call such things in other programs, and what comes nearest here.
    """

    word: str
    forms: str
    sample: str
    elsewhere: Mapping[str, str] = MappingProxyType({})


def parse(text: str, known: Mapping[str, type[V]], noun: Noun) -> V:
    """Return the value of a name, given all classes there are.

    >>> from dataclasses import dataclass
    >>> from doxeval.named import parameter
    >>> @dataclass(frozen=True)
    ... class Fog(Named):
    ...     name = "fog"
    ...     density: float = parameter(0.5, "how thick it is")
    >>> weather = Noun("weather", "NAME or NAME(key=value,…)", "fog", {"mist": "fog is thicker"})
    >>> str(parse("fog(density=.70)", {"fog": Fog}, weather))
    'fog(density=0.7)'
    >>> parse("forg", {"fog": Fog}, weather)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no weather 'forg'; did you mean fog?
    >>> parse("mist", {"fog": Fog}, weather)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no weather 'mist': fog is thicker
    """
    match = _NAME_WITH_PARAMETERS.fullmatch("".join(text.split()))
    if len(text) > _LONGEST_QUOTE:
        text = f"{text[:_LONGEST_QUOTE]}…"
    if match is None or (match["first"] is not None and match["last"] is not None):
        raise SyntaxProblem(f"{quoted(text)} is not a {noun.word}: expected {noun.forms}")
    kind = known.get(match["name"])
    if kind is None:
        name = match["name"][:_LONGEST_QUOTE]
        raise SyntaxProblem(f"no {noun.word} {quoted(name)}{_hint(name, known, noun.elsewhere)}")
    try:
        return kind(**_values(kind, match))
    except SyntaxProblem as error:
        raise SyntaxProblem(f"{text}: {error.message.removeprefix(f'{kind.name}: ')}") from None
    except ValueError as error:
        raise SyntaxProblem(f"{text}: {error}") from None


def _values(kind: type[Named], match: re.Match[str]) -> dict[str, Any]:
    """Return the values of the parameters that a name gives."""
    values: dict[str, Any] = {}
    for sign, given in (("@", match["cut"]), ("[", match["point"])):
        if given is not None:
            spec = signed_parameter(kind, sign)
            values[spec.name] = from_text(spec, given)
    named = {spec.name: spec for spec in fields(kind) if "sign" not in spec.metadata}
    in_brackets = match["first"] or match["last"]
    for item in in_brackets.split(",") if in_brackets else ():
        name, equals, given = item.partition("=")
        if not equals or not given:
            raise SyntaxProblem(f"{quoted(item)} is not a parameter: expected key=value")
        if not named:
            raise SyntaxProblem(f"{kind.name} has no parameters")
        if name not in named:
            hint = suggestion(name, named)
            raise SyntaxProblem(f"{kind.name} has no parameter {quoted(name)}{hint}")
        if name in values:
            raise SyntaxProblem(f"{name} is given twice")
        values[name] = from_text(named[name], given)
    return values


def _hint(wrong: str, known: Mapping[str, type[Named]], elsewhere: Mapping[str, str]) -> str:
    """Return what a wrong name may mean: another program's name, or a typing error."""
    by_case = {name.lower(): name for name in known}
    if wrong.lower() in by_case:
        return f"; did you mean {by_case[wrong.lower()]}?"
    name = wrong.lower().rstrip("0123456789")
    cut_off, name = wrong[len(name) :], name.rstrip("_")  # trec_eval writes P_10
    if cut_off and name in by_case:
        parameters = fields(known[by_case[name]])
        if any(spec.metadata.get("sign") == "@" for spec in parameters):
            return f"; did you mean {by_case[name]}@{cut_off}?"
    nearest = elsewhere.get(wrong.lower()) or elsewhere.get(name)
    return f": {nearest}" if nearest else suggestion(wrong, known)


# Classes of other packages


class _Offered(NamedTuple, Generic[V]):
    """The classes that installed packages offer, and what is wrong with some."""

    kinds: dict[str, type[V]]
    problems: tuple[str, ...]


def _offered_by_packages(group: str, base: type[V]) -> _Offered[V]:
    """Return the classes below `base` of all entry points of a group.

    An entry point is a class, a module that defines some, or a list of classes.
    """
    from importlib.metadata import entry_points

    kinds: dict[str, type[V]] = {}
    problems = []
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        try:
            loaded = entry.load()
            if isinstance(loaded, ModuleType):
                loaded = defined_in(loaded, base)
            for kind in loaded if isinstance(loaded, list | tuple) else (loaded,):
                _check_class(kind, base)
                kinds.setdefault(kind.name, kind)
        except DoxevalError as error:
            problems.append(f"the entry point {entry.name} = {entry.value}: {error}")
        except Exception as error:  # a broken package must not stop ours
            problems.append(
                f"the entry point {entry.name} = {entry.value} cannot be loaded: "
                f"{type(error).__name__}: {error}"
            )
    return _Offered(kinds, tuple(problems))
