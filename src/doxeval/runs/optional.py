"""Libraries that not everybody has installed: imported when needed, with an error that helps."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from doxeval.errors import FormatError

_HOW = {
    "pyarrow": "Parquet needs pyarrow: install doxeval with its extra, doxeval[parquet]",
    "pandas": "a data frame of pandas needs pandas: install pandas",
    "polars": "a data frame of polars needs polars: install polars",
}


def optional_module(name: str) -> Any:
    """A module of a library that may be missing, such as `pyarrow.parquet`.

    >>> optional_module("pandas").DataFrame.__name__
    'DataFrame'
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise FormatError(_HOW[name.partition(".")[0]]) from None
