"""`doxeval chunks`: studies of chunked retrieval. Each of its verbs has a file of its own."""

from __future__ import annotations

from importlib import import_module

import click

from doxeval.cli.verb import VerbGroup

# In the order in which they are listed.
_VERBS = (
    "try",
    "gold",
    "cut",
    "locate",
    "limits",
    "search",
    "retrieved",
    "rewrite",
    "evaluate",
    "tree",
)


class _Chunks(VerbGroup):
    """Imports its verbs by name, so that each starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        file = {"try": "try_", "cut": "split"}.get(cmd_name, cmd_name)
        name = "try_" if cmd_name == "try" else cmd_name
        command: click.Command = getattr(import_module(f"doxeval.cli.chunks.{file}"), name)
        return command


@click.group(cls=_Chunks)
def chunks() -> None:
    """Evaluate chunked retrieval: chunks of any splitter, gold of any format.

    Chunk ids change with every cut, characters do not: what is judged are ranges of the documents.

    \b
    Start here:
      doxeval chunks try handbook questions.jsonl     built-in cuts compared; nothing else is needed
      doxeval chunks gold questions.csv --docs handbook --out judged.jsonl
      doxeval chunks locate chunks.jsonl --docs handbook --out located.jsonl
    """
