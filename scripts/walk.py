"""Trace a command of doxeval: which files and functions it walks through, and how deep.

    python scripts/walk.py evaluate my.run -a qrels --collection DIR -m nxCG@10
    python scripts/walk.py --files search DIR --words 'fog horn'
    python scripts/walk.py --order --json walk.json collection build SOURCE --out DIR

The command runs in this process, as `python -m doxeval` would run it. Comprehensions, lambdas, and
the bodies of modules and classes are not counted as functions. Calls that are made while a module
of doxeval is being imported, by decorators for example, are counted apart: a reader of the command
does not meet them. Other processes are not traced; let the command use a single one.
"""

from __future__ import annotations

import argparse
import functools
import inspect
import json
import os
import runpy
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NamedTuple

PACKAGE = "doxeval"
_RESUMABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def main() -> None:
    """Run a command under a tracer, print what it walked through, and exit with its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [--order] [--files] [--show] [--json FILE] VERB …",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--order", action="store_true", help="print the functions in the order of first call"
    )
    parser.add_argument(
        "--files", action="store_true", help="print the files in the order of first call"
    )
    parser.add_argument(
        "--show", action="store_true", help="show the command's own output, on stderr"
    )
    parser.add_argument("--json", metavar="FILE", help="also write all figures to a file")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="VERB …")
    options = parser.parse_args()
    if not options.command:
        parser.print_usage(sys.stderr)
        sys.exit(2)
    before = len(sys.modules)
    walk = Walk()
    with output_of_command(show=options.show) as output:
        exit_code = traced(walk, options.command)
        modules = sorted(sys.modules)
    if exit_code and not options.show:
        sys.stderr.write(output())
    if options.files:
        print(*walk.files(), sep="\n", end="\n\n")
    if options.order:
        print(*order_lines(walk), sep="\n", end="\n\n")
    figures = summary(walk, modules, before)
    print(*summary_lines(figures), sep="\n")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            whole = {"command": options.command, "exit_code": exit_code, **figures}
            json.dump({**whole, "order": order_records(walk)}, file, indent=1)
            file.write("\n")
    sys.exit(exit_code)


# Tracing


@dataclass
class Called:
    """A function that was called: its file below the package, its name, depth and number of calls.

    depth: how many frames of the package were around its first call.
    """

    file: str
    name: str
    depth: int
    calls: int = 0

    @property
    def room(self) -> str:
        """The package or module directly below the package."""
        return self.file.partition("/")[0].removesuffix(".py")


@dataclass
class Walk:
    """The functions that a command called, in the order of their first calls.

    importing: those that were called while modules were being imported. depth: the greatest one.
    """

    called: dict[CodeType, Called] = field(default_factory=dict)
    importing: set[CodeType] = field(default_factory=set)
    depth: int = 0

    def add(self, code: CodeType, file: str, depth: int) -> None:
        """Count a call."""
        function = self.called.get(code)
        if function is None:
            function = self.called[code] = Called(file, code.co_qualname, depth)
        function.calls += 1
        self.depth = max(self.depth, depth)

    @property
    def at_import(self) -> int:
        """The number of functions that were called only while modules were being imported."""
        return len(self.importing - self.called.keys())

    def files(self) -> list[str]:
        """Return the files in the order in which the command first entered them."""
        return list(dict.fromkeys(function.file for function in self.called.values()))


def traced(walk: Walk, command: list[str]) -> int:
    """Run a command as `python -m` would, add its calls to the walk, and return its exit code."""
    tracer = tracer_of(walk)
    arguments, sys.argv = sys.argv, [PACKAGE, *command]
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    try:
        runpy.run_module(PACKAGE, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code + "\n")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        sys.argv = arguments
    return 0


class _Stack(threading.local):
    """How many frames of the package a thread is in, and how many of them import a module."""

    depth = 0
    imports = 0


def tracer_of(walk: Walk) -> Callable[[FrameType, str, Any], None]:
    """Return a function for `sys.setprofile` that adds calls to a walk."""
    stack = _Stack()
    files: dict[str, str | None] = {}  # names below the package, by the names in code objects

    def tracer(frame: FrameType, event: str, _: object) -> None:
        if event not in ("call", "return"):
            return
        code = frame.f_code
        name = code.co_filename
        if name not in files:
            files[name] = file_below_package(name)
        file = files[name]
        if file is None:
            return
        step = 1 if event == "call" else -1
        stack.depth += step
        if code.co_name == "<module>":
            # The module that starts the command is around everything; the others are imported.
            stack.imports += step * (frame.f_globals.get("__name__") != "__main__")
        elif event == "call" and is_function(code) and not is_resumed(frame):
            if stack.imports:
                walk.importing.add(code)
            else:
                walk.add(code, file, stack.depth)

    return tracer


def file_below_package(name: str) -> str | None:
    """Return the name of a file of the package, from the package's directory on; None for others.

    >>> file_below_package("/anywhere/src/doxeval/cli/main.py")
    'cli/main.py'
    """
    _, inside, below = name.replace(os.sep, "/").rpartition(f"/{PACKAGE}/")
    return below if inside and not name.startswith("<") else None


def is_function(code: CodeType) -> bool:
    """Return whether code is that of a function with a name, not a comprehension or a body."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED) and not code.co_name.startswith("<")


