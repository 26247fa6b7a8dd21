"""A named value: a frozen dataclass whose fields are parameters and whose name shows them.

    NAME[@k][\\[x\\]][(key=value,…)]        nxCG@10(base=ideal,quant=spec,ignore=none,…)

The printed name shows every parameter and parses back to the value. Values can be written the same
way in Python: `nxCG @ 10`, `iP[0.01]`, `bm25(k1=1.2)`.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted
from doxeval.named.parameters import checked_value


def parameter(
    default: Any,
    help_text: str,
    choices: tuple[str, ...] = (),
    *,
    number: bool = False,
    with_share: tuple[str, ...] = (),
) -> Any:
    """A parameter that is shown as key=value in the name.

    It must be one of the choices, or of the same type as its default; `number=True` allows any
    number besides the choices. Choices in `with_share` may have a number from 0 to 1 in brackets,
    such as neighbours(0.3).
    """
    metadata = {"help": help_text, "choices": choices, "number": number, "with_share": with_share}
    return field(default=default, metadata=metadata)


def cut_off(default: int | None, help_text: str = "how many results count") -> Any:
    """The parameter shown as @k."""
    return field(default=default, metadata={"help": help_text, "sign": "@"})


def point(default: Fraction | None, help_text: str) -> Any:
    """The parameter shown as [x]."""
    return field(default=default, metadata={"help": help_text, "sign": "["})


@dataclass(frozen=True)
class Named:
    """A value with a name and parameters.

    Subclasses are frozen dataclasses with a `name`; their fields are their parameters.

    >>> @dataclass(frozen=True)
    ... class Fog(Named):
    ...     name = "fog"
    ...     density: float = parameter(0.5, "how thick it is")
    ...     colour: str = parameter("grey", "what it looks like", ("grey", "white"))
    >>> str(Fog()), Fog()(density=1), Fog(colour="white").label
    ('fog(density=0.5,colour=grey)', fog(density=1), 'fog(colour=white)')
    >>> Fog(colour="blue")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: fog: colour is 'blue': expected grey or white
    """

    name: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Before the dataclass decorator writes a representation of its own.
        cls.__repr__ = Named.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        """Check every parameter; a subclass that checks more calls this first."""
        for spec in fields(self):
            value = checked_value(spec, getattr(self, spec.name), self.name)
            object.__setattr__(self, spec.name, value)

    def __call__(self, **values: Any) -> Self:
        """The same with other values for some parameters."""
        return self._with(values)

    def _with(self, values: dict[str, Any]) -> Self:
        known = [spec.name for spec in fields(self)]
        for name in values:
            if name not in known:
                there = f"it has {', '.join(known)}" if known else "it has none"
                raise SyntaxProblem(f"{self.name} has no parameter {quoted(name)}; {there}")
        try:
            return replace(self, **values)
        except ValueError as error:
            raise SyntaxProblem(f"{self.name}: {error}") from None

    def __matmul__(self, cut_off: int) -> Self:
        """The same at a cut-off: `nxCG @ 10`."""
        return self._with({signed_parameter(type(self), "@").name: cut_off})

    def __getitem__(self, point: float | str | Fraction) -> Self:
        """The same at a point of recall: `iP[0.01]`."""
        return self._with({signed_parameter(type(self), "[").name: point})

    def __str__(self) -> str:
        """The name with every parameter."""
        return self._named(lambda spec: True)

    def __repr__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """The name with its cut-off or point and the parameters that differ from their defaults."""
        return self._named(lambda spec: getattr(self, spec.name) != spec.default)

    def _named(self, is_shown: Any) -> str:
        signs, named = "", []
        for spec in fields(self):
            value, sign = getattr(self, spec.name), spec.metadata.get("sign")
            if sign is None:
                named += [f"{spec.name}={shown(value)}"] if is_shown(spec) else []
            elif value is not None:
                signs += f"@{value}" if sign == "@" else f"[{shown(value)}]"
        return f"{self.name}{signs}" + (f"({','.join(named)})" if named else "")


def signed_parameter(kind: type[Named], sign: str) -> Field[Any]:
    """The parameter that is written as a cut-off (@) or a point ([)."""
    signs = {spec.metadata.get("sign"): spec for spec in fields(kind)}
    if sign in signs:
        return signs[sign]
    if sign == "@":
        hint = f"; it has a point: {kind.name}[x]" if "[" in signs else ""
        raise SyntaxProblem(f"{kind.name} has no cut-off @k{hint}")
    hint = f"; it has a cut-off: {kind.name}@k" if "@" in signs else ""
    raise SyntaxProblem(f"{kind.name} has no point [x]{hint}")


def shown(value: Any) -> str:
    """A parameter's value as text that parses back.

    >>> shown(Fraction(1, 100)), shown(0.25), shown("ideal"), shown(True)
    ('0.01', '0.25', 'ideal', 'on')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Fraction):
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
        return format(decimal.normalize(), "f") if Fraction(decimal) == value else str(value)
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
    return str(value)
