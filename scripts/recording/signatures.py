"""What programs can call: the public names of `doxeval` and of its rooms, and all options."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import click

import doxeval
from doxeval.cli import main
from doxeval.measures import MEASURES
from recording.plain import in_order


def record_signatures() -> dict[str, str]:
    """Return the record of all public names, a file for each room, and of the command line."""
    record = {"signatures/doxeval.txt": _module(doxeval)}
    for room in pkgutil.iter_modules(doxeval.__path__):
        if room.name.startswith("_") or room.name == "pytest_plugin":
            continue
        module = import_module(f"doxeval.{room.name}")
        if hasattr(module, "__all__"):
            record[f"signatures/{room.name}.txt"] = _module(module)
    record["signatures/command-line.txt"] = "\n".join(_commands(main, "doxeval"))
    return record


def _module(module: ModuleType) -> str:
    """Return the public names of a module, one block each."""
    measures = MEASURES if module.__name__ == "doxeval.measures" else ()
    names = sorted({*module.__all__, *measures} - {"__version__"})
    return "\n".join(
        f"$ {module.__name__}.{name}\n{_value(getattr(module, name))}" for name in names
    )


def _value(value: Any) -> str:
    """Return the kind and the signature of a value, with the members of a class."""
    if inspect.isclass(value):
        return "\n".join(_class(value)) + "\n"
    if inspect.ismodule(value):
        return f"module {value.__name__}\n"
    if callable(value) and hasattr(value, "__name__"):
        return f"function {_signature(value)}\n"
    if isinstance(value, Mapping):
        return f"mapping of {', '.join(map(str, value))}\n"
    if isinstance(value, str | int | float | tuple | frozenset) or value is None:
        shown = sorted(map(str, value)) if isinstance(value, frozenset) else value
        return f"value {_plain(repr(shown))}\n"
    kind = type(value)
    return f"value {_plain(str(value))} of class {kind.__name__}{_signature(kind)}\n"


def _class(kind: type) -> Iterator[str]:
    if issubclass(kind, Enum):
        yield f"enumeration {kind.__name__}: {', '.join(kind.__members__)}"
    elif issubclass(kind, BaseException):
        parents = [base.__name__ for base in kind.__mro__[1:] if base is not object]
        yield f"exception {kind.__name__} of {', '.join(parents)}"
    else:
        yield f"class {kind.__name__}{_signature(kind)}"
    for name in sorted(dir(kind)):
        owner = next((base for base in kind.__mro__ if name in vars(base)), object)
        is_ours = owner.__module__.partition(".")[0] == "doxeval"
        if is_ours and (not name.startswith("_") or name in _SPECIAL):
            yield f"  {name}: {_member(inspect.getattr_static(kind, name))}"


_SPECIAL = frozenset(
    "__call__ __contains__ __enter__ __getitem__ __iter__ __len__ __matmul__".split()
)


def _member(value: Any) -> str:
    if isinstance(value, staticmethod | classmethod):
        return f"{type(value).__name__} {_signature(value.__func__)}"
    if isinstance(value, property) or type(value).__name__ == "cached_property":
        getter = value.fget if isinstance(value, property) else value.func
        return f"property -> {getattr(getter, '__annotations__', {}).get('return', '?')}"
    if inspect.isfunction(value):
        return f"method {_signature(value)}"
    if inspect.isdatadescriptor(value):
        return "field"
    return f"attribute {type(value).__name__}"


def _signature(value: Any) -> str:
    try:
        return _plain(str(inspect.signature(value)))
    except (TypeError, ValueError):
        return "(…)"


def _plain(text: str) -> str:
    """Return a text without addresses, and without the rooms in which names happen to live.

    >>> _plain("<object at 0x7f12>, doxeval.runs.run.Run")
    '<object at …>, Run'
    >>> _plain("inline: frozenset = frozenset({'b', 'a'})")
    "inline: frozenset = frozenset({'a', 'b'})"
    """
    text = in_order(text)
    text = re.sub(r"\b(?:doxeval|pathlib|typing|collections)(?:\.[a-z_]+)*\.(?=[A-Z])", "", text)
    return re.sub(r"0x[0-9a-f]+", "…", text)


def _commands(command: click.Command, name: str) -> Iterator[str]:
    """Yield a block for each command: its parameters with all that users see of them."""
    context = click.Context(command)
    yield f"$ {name}"
    for parameter in command.params:
        yield _parameter(parameter)
    yield ""
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            verb = command.get_command(context, child)
            if verb is not None:
                yield from _commands(verb, f"{name} {child}")


def _parameter(parameter: click.Parameter) -> str:
    kind = parameter.type
    shown = "path" if isinstance(kind, click.Path) else _plain(repr(kind))
    if isinstance(kind, click.Choice):
        shown = "|".join(map(str, kind.choices))
    facts = [shown]
    if isinstance(parameter, click.Option):
        default = parameter.show_default if isinstance(parameter.show_default, str) else None
        if default is None and parameter.default not in (None, ()):
            default = None if "UNSET" in repr(parameter.default) else str(parameter.default)
        facts += [f"default {default}"] if default is not None else []
        facts += ["flag"] if parameter.is_flag else []
        facts += ["repeatable"] if parameter.multiple else []
        facts += [f"help: {' '.join((parameter.help or '').split())}"]
    facts[1:1] = ["required"] if parameter.required else []
    facts[1:1] = [f"{parameter.nargs} values"] if parameter.nargs != 1 else []
    facts[1:1] = [f"shown as {parameter.metavar}"] if parameter.metavar else []
    return f"  {' '.join([*parameter.opts, *parameter.secondary_opts])}: {'; '.join(facts)}"


def leaves(command: click.Command, name: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the names of all commands, and whether each is a group."""
    is_group = isinstance(command, click.Group)
    yield name, is_group
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            verb = command.get_command(context, child)
            if verb is not None:
                yield from leaves(verb, f"{name} {child}".strip())
