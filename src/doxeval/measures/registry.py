"""All measures there are: the built-in families, those of installed packages, and registered ones.

A family is loaded when one of its measures is looked up, so that a command that needs one family
does not wait for the others. Packages offer measures under the entry-point group
`doxeval.measures`; they are looked for only when a name is not built in, or all are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, is_dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from doxeval.errors import DoxevalError, InputError
from doxeval.measures.base import Measure
from doxeval.measures.names import NAME, parse_measure
from doxeval.wording import brief

ENTRY_POINTS = "doxeval.measures"
M = TypeVar("M", bound=type[Measure])


class Family(NamedTuple):
    """A built-in family of measures; the module of its name explains and computes them.

    A family that is spread over several modules is a package, and lists its `MEMBERS`.
    """

    name: str
    title: str

    @property
    def measures(self) -> tuple[type[Measure], ...]:
        """The measures that its module defines, in their order there."""
        module = import_module(f"doxeval.measures.families.{self.name}")
        listed: tuple[type[Measure], ...] = getattr(module, "MEMBERS", ())
        return listed or _defined_in(module)


FAMILIES = (
    Family("documents", "Documents as units"),
    Family("hixeval", "HiXEval: highlighted characters"),
    Family("in_context", "In context: documents that are pointed into"),
    Family("xcg", "XCG: cumulated gain over elements"),
    Family("inex_eval", "inex_eval: precision at recall over elements"),
    Family("ng", "ng: recall and precision with size and overlap"),
    Family("bepd", "BEPD: nearness to best entry points"),
    Family("prum", "PRUM and EPRUM: users who browse"),
    Family("erru", "ERRU: expected ratio of relevant units"),
    Family("esr", "ESR: hits, misses and near-misses under navigation"),
)


class Registry(Mapping[str, type[Measure]]):
    """The measures by name: built in, registered, and offered by installed packages.

    >>> MEASURES["nxCG"].name, "nxGC" in MEASURES
    ('nxCG', False)
    """

    def __init__(self) -> None:
        self._registered: dict[str, type[Measure]] = {}

    def __getitem__(self, name: str) -> type[Measure]:
        for family in FAMILIES:
            for measure in family.measures:
                if measure.name == name:
                    return measure
        if name in self._registered:
            return self._registered[name]
        if name in self._offered.measures:
            return self._offered.measures[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        built_in = (measure.name for family in FAMILIES for measure in family.measures)
        return iter(dict.fromkeys((*built_in, *self.added)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def added(self) -> dict[str, type[Measure]]:
        """The measures that are not built in."""
        return {**self._offered.measures, **self._registered}

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with measures that installed packages offer."""
        return self._offered.problems

    @cached_property
    def _offered(self) -> _Offered:
        return _offered_by_packages()

    def register(self, kind: M) -> M:
        """Add a measure; see `register`."""
        _check(kind)
        known = self._registered.get(kind.name)
        is_built_in = any(kind.name == own.name for family in FAMILIES for own in family.measures)
        is_same = known is not None and _place(known) == _place(kind)
        if is_built_in or (known is not None and not is_same):
            raise InputError(f"there is a measure {brief(kind.name)} already; choose another name")
        self._registered[kind.name] = kind
        return kind

    def unregister(self, name: str) -> None:
        """Forget a registered measure."""
        del self._registered[name]


MEASURES = Registry()


def register(kind: M) -> M:
    """Make a measure of your own known by its name, as a decorator or by a call.

    Names then work in Python and in other measures' company; the command line finds measures of
    installed packages (entry-point group `doxeval.measures`). A measure need not be registered to
    be used as a value.

    >>> from dataclasses import dataclass
    >>> from doxeval.measures import Measure
    >>> @dataclass(frozen=True)
    ... class Length(Measure):
    ...     '''The number of results.'''
    ...
    ...     name = "DocLength"
    ...
    ...     def scores(self, ranking):
    ...         return ranking.counts.astype(float)
    >>> register(Length) is Length, measure_named("DocLength")
    (True, DocLength)
    >>> MEASURES.unregister("DocLength")
    """
    return MEASURES.register(kind)


def measure_named(text: str) -> Measure:
    """A measure by its name.

    >>> str(measure_named("cP@5"))
    'cP@5(alpha=0,resize=full)'
    """
    return parse_measure(text, MEASURES)


def as_measure(given: str | Measure | type[Measure]) -> Measure:
    """A measure given as a value, as a name, or as a class, which stands for its defaults.

    >>> as_measure("iP[.01]") == as_measure(MEASURES["iP"])
    True
    """
    if isinstance(given, str):
        return measure_named(given)
    if isinstance(given, type) and issubclass(given, Measure):
        _check(given)
        given = given()
    if not isinstance(given, Measure):
        raise InputError(
            f"{brief(given)} is not a measure: expected a name such as 'nxCG@10' or a value"
        )
    _check(type(given))
    return given


# Checks, and measures of other packages


def _defined_in(module: ModuleType) -> tuple[type[Measure], ...]:
    return tuple(
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Measure)
        and kind.__module__ == module.__name__
        and "name" in vars(kind)
    )


def _place(kind: type[Measure]) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _check(kind: Any) -> None:
    """Whether a class can be used as a measure."""
    if not (isinstance(kind, type) and issubclass(kind, Measure)):
        raise InputError(f"{brief(kind)} is not a subclass of doxeval.Measure")
    where = f"{kind.__module__}.{kind.__qualname__}"
    if not NAME.fullmatch(getattr(kind, "name", "")):
        raise InputError(f'{where} needs a name of letters and digits: name = "MyMeasure"')
    if not is_dataclass(kind) or any(isinstance(value, Field) for value in vars(kind).values()):
        raise InputError(f"{where} needs the decorator @dataclass(frozen=True)")


class _Offered(NamedTuple):
    """Measures of installed packages, and what is wrong with some."""

    measures: dict[str, type[Measure]]
    problems: tuple[str, ...]


def _offered_by_packages() -> _Offered:
    from importlib.metadata import entry_points

    found: dict[str, type[Measure]] = {}
    problems = []
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda one: (one.name, one.value)):
        try:
            for kind in _measures_of(entry.load()):
                _check(kind)
                found.setdefault(kind.name, kind)
        except DoxevalError as error:
            problems.append(f"the entry point {entry.name} = {entry.value}: {error}")
        except Exception as error:  # whatever another package does wrong, ours goes on
            problems.append(
                f"the entry point {entry.name} = {entry.value} cannot be loaded: "
                f"{type(error).__name__}: {error}"
            )
    return _Offered(found, tuple(problems))


def _measures_of(loaded: Any) -> Iterable[Any]:
    """An entry point names a measure, a module that defines some, or a collection of them."""
    if isinstance(loaded, ModuleType):
        return _defined_in(loaded)
    return loaded if isinstance(loaded, list | tuple) else (loaded,)
