"""Figures for notebooks: Vega-Lite specifications that notebooks draw, and that can be saved."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doxeval.errors import InputError, MissingInput, output_errors
from doxeval.wording import brief

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
MIME = "application/vnd.vegalite.v5+json"


def renderer() -> Any:
    """What draws figures as files; if it is not installed, an error says what to install."""
    try:
        import vl_convert
    except ImportError:
        raise MissingInput(
            "figures as files need vl-convert-python, which is missing here: "
            "pip install 'doxeval[figures]'"
        ) from None
    return vl_convert


def drawn(spec: Mapping[str, Any], kind: str) -> bytes:
    """A Vega-Lite specification drawn as svg, png or pdf."""
    whole = dict(spec)
    if kind == "svg":
        return str(renderer().vegalite_to_svg(whole)).encode()
    if kind == "png":
        return bytes(renderer().vegalite_to_png(whole, scale=2))
    return bytes(renderer().vegalite_to_pdf(whole))


@dataclass(frozen=True, repr=False)
class Plot:
    """A figure: notebooks draw it, `spec` is its Vega-Lite specification, `save` writes it.

    >>> plot = Plot({"mark": "bar", "data": {"values": [{"x": 1}]}}, "means of 1 run")
    >>> plot, plot.spec["mark"], sorted(plot._repr_mimebundle_())
    (<plot: means of 1 run>, 'bar', ['application/vnd.vegalite.v5+json', 'text/plain'])
    """

    spec: dict[str, Any]
    about: str

    def __repr__(self) -> str:
        return f"<plot: {self.about}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """How notebooks show it."""
        return {MIME: self.spec, "text/plain": repr(self)}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as .svg, .png, .pdf (these need the extra `figures`) or .json.

        >>> import tempfile
        >>> target = Path(tempfile.mkdtemp()) / "means.json"
        >>> Plot({"mark": "bar"}, "means").save(target).name
        'means.json'
        """
        target = Path(path)
        kind = target.suffix.lower().lstrip(".")
        if kind not in ("svg", "png", "pdf", "json"):
            raise InputError(
                f"{brief(os.fspath(target))}: expected a name that ends in .svg, .png, .pdf or "
                ".json"
            )
        if kind == "json":
            data = json.dumps(self.spec, indent=1).encode()
        else:
            data = drawn({**self.spec, "background": "white"}, kind)
        with output_errors(target):
            target.write_bytes(data)
        return target
