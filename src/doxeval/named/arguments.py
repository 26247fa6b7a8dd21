"""Arguments of public functions, compared with their annotations.

Without this, an argument of a wrong type surfaces somewhere inside, as an error of Python's about
something that the caller has never heard of. Only the outermost type is compared: whether it is a
path, a number, a dict, or a value of ours; and of a list, its first item. The rest is checked where
it is read, and so are names of choices. An annotation that names what is imported for type
checkers only accepts anything.
"""

from __future__ import annotations

import builtins
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, wraps
from itertools import islice
from numbers import Real
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from doxeval.errors import InputError
from doxeval.messages import quoted

_P = ParamSpec("_P")
_R = TypeVar("_R")
_FUNCTION: Any = Callable


def checked(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function with arguments that are compared with its annotations.

    >>> @checked
    ... def first(words: str, count: int = 1) -> str:
    ...     return " ".join(words.split()[:count])
    >>> first("fog on the sea", 2)
    'fog on'
    >>> first("fog on the sea", "2")
    Traceback (most recent call last):
    doxeval.errors.InputError: count is '2': expected a whole number
    """
    return checked_but()(function)


def checked_but(*names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return the decorator `checked` for a function that checks the named parameters itself."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            signature = _signature(function)
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:
                _refuse_field_of_option(function, kwargs)
                given = {}  # Python's own error about missing and unknown arguments is clear
            for name, value in given.items():
                if name in names or value is signature.parameters[name].default:
                    continue
                accepted = _accepted_by_parameter(function, name)
                if not accepted.include(value):
                    *others, last = accepted.words
                    expected = f"{', '.join(others)} or {last}" if others else last
                    raise InputError(f"{name} is {quoted(value)}: expected {expected}")
            return function(*args, **kwargs)

        return call

    return decorate


_signature = cache(inspect.signature)  # with an entry for each decorated function


def _refuse_field_of_option(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise a TypeError about an argument that belongs into a value of options."""
    parameters = _signature(function).parameters
    options = {
        name: spec.default for name, spec in parameters.items() if is_dataclass(spec.default)
    }
    for name in given:
        for option, default in options.items():
            if name not in parameters and name in default.__dataclass_fields__:
                called = function.__qualname__.removesuffix(".__init__")
                raise TypeError(
                    f"{called}() has no argument {name!r}; give {option}="
                    f"{type(default).__name__}({name}=…)"
                )


class _Accepted(NamedTuple):
    """The values that an annotation accepts: a predicate, and the same in words."""

    include: Callable[[Any], bool]
    words: tuple[str, ...]


_ANYTHING = _Accepted(lambda value: True, ("anything",))


@cache  # most parameters are hardly ever given, so each is looked at when it is
def _accepted_by_parameter(function: Callable[..., Any], name: str) -> _Accepted:
    """Return what a parameter of a decorated function accepts."""
    parameter = _signature(function).parameters[name]
    is_annotated = parameter.annotation is not parameter.empty
    if not is_annotated or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return _ANYTHING
    return _accepted(_evaluated(parameter.annotation, _KnownNames(function.__globals__)))


class _KnownNames(dict[str, Any]):
    """The names that the annotations of a module can use; unknown ones mean anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _evaluated(annotation: Any, names: _KnownNames) -> Any:
    """Return an annotation as a type; anything, if it has parameters of an unknown name."""
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(holder, {}, names)["it"]
    except TypeError:
        return Any


def _accepted(annotation: Any) -> _Accepted:
    """Return what a type accepts."""
    origin: Any = get_origin(annotation) or annotation
    arguments = get_args(annotation)
    if origin in (Union, UnionType):
        return _accepted_by_union([_accepted(each) for each in arguments])
    if origin is Literal:
        types = set(map(type, arguments))
        return _Accepted(lambda value: type(value) in types, tuple(map(repr, arguments)))
    if not isinstance(origin, type) or origin is Any or origin is object:
        return _ANYTHING
    if origin in _PLAIN_TYPES:
        return _PLAIN_TYPES[origin]
    if origin is _FUNCTION:
        return _Accepted(callable, ("a function",))
    is_own_protocol = getattr(origin, "_is_protocol", False) and not _is_abstract(origin)
    if is_own_protocol:
        members = [name for name in vars(origin) if name[0] != "_" or name == "__getitem__"]
        word = "a data frame" if hasattr(origin, "columns") else _with_article(origin.__name__)
        return _Accepted(lambda value: all(hasattr(type(value), m) for m in members), (word,))
    if issubclass(origin, Mapping):
        return _Accepted(lambda value: isinstance(value, origin), ("a dict",))
    if origin in (list, tuple, set, frozenset) or _is_abstract(origin):
        return _accepted_by_list(origin, [_accepted(each) for each in arguments], arguments)
    return _Accepted(lambda value: _is_instance(value, origin), (_with_article(origin.__name__),))


def _accepted_by_union(options: Sequence[_Accepted]) -> _Accepted:
    """Return what any of the options accepts; a path stands for its string too."""
    words = dict.fromkeys(word for option in options for word in option.words)
    if "a path" in words:
        words.pop("a string", None)
    return _Accepted(lambda value: any(option.include(value) for option in options), tuple(words))


def _accepted_by_list(
    origin: Any, items: Sequence[_Accepted], arguments: Sequence[Any]
) -> _Accepted:
    """Return what a list, tuple, set or iterable accepts, given what its items may be."""
    of = ", ".join(word.partition(" (")[0] for word in items[0].words) if items else ""
    words = (f"a list (of {of})" if of else "a list",)

    def is_tuple(value: Any) -> bool:
        fits = _is_instance(value, origin) and len(value) == len(items)
        return fits and all(item.include(each) for item, each in zip(items, value, strict=True))

    def begins_well(value: Any) -> bool:
        """Return whether the first item fits, if looking at it costs nothing."""
        if not _is_instance(value, origin):
            return False
        if hasattr(type(value), "columns") and hasattr(type(value), "__getitem__"):
            return False  # a data frame, whose items are the names of its columns
        if not items or not hasattr(value, "__len__"):  # iterators have no length
            return True
        if isinstance(value, Sequence):  # some make an item when asked, but all when iterated
            return not len(value) or items[0].include(value[0])
        return all(items[0].include(item) for item in islice(value, 1))

    has_fixed_length = origin is tuple and items and Ellipsis not in arguments
    return _Accepted(is_tuple if has_fixed_length else begins_well, words)


def _is_instance(value: Any, origin: type) -> bool:
    """Return whether a value is of a type; bytes are a sequence, but nobody means them."""
    return isinstance(value, origin) and not isinstance(value, bytes)


def _is_abstract(origin: type) -> bool:
    """Return whether a type is one of collections.abc, such as Iterable."""
    return origin.__module__ == Iterable.__module__


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


_PLAIN_TYPES: dict[Any, _Accepted] = {
    str: _Accepted(lambda value: isinstance(value, str), ("a string",)),
    int: _Accepted(lambda value: hasattr(type(value), "__index__"), ("a whole number",)),
    float: _Accepted(
        lambda value: isinstance(value, Real) and not isinstance(value, bool), ("a number",)
    ),
    # NumPy calls its own truth values bool or bool_.
    bool: _Accepted(
        lambda value: isinstance(value, bool | int) or type(value).__name__ in ("bool", "bool_"),
        ("True or False",),
    ),
    NoneType: _Accepted(lambda value: value is None, ("None",)),
    os.PathLike: _Accepted(lambda value: isinstance(value, os.PathLike), ("a path",)),
    bytes: _Accepted(lambda value: isinstance(value, bytes), ("a path",)),
    type: _Accepted(lambda value: isinstance(value, type), ("a class",)),
}
