"""Parameters in words, for help and documentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from types import MappingProxyType
from typing import Any

from doxeval.named.value import Named, shown


def parameters_in_words(value: Named, also: Mapping[str, str] = MappingProxyType({})) -> str:
    """A value's parameters as a list in Markdown; empty if it has none.

    also: what else is said about parameters, by their names.

    >>> from dataclasses import dataclass
    >>> from doxeval.named.value import parameter
    >>> @dataclass(frozen=True)
    ... class Fog(Named):
    ...     name = "fog"
    ...     colour: str = parameter("grey", "what it looks like", ("grey", "white"))
    >>> print(parameters_in_words(Fog(colour="white")))
    **Parameters**
    <BLANKLINE>
    - `colour` what it looks like: grey, white (here white; default grey)
    """
    lines = [_in_words(spec, getattr(value, spec.name), also) for spec in fields(value)]
    return "**Parameters**\n\n" + "\n".join(lines) if lines else ""


def _in_words(spec: Field[Any], value: Any, also: Mapping[str, str]) -> str:
    name = {"@": "@k", "[": "[x]"}.get(spec.metadata.get("sign", ""), spec.name)
    choices = spec.metadata.get("choices") or ()
    among = f": {', '.join(choices)}" if choices else ""
    said = [f"here {shown(value)}"] if value != spec.default else []
    said += [f"default {shown(spec.default)}"] if spec.default is not None else []
    said += [also[spec.name]] if spec.name in also else []
    values = f" ({'; '.join(said)})" if said else ""
    return f"- `{name}` {spec.metadata.get('help', '')}{among}{values}"
