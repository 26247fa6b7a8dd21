"""What a user's Python file defines, named as FILE.py:NAME: a measure, a system, a chunking.

Such a file is run because the user names it, and only then: none is looked for, and names that are
read from data never lead here. It is run once in a process, under a name that nothing else can
import. Values of its classes take the file's source along when they are sent to other processes.
"""

from __future__ import annotations

import copyreg
import os
import sys
import traceback
from dataclasses import fields
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, NamedTuple

from doxeval.errors import InputError
from doxeval.messages import escape, suggestion, truncate
from doxeval.named.value import Named

_SUFFIX = ".py:"


class NameInFile(NamedTuple):
    """A file of Python, and the name of something that it defines."""

    file: str
    name: str


def name_in_file(text: str) -> NameInFile | None:
    """Return the file and the name in it, if a text names something in a file of Python.

    >>> name_in_file("src/my.py:NDCG@10")
    NameInFile(file='src/my.py', name='NDCG@10')
    >>> name_in_file("nxCG@10")
    """
    file, suffix, name = text.partition(_SUFFIX)
    return NameInFile(file + ".py", name.strip()) if suffix and file and name.strip() else None


class _RunFile(NamedTuple):
    """A file that was run: its source, and what it defines."""

    source: bytes
    module: ModuleType


_files: dict[str, _RunFile] = {}  # by their paths
_running = RLock()


def module_of_file(file: str) -> ModuleType:
    """Return what a file of Python defines; it is run once, however often it is named.

    >>> module_of_file("nowhere.py")
    Traceback (most recent call last):
    doxeval.errors.InputError: nowhere.py: no such file
    """
    with _running:
        try:
            path = os.path.realpath(file)
            if path not in _files:
                _run(path, Path(path).read_bytes(), file)
        except FileNotFoundError:
            raise InputError("no such file", file) from None
        except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"the file cannot be read: {reason}", file) from None
        return _files[path].module


def attribute_of_file(named: NameInFile) -> Any:
    """Return the function, or whatever else has that name, of a file of Python."""
    module = module_of_file(named.file)
    if not hasattr(module, named.name):
        names = [name for name in vars(module) if not name.startswith("_")]
        hint = suggestion(named.name, names)
        raise InputError(f"no {truncate(named.name)} in the file{hint}", named.file)
    return getattr(module, named.name)


def _run(path: str, source: bytes, file: str) -> None:
    """Run the source of a file; an error names the file as it was given, and the line in it."""
    from importlib.abc import SourceLoader  # few commands need it

    class LoadedSource(SourceLoader):
        def get_filename(self, fullname: str) -> str:
            return path

        def get_data(self, path: str | bytes) -> bytes:
            return source

    module = ModuleType(path)  # no import statement can mean a path
    module.__file__ = path
    sys.modules[path] = module  # dataclasses look there for what annotations mean
    try:
        LoadedSource().exec_module(module)
    except (Exception, SystemExit) as error:  # a user's code raises anything
        del sys.modules[path]
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        message = f"the file cannot be run: {escape(f'{type(error).__name__}: {reason}')}"
        raise InputError(message, file, _line(error, path)) from error
    _files[path] = _RunFile(source, module)
    for kind in vars(module).values():
        if isinstance(kind, type) and issubclass(kind, Named) and kind.__module__ == path:
            copyreg.pickle(kind, _with_source)


def _line(error: BaseException, path: str) -> int | None:
    """Return the last line of a file that an error went through, if any."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == path), None)


def _with_source(value: Named) -> tuple[Any, ...]:
    """Return how another process makes a value: of the file's source, its class and its fields."""
    path = type(value).__module__
    source, module = _files[path]
    kind = next(name for name, found in vars(module).items() if found is type(value))
    values = {spec.name: getattr(value, spec.name) for spec in fields(value)}
    return _from_source, (path, source, kind, values)


def _from_source(path: str, source: bytes, kind: str, values: dict[str, Any]) -> Named:
    with _running:
        if path not in _files:
            _run(path, source, path)
    value: Named = getattr(_files[path].module, kind)(**values)
    return value
