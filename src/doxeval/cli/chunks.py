"""`doxeval chunks`: studies of chunked retrieval. Each of its verbs has a file of its own."""

from __future__ import annotations

from importlib import import_module

import click

from doxeval.cli.verb import VerbGroup

# The file of each verb, in the order in which they are listed.
_FILES = {
    "try": "chunks_try",
    "gold": "chunks_gold",
    "cut": "chunks_cut",
    "locate": "chunks_locate",
    "limits": "chunks_limits",
    "search": "chunks_search",
    "retrieved": "chunks_retrieved",
    "rewrite": "chunks_rewrite",
    "evaluate": "chunks_evaluate",
    "tree": "chunks_tree",
}


class _Chunks(VerbGroup):
    """Imports its verbs by name, so that each starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_FILES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _FILES:
            return None
        name = "try_" if cmd_name == "try" else cmd_name  # Python keeps `try` for itself
        command: click.Command = getattr(import_module(f"doxeval.cli.{_FILES[cmd_name]}"), name)
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
