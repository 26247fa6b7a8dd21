"""Errors of the library, told in terms of the command line.

The library speaks of its parameters (`force=True replaces it`); here they become options
(`--force replaces it`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from doxeval.errors import DoxevalError


@contextmanager
def options_named(options: Mapping[str, str]) -> Iterator[None]:
    """Let errors speak of options; `options` has the option that sets each parameter.

    >>> with options_named({"force": "--force"}):
    ...     raise DoxevalError("out exists; force=True replaces it").about("force")
    Traceback (most recent call last):
    doxeval.errors.DoxevalError: out exists; --force replaces it
    """
    try:
        yield
    except DoxevalError as error:
        told = in_options(error, options)
        if told == str(error):
            raise
        raise DoxevalError(told) from error


def in_options(error: DoxevalError, options: Mapping[str, str]) -> str:
    """An error in words, with options in place of the parameters it speaks of.

    >>> in_options(DoxevalError("id_rule=//id finds nothing").about("id_rule"), {"id_rule": "--id"})
    '--id //id finds nothing'
    >>> in_options(DoxevalError("no curves in CSV").about("curves"), {"curves": "--curves"})
    'no curves in CSV (--curves)'
    """
    told = str(error)
    for parameter in error.parameters:
        if parameter in options:
            told = _replaced(told, parameter, options[parameter])
    return told


def _replaced(told: str, parameter: str, option: str) -> str:
    def spelt(found: re.Match[str]) -> str:
        return option if found[1] in ("", "True") else f"{option} {found[1]}"

    replaced, count = re.subn(rf"\b{re.escape(parameter)}=([^\s;,)]*)", spelt, told)
    return replaced if count else f"{told} ({option})"
