"""Options of several verbs as click's decorators, until all verbs have values."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from doxeval.cli.verb import LazyOptions, _click_option, refuse
from doxeval.parallel import PATIENCE

if TYPE_CHECKING:
    from doxeval.parallel import Engine

T = TypeVar("T")


def options_of(
    kind: type | str, *names: str, but: Collection[str] = ()
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that gives a verb the options of a value, in the order of its fields.

    kind: the class of the value, or its place such as "doxeval.retrieve:SearchOptions", which is
    imported only when the verb is used. names: only these fields; but: all except these.
    """

    def make() -> list[click.Option]:
        from doxeval.named import option_fields

        value = kind
        if isinstance(value, str):
            module, _, name = value.partition(":")
            value = getattr(import_module(module), name)
        declared = {spec.name: spec for spec in option_fields(value)}
        chosen = names or [name for name in declared if name not in but]
        return [_click_option(declared[name]) for name in chosen]

    def decorator(command: Callable[..., Any]) -> Any:
        # As click's own decorators do it: the last one comes first.
        parameters = command.__dict__.setdefault("__click_params__", [])
        parameters.append(LazyOptions(make))
        return command

    return decorator


def value_of(kind: type[T], options: Mapping[str, Any], **defaults: Any) -> T:
    """Return the value that the options of a verb make.

    What was not given is as in `defaults`, and else as the value itself has it.
    """
    from doxeval.named import option_fields

    names = [spec.name for spec in option_fields(kind)]
    given = {name: options[name] for name in names if options.get(name) is not None}
    return kind(**(defaults | given))


# Options of several verbs

# Where a collection is. It stays a string: as a Path, a URL would lose a slash.
WHERE: dict[str, Any] = {"type": click.Path(), "metavar": "DIR|URL"}

columns_option = click.option(
    "--columns",
    type=click.Choice(["start-length", "start-end"]),
    default="start-length",
    show_default=True,
    help="What the last two columns of a text run with passages are.",
)
offsets_option = click.option(
    "--offsets",
    type=click.Choice(["characters", "bytes"]),
    default="characters",
    show_default=True,
    help="The unit of offsets in the files.",
)


def collection_argument(command: Any) -> Any:
    """The directory or the URL of a collection, as `directory`."""
    return click.argument("directory", **WHERE)(command)


def collection_option(help_text: str) -> Callable[[Any], Any]:
    """`--collection DIR|URL`, as `directory`."""
    return click.option(
        "--collection",
        "directory",
        help=help_text,
        **WHERE,
    )


def chunks_option(use: str) -> Callable[[Any], Any]:
    """`--chunks FILE`, for some use."""
    return click.option("--chunks", metavar="FILE", help=f"All chunks (JSONL), {use}.")


def jobs_of_all_cores(command: Any) -> Any:
    """`--jobs N`: by default one for each core."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        default=os.cpu_count() or 1,
        show_default="all cores",
        help="Number of processes.",
    )(command)


def table_or_json(help_text: str) -> Callable[[Any], Any]:
    """`--format table|json`, as `format_`."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "json"]),
        default="table",
        show_default=True,
        help=help_text,
    )


def merging_options(command: Any) -> Any:
    """`--pool`, `--merge`, `--whitespace-nodes`: which judgments to use, how to read points."""
    for option in (
        click.option(
            "--whitespace-nodes",
            "whitespace",
            type=click.Choice(["keep", "strip"]),
            help="Whether text points count text nodes that are only white space, where the file "
            "does not say.  [default: as the collection does]",
        ),
        click.option(
            "--merge",
            type=click.Choice(["union", "intersection", "majority"]),
            help="How to merge several judgments of the same document into one; a majority needs "
            "three of them, or two that agree.",
        ),
        click.option("--pool", metavar="ID", help="Use only the judgments of this pool."),
    ):
        command = option(command)
    return command


tokens_option = click.option(
    "--tokens",
    metavar="NAME",
    help="What counts as a token: words, an encoding of tiktoken (cl100k_base), a file of "
    "tokenizers (tokenizer.json) or a model that it knows.",
)


# Engines


_ENGINE = click.option(
    "--engine",
    metavar="ADDRESS",
    help="A cluster of dask that does the work (needs the extra `dask`): dask://HOST:PORT, "
    "tls://HOST:PORT with the certificates of dask's own configuration (distributed.comm.tls, or "
    "DASK_DISTRIBUTED__COMM__TLS__… in the environment), or dask:FILE with the scheduler file. "
    "Workers need this version of doxeval, and must see all files at the same paths.",
)
_PATIENCE = click.option(
    "--patience",
    type=click.FloatRange(0, min_open=True),
    default=PATIENCE,
    show_default=True,
    metavar="SECONDS",
    help="With --engine: how long the cluster may be without workers.",
)


def engine_options(command: Any) -> Any:
    """`--engine ADDRESS` and `--patience SECONDS`."""
    return _ENGINE(_PATIENCE(command))


def check_engine(options: dict[str, Any]) -> None:
    """Refuse options that have no effect with the engine, or without one."""
    if options["engine"] is None:
        refuse({"patience"}, "goes with --engine")
    else:
        refuse({"jobs"}, "is for this machine; the workers of --engine are its own")


@contextmanager
def engine_of(options: dict[str, Any]) -> Iterator[Engine | None]:
    """The cluster that the options name, or None for this machine."""
    if options["engine"] is None:
        yield None
        return
    from doxeval.cli.output import note
    from doxeval.parallel import open_engine

    with open_engine(options["engine"], patience=options["patience"], tell=note) as engine:
        yield engine
