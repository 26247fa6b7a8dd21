"""A verb of the command line: a click command whose options are a frozen value.

The fields of the value declare the options (see `doxeval.named.option`): help, choices, defaults
and bounds stand once, and the verb gets the value as one argument, `options`. Positional arguments
are click's own.

>>> from dataclasses import dataclass
>>> from doxeval.named import option
>>> @dataclass(frozen=True)
... class ForecastOptions:
...     sky: str = option("clear", "What is seen above.", choices=("clear", "grey"))
...     fog: float | None = option(
...         None, "How thick it is.", at_least=0, at_most=1, shown_default="by the month"
...     )
>>> @verb(ForecastOptions)
... @click.argument("days", type=int)
... def forecast(days: int, options: ForecastOptions) -> None:
...     print(days, options)
>>> forecast(["3", "--sky", "grey"], standalone_mode=False)
3 ForecastOptions(sky='grey', fog=None)
>>> for parameter in forecast.params[1:]:
...     print(*parameter.opts, parameter.type, parameter.help)
--sky Choice(['clear', 'grey']) What is seen above.
--fog <FloatRange 0<=x<=1> How thick it is.  [default: by the month]

A value may have parts: a field that is another value of options (`part`), or options of a value of
the library (`library_options`), which is imported only when the verb is called.

No option is ignored in silence: one that is given twice, or has no effect (`refuse`), is an error.
Messages of the library name its parameters; here they are shown as options of the running verb.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click
from click.core import ParameterSource

from doxeval.errors import DoxevalError
from doxeval.messages import Parameter, parts_of, quoted, wrapped, wrapped_command

if TYPE_CHECKING:
    from doxeval.named import OptionField

T = TypeVar("T")

_WORDS = "doxeval.words"
_GROUP = "doxeval_group"
# The headings of options in help, in their order.
GROUPS = (
    SCORED := "What is scored",
    COMPARED := "How runs are compared",
    OUTPUT := "Output",
    CHECKED := "Limits to check",
    READ := "How files are read",
    SPEED := "Speed",
    OTHER_PROGRAMS := "As other programs print",
)
# Parameters of the library whose options have other names.
_OPTION_NAMES = {
    "bytes": "max_bytes",
    "depth": "max_depth",
    "descriptions": "describe",
    "elements": "max_elements",
    "id_rule": "id",
    "lines": "max_lines",
    "specificity": "spec",
}
# Nobody mistypes more letters than this.
_LONGEST_GUESSED = 40
_LONGEST_SUMMARY = 300
_HELP_WIDTH = 80


# Commands


class Verb(click.Command):
    """A command that gets its options as one value.

    An option given twice is an error, unless it may be repeated.
    """

    _arguments: list[click.Parameter]

    def __init__(self, *args: Any, options: type | None = None, **settings: Any) -> None:
        self._options_type = options
        super().__init__(*args, **settings)

    @cached_property
    def _parameters(self) -> list[click.Parameter]:
        kind = self._options_type
        return [*self._arguments, *(() if kind is None else _click_options(kind))]

    @property
    def params(self) -> list[click.Parameter]:
        """The parameters; the options are made when they are first needed, not at import."""
        return self._parameters

    @params.setter
    def params(self, arguments: list[click.Parameter]) -> None:
        self._arguments = arguments

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for repeated options, of which click would keep only the last."""
        ctx.meta[_WORDS] = tuple(args)
        _, _, in_order = self.make_parser(ctx).parse_args(args=list(args))
        seen: set[str] = set()
        for parameter in in_order:
            if not isinstance(parameter, click.Option) or parameter.multiple or parameter.is_flag:
                continue
            if parameter.name in seen:
                raise click.UsageError(f"{parameter.opts[0]} is given twice", ctx)
            seen.add(str(parameter.name))
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, in lines that fit."""
        return _fitted_help(super().get_help(ctx))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of a group under its heading."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and record[1]:  # arguments stand in the first line
                group = parameter.__dict__.get(_GROUP, "")
                groups.setdefault(group, []).append(record)
        others = groups.pop("", [])
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)
        with formatter.section("Other options" if any(groups.values()) else "Options"):
            formatter.write_dl(others)

    def invoke(self, ctx: click.Context) -> Any:
        """Do the work; an error names options instead of parameters."""
        try:
            if self._options_type is None or self.callback is None:
                return super().invoke(ctx)
            options: object = value_of(self._options_type, ctx.params)
            arguments = {str(a.name): ctx.params[str(a.name)] for a in self._arguments}
            return ctx.invoke(self.callback, options=options, **arguments)
        except DoxevalError as error:
            if any(isinstance(part, Parameter) for part in error.parts):
                raise DoxevalError(in_options(error)) from error
            raise


class VerbGroup(click.Group):
    """A group of verbs that suggests the nearest one where there is none of that name.

    files: where verbs are, by name, such as "doxeval.cli.search:search". They are imported when
    they are called, so that every command starts quickly. headings: which verbs the help lists
    under each heading; without any, all in one list.
    """

    def __init__(
        self,
        *args: Any,
        files: Mapping[str, str] | None = None,
        headings: Mapping[str, Collection[str]] | None = None,
        **settings: Any,
    ) -> None:
        self._files = files or {}
        self._headings = headings or {}
        self._synonyms: dict[str, str] = {}
        super().__init__(*args, **settings)

    def add_synonym(self, name: str, verb: str) -> None:
        """Let a verb be called by another name, too, which no help lists."""
        self._synonyms[name] = verb

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all verbs, in the order in which they are listed."""
        return [*self._files, *super().list_commands(ctx)]

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, in lines that fit."""
        return _fitted_help(super().get_help(ctx))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs under their headings, each with its whole summary."""
        names = self.list_commands(ctx)
        width = max(map(len, names), default=0)
        for heading, of_heading in (self._headings or {"Commands": names}).items():
            rows = [
                (f"{name:<{width}}", command.get_short_help_str(_LONGEST_SUMMARY))
                for name in of_heading
                if (command := self.get_command(ctx, name)) is not None
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb by its name."""
        cmd_name = self._synonyms.get(cmd_name, cmd_name)
        if cmd_name not in self._files:
            return super().get_command(ctx, cmd_name)
        command: click.Command = _imported(self._files[cmd_name])
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb; click would suggest only those that are imported already, or none."""
        name = args[0]
        is_known = self.get_command(ctx, name) is not None
        if not is_known and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(name[:_LONGEST_GUESSED].lower(), self.list_commands(ctx), 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def verb(
    options: type | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return the decorator of a verb, in place of `click.command`.

    options: the class of the value that has its options.
    """
    return click.command(cls=Verb, options=options, **settings)


def _fitted_help(text: str) -> str:
    """Return help in lines of at most 80 columns, where its examples are longer.

    >>> print(_fitted_help("  doxeval " + " ".join(["evaluate", "my.run", "-m MAiP"] * 5)))
      doxeval evaluate my.run -m MAiP evaluate my.run -m MAiP evaluate my.run -m \\
          MAiP evaluate my.run -m MAiP evaluate my.run -m MAiP
    """
    lines = []
    for line in re.sub(r" \\\n +", " ", text).split("\n"):
        is_command = line.lstrip().startswith("doxeval ")
        lines += wrapped_command(line, _HELP_WIDTH) if is_command else wrapped(line, _HELP_WIDTH)
    return "\n".join(lines)


# Values of options


@dataclass(frozen=True)
class _OptionsPart:
    """A part of a value of options: its class or where that is, and which of its fields."""

    kind: type | str
    names: tuple[str, ...] = ()
    but: Collection[str] = ()

    def option_fields(self) -> list[OptionField]:
        """Return the chosen options."""
        from doxeval.named import option_fields

        kind = _imported(self.kind) if isinstance(self.kind, str) else self.kind
        declared = {spec.name: spec for spec in option_fields(kind)}
        chosen = self.names or [name for name in declared if name not in self.but]
        return [declared[name] for name in chosen]


@dataclass(frozen=True)
class LibraryOptions(Generic[T]):
    """The options of a verb that are fields of a value of the library, as far as they were given.

    place: where its class is, such as "doxeval.retrieve:SearchOptions".
    """

    place: str
    given: Mapping[str, Any] = field(default_factory=dict)

    def value(self, **others: Any) -> T:
        """Return the value. others: fields that are no options, or defaults of the verb."""
        value: T = _imported(self.place)(**{**others, **self.given})
        return value


def part(kind: type[T]) -> T:
    """Declare a field that is another value of options; they come where the field stands."""
    made: T = field(default_factory=kind, metadata={"part": _OptionsPart(kind)})
    return made


def library_options(place: str, *names: str, but: Collection[str] = ()) -> Any:
    """Declare a field for options of a value of the library, a `LibraryOptions`.

    names: only these; but: all except these.
    """
    return field(
        default_factory=lambda: LibraryOptions(place),
        metadata={"part": _OptionsPart(place, names, but)},
    )


def in_group(group: str, declared: Any) -> Any:
    """Return the declaration of an option, or of a part, that help lists under a heading.

    >>> in_group("Output", field(default=1)).metadata["group"]
    'Output'
    """
    declared.metadata = MappingProxyType({**declared.metadata, "group": group})
    return declared


def value_of(kind: type[T], given: Mapping[str, Any]) -> T:
    """Return the value that the options of a verb make; what was not given is as it has it."""
    values: dict[str, Any] = {}
    for spec in fields(kind):  # type: ignore[arg-type]
        inner = spec.metadata.get("part")
        if inner is None:
            if "option" in spec.metadata and given.get(spec.name) is not None:
                values[spec.name] = given[spec.name]
        elif isinstance(inner.kind, str):
            names = [option.name for option in inner.option_fields()]
            known = {name: given[name] for name in names if given.get(name) is not None}
            values[spec.name] = LibraryOptions(inner.kind, known)
        else:
            values[spec.name] = value_of(inner.kind, given)
    return kind(**values)


def _click_options(kind: type, group: str = "") -> Iterator[click.Option]:
    """Yield the options of a value and of its parts, in the order of the fields.

    group: the heading in the help, of those that have none of their own.
    """
    from doxeval.named import option_fields

    declared = {spec.name: spec for spec in option_fields(kind)}
    for spec in fields(kind):
        inner, heading = spec.metadata.get("part"), spec.metadata.get("group", group)
        if spec.name in declared:
            yield _with_group(_click_option(declared[spec.name]), heading)
        elif inner is not None and isinstance(inner.kind, str):
            yield from (_with_group(_click_option(f), heading) for f in inner.option_fields())
        elif inner is not None:
            yield from _click_options(inner.kind, heading)


def _with_group(made: click.Option, group: str) -> click.Option:
    made.__dict__[_GROUP] = group
    return made


def _click_option(spec: OptionField) -> click.Option:
    names = [*(spec.flags or (f"--{spec.name.replace('_', '-')}",)), spec.name]
    if spec.value_type is bool:
        return click.Option(names, is_flag=True, default=spec.default, help=spec.help_text)
    help_text, default = spec.help_text, None if spec.is_required else spec.default
    if spec.shown_default is not None:
        # Not click's own: it would put brackets around the text.
        help_text, default = f"{help_text}  [default: {spec.shown_default}]", None
    # For click, None would be a default, too.
    given: dict[str, Any] = {} if spec.is_required else {"default": default}
    return click.Option(
        names,
        type=_click_type(spec),
        required=spec.is_required,
        multiple=spec.count is None,
        nargs=spec.count or 1,
        metavar=spec.metavar,
        **given,
        show_default=default not in (None, ()),  # click would show an empty one
        help=help_text,
    )


def _click_type(spec: OptionField) -> click.ParamType[Any]:
    if spec.choices:
        return click.Choice(spec.choices, case_sensitive=not spec.ignore_case)
    if spec.value_type in (int, float):
        # Those of whole numbers are whole.
        low: Any = spec.at_least if spec.more_than is None else spec.more_than
        high: Any = spec.at_most if spec.less_than is None else spec.less_than
        if low is None and high is None:
            return click.INT if spec.value_type is int else click.FLOAT
        kind = click.IntRange if spec.value_type is int else click.FloatRange
        return kind(low, high, spec.more_than is not None, spec.less_than is not None)
    if issubclass(spec.value_type, os.PathLike):
        return click.Path(path_type=Path)
    return click.Path() if spec.is_path else click.STRING


def _imported(place: str) -> Any:
    """Return the class or function at a place such as "doxeval.retrieve:SearchOptions"."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


# Options in messages


def in_options(message: object) -> str:
    """Return a message or an error with options of the running verb in place of parameters.

    >>> in_options("a is too deep; " + Parameter("skip_missing", True) + " leaves it out")
    'a is too deep; --skip-missing leaves it out'
    """
    return "".join(
        _option(part) if isinstance(part, Parameter) else part for part in parts_of(message)
    )


def _option(parameter: Parameter) -> str:
    """Return what the running verb calls a parameter, with its value as it would be typed."""
    context = click.get_current_context(silent=True)
    known = {} if context is None else {known.name: known for known in context.command.params}
    name = _OPTION_NAMES.get(parameter.name, parameter.name)
    option = known.get(parameter.name) or known.get(name)
    if isinstance(option, click.Argument):
        shown = option.human_readable_name
    elif option is not None:
        shown = max(option.opts, key=len)
    else:
        shown = f"--{name.replace('_', '-')}"
    value = parameter.value
    if value is None or value is True:
        return shown
    is_word = isinstance(value, str) and value.isprintable() and not set(value) & set(" '\"")
    text = quoted(value)
    return f"{shown} {text[1:-1] if is_word and text.endswith(text[0]) else text}"


def given_options() -> dict[str, str]:
    """Return the options that the user gave to the running command: names and flags."""
    context = click.get_current_context()
    return {
        str(parameter.name): parameter.opts[0]
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    }


def refuse(names: Collection[str], reason: str) -> None:
    """Refuse those of the named options that were given: they would have no effect.

    The message is the option followed by the reason.
    """
    for name, option in given_options().items():
        if name in names:
            raise click.UsageError(f"{option} {reason}")


def missing_option(name: str, hint: str) -> click.MissingParameter:
    """Return the error about an option of the running command that must be given here."""
    context = click.get_current_context()
    options = {parameter.name: parameter for parameter in context.command.params}
    return click.MissingParameter(hint, context, options[name])


def command_line() -> str:
    """Return the running command as it could be typed into a shell."""
    import shlex

    context = click.get_current_context()
    names: list[str] = []
    step: click.Context | None = context
    while step is not None:
        is_root = step.parent is None and isinstance(step.command, click.Group)
        names += [] if is_root else [str(step.info_name)]
        step = step.parent
    return shlex.join(["doxeval", *reversed(names), *context.meta[_WORDS]])
