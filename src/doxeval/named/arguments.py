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
from functools import cache, wraps
from itertools import islice
from numbers import Real
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Any,
    Literal,
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
_WORDS: dict[Any, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
    os.PathLike: "a path",
    bytes: "a path",
    type: "a class",
}


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
    return lambda function: _checked(function, frozenset(names))


def _checked(function: Callable[_P, _R], unchecked: frozenset[str]) -> Callable[_P, _R]:
    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        signature, kinds = _expected(function)
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            given = {}  # Python's own error about missing and unknown arguments is clear
        for name, kind in kinds.items():
            if name in given and name not in unchecked and not _fits(given[name], kind):
                *others, last = _words(kind)
                expected = f"{', '.join(others)} or {last}" if others else last
                raise InputError(f"{name} is {quoted(given[name])}: expected {expected}")
        return function(*args, **kwargs)

    return call


@cache
def _expected(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    """Return the signature, and for each parameter what it may be."""
    signature = inspect.signature(function)
    names = _Names(function.__globals__)
    return signature, {
        name: _evaluated(parameter.annotation, names)
        for name, parameter in signature.parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and parameter.annotation is not parameter.empty
    }


class _Names(dict[str, Any]):
    """The names that annotations of a module know; others are anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _evaluated(annotation: Any, names: _Names) -> Any:
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(holder, {}, names)["it"]
    except TypeError:  # parameters of what is not known here
        return Any


def _fits(value: Any, kind: Any) -> bool:
    origin: Any = get_origin(kind) or kind
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(kind))
    if origin is Literal:
        return type(value) in set(map(type, get_args(kind)))
    if not isinstance(origin, type) or origin is Any or origin is object:
        return True
    if origin is int:
        return hasattr(type(value), "__index__")
    if origin is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if origin is bool:
        return isinstance(value, bool | int) or type(value).__name__ in ("bool", "bool_")
    if origin is _FUNCTION:
        return callable(value)
    if getattr(origin, "_is_protocol", False) and not origin.__module__.startswith("collections"):
        return all(hasattr(type(value), name) for name in vars(origin) if _is_member(name))
    fits = isinstance(value, origin) and (origin is bytes or not isinstance(value, bytes))
    if not fits or not _is_list(origin):
        return fits
    items = get_args(kind)
    if origin is tuple and items and Ellipsis not in items:
        return len(value) == len(items) and all(map(_fits, value, items))
    return _begins_with(value, items)


def _is_list(origin: Any) -> bool:
    return origin in (list, tuple, set, frozenset) or (
        origin.__module__ == Iterable.__module__ and not issubclass(origin, Mapping)
    )


def _begins_with(value: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether the first item is of the right kind, if looking at it costs nothing."""
    if hasattr(type(value), "columns") and hasattr(type(value), "__getitem__"):
        return False  # a data frame, whose items are the names of its columns
    if not kinds or not hasattr(value, "__len__"):  # iterators have none
        return True
    if isinstance(value, Sequence):  # some make their items one by one, but all when iterated
        return not len(value) or _fits(value[0], kinds[0])
    return all(_fits(item, kinds[0]) for item in islice(value, 1))


def _is_member(name: str) -> bool:
    return not name.startswith("_") or name == "__getitem__"


def _words(kind: Any) -> list[str]:
    """Return what may be given, in words; a path stands for its string too."""
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        words = [word for one in get_args(kind) for word in _words(one)]
        return list(dict.fromkeys(w for w in words if w != "a string" or "a path" not in words))
    if origin is Literal:
        return [repr(choice) for choice in get_args(kind)]
    if not isinstance(origin, type) or origin is Any or origin is object:
        return ["anything"]
    if origin in _WORDS:
        return [_WORDS[origin]]
    if origin is _FUNCTION:
        return ["a function"]
    if issubclass(origin, Mapping):
        return ["a dict"]
    if getattr(origin, "_is_protocol", False) and hasattr(origin, "columns"):
        return ["a data frame"]
    if _is_list(origin):
        items = [word.partition(" (")[0] for item in get_args(kind)[:1] for word in _words(item)]
        return [f"a list (of {', '.join(items)})" if items else "a list"]
    article = "an" if origin.__name__[0] in "AEIOU" else "a"
    return [f"{article} {origin.__name__}"]
