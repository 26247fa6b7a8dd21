"""A verb of the command line: a click command that never ignores an option in silence.

Messages of the library name its parameters; here they are shown as options of the running verb.
A group of verbs knows what somebody meant who mistyped one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from doxeval.errors import DoxevalError
from doxeval.messages import Parameter, parts_of, quoted

_WORDS = "doxeval.words"
# Parameters of the library whose options have other names.
_OPTION_NAMES = {
    "bytes": "max_bytes",
    "depth": "max_depth",
    "elements": "max_elements",
    "id_rule": "id",
    "lines": "max_lines",
    "specificity": "spec",
}
# Nobody mistypes more letters than this.
_LONGEST_GUESSED = 40


class LazyOptions(NamedTuple):
    """Options of a verb that are made when its parameters are first needed, not at import."""

    make: Callable[[], list[click.Option]]


class Verb(click.Command):
    """A command that refuses an option given twice, unless the option may be repeated."""

    _declared: list[Any]

    @property
    def params(self) -> list[click.Parameter]:
        """The parameters, in the order of their decorators."""
        if any(isinstance(entry, LazyOptions) for entry in self._declared):
            made = (e.make() if isinstance(e, LazyOptions) else [e] for e in self._declared)
            self._declared = [parameter for group in made for parameter in group]
        return self._declared

    @params.setter
    def params(self, declared: list[Any]) -> None:
        self._declared = declared

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

    def invoke(self, ctx: click.Context) -> Any:
        """Do the work; an error names options instead of parameters."""
        try:
            return super().invoke(ctx)
        except DoxevalError as error:
            if any(isinstance(part, Parameter) for part in error.parts):
                raise DoxevalError(in_options(error)) from error
            raise


class VerbGroup(click.Group):
    """A group of verbs that suggests the nearest one where there is none of that name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb; click would suggest only those that are imported already, or none."""
        name = args[0]
        is_known = self.get_command(ctx, name) is not None
        if not is_known and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(name[:_LONGEST_GUESSED].lower(), self.list_commands(ctx), 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def verb(**settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """The decorator of a verb, in place of `click.command`."""
    return click.command(cls=Verb, **settings)


def in_options(message: object) -> str:
    """Return a message or an error with options of the running verb in place of parameters.

    >>> in_options("a is too deep; " + Parameter("skip_missing", True) + " leaves it out")
    'a is too deep; --skip-missing leaves it out'
    """
    return "".join(
        _option(part) if isinstance(part, Parameter) else part for part in parts_of(message)
    )


def _option(parameter: Parameter) -> str:
    """What the running verb calls a parameter, with its value as it would be typed."""
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


def command_line() -> str:
    """The running command as it could be typed into a shell."""
    import shlex

    context = click.get_current_context()
    names: list[str] = []
    step: click.Context | None = context
    while step is not None:
        is_root = step.parent is None and isinstance(step.command, click.Group)
        names += [] if is_root else [str(step.info_name)]
        step = step.parent
    return shlex.join(["doxeval", *reversed(names), *context.meta[_WORDS]])


def given_options() -> dict[str, str]:
    """The options that the user gave to the running command: names and flags."""
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