def is_resumed(frame: FrameType) -> bool:
    """Return whether a call goes on with a generator or coroutine that was started before."""
    code = frame.f_code
    # Execution goes on at an instruction RESUME, whose argument is 0 only at the beginning.
    return bool(code.co_flags & _RESUMABLE) and code.co_code[frame.f_lasti + 1] != 0


@contextmanager
def output_of_command(*, show: bool) -> Iterator[Callable[[], str]]:
    """Send what is written meanwhile to stderr, or keep it for the function that is yielded.

    The file descriptors themselves are exchanged, so that bytes and C code are included.
    """
    with tempfile.TemporaryFile() as kept:
        kept_text = ""
        streams = (sys.stdout, sys.stderr)
        targets = {1: 2} if show else {1: kept.fileno(), 2: kept.fileno()}
        saved = {descriptor: os.dup(descriptor) for descriptor in targets}
        sys.stdout.flush()
        for descriptor, target in targets.items():
            os.dup2(target, descriptor)
        try:
            yield lambda: kept_text
        finally:
            sys.stdout, sys.stderr = streams
            sys.stdout.flush()
            sys.stderr.flush()
            for descriptor, original in saved.items():
                os.dup2(original, descriptor)
                os.close(original)
            kept.seek(0)
            kept_text = kept.read().decode(errors="replace")


# Figures


class Counts(NamedTuple):
    """How many files and functions were entered, and how often functions were called."""

    files: int
    functions: int
    calls: int


def counts(functions: Iterable[Called]) -> Counts:
    """Count the files and the calls of some functions."""
    functions = list(functions)
    files = {function.file for function in functions}
    return Counts(len(files), len(functions), sum(function.calls for function in functions))


def summary(walk: Walk, modules: list[str], modules_before: int) -> dict[str, Any]:
    """Return all figures of a walk, as they are written to JSON."""
    functions = list(walk.called.values())
    special = getters()
    besides = [
        code
        for code, function in walk.called.items()
        if code not in special and not is_special(function.name)
    ]
    rooms = sorted({function.room for function in functions})
    return {
        **counts(functions)._asdict(),
        "functions_besides_properties_and_special_methods": len(besides),
        "functions_called_only_at_import": walk.at_import,
        "depth": walk.depth,
        "modules": {
            PACKAGE: sum(name == PACKAGE or name.startswith(PACKAGE + ".") for name in modules),
            "all": len(modules),
            "before": modules_before,
        },
        "rooms": {
            room: counts(function for function in functions if function.room == room)._asdict()
            for room in rooms
        },
    }


def getters() -> set[CodeType]:
    """Return the code of all properties of the package's classes that have been imported."""
    classes: dict[type, None] = {}
    for name, module in list(sys.modules.items()):
        if name == PACKAGE or name.startswith(PACKAGE + "."):
            add_classes(vars(module).values(), classes)
    return {
        function.__code__
        for cls in classes
        for attribute in vars(cls).values()
        for function in accessors(attribute)
        if hasattr(function, "__code__")
    }


def add_classes(values: Iterable[object], classes: dict[type, None]) -> None:
    """Add the package's classes among some values, and the classes inside them."""
    for value in values:
        if not isinstance(value, type) or value in classes:
            continue
        if str(value.__module__).partition(".")[0] == PACKAGE:
            classes[value] = None
            add_classes(list(vars(value).values()), classes)


def accessors(attribute: object) -> Iterator[Any]:
    """Yield the functions behind an attribute of a class that is a property."""
    if isinstance(attribute, property):
        yield from (attribute.fget, attribute.fset, attribute.fdel)
    elif isinstance(attribute, functools.cached_property):
        yield attribute.func


def is_special(name: str) -> bool:
    """Return whether a qualified name is that of a special method.

    >>> is_special("Run.__len__"), is_special("_Resolver.resolve")
    (True, False)
    """
    last = name.rpartition(".")[2]
    return last.startswith("__") and last.endswith("__")


# Printing


def order_lines(walk: Walk) -> Iterator[str]:
    """Yield the functions in the order of first call, indented by depth."""
    for function in walk.called.values():
        times = f" ({function.calls:,} times)" if function.calls > 1 else ""
        yield f"{'  ' * (function.depth - 1)}{function.file}:{function.name}{times}"


def order_records(walk: Walk) -> list[dict[str, Any]]:
    """Return the functions in the order of first call, as they are written to JSON."""
    return [
        {"file": called.file, "function": called.name, "depth": called.depth, "calls": called.calls}
        for called in walk.called.values()
    ]


def summary_lines(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the summary: all figures, then the rooms as a table."""
    modules = figures["modules"]
    besides = figures["functions_besides_properties_and_special_methods"]
    at_import = figures["functions_called_only_at_import"]
    yield f"files      {figures['files']:>9,}"
    yield (
        f"functions  {figures['functions']:>9,}   {besides:,} besides properties and special "
        f"methods; {at_import:,} more only at import"
    )
    yield f"calls      {figures['calls']:>9,}"
    yield f"depth      {figures['depth']:>9,}"
    yield (
        f"modules    {modules[PACKAGE]:>9,}   of {PACKAGE}; {modules['all']:,} in all, "
        f"{modules['before']:,} of them before the command"
    )
    yield ""
    yield f"{'room':<16}{'files':>7}{'functions':>11}{'calls':>11}"
    for room, row in figures["rooms"].items():
        yield f"{room:<16}{row['files']:>7,}{row['functions']:>11,}{row['calls']:>11,}"


if __name__ == "__main__":
    main()
