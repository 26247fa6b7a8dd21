"""A verb of the command line: a click command that never ignores an option in silence."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import click
from click.core import ParameterSource

_WORDS = "doxeval.words"


class Verb(click.Command):
    """A command that refuses an option given twice, unless the option may be repeated."""

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


def verb(**settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """The decorator of a verb, in place of `click.command`."""
    return click.command(cls=Verb, **settings)


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
