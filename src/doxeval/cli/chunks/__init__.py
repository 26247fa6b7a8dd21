"""`doxeval chunks`: studies of chunked retrieval. Each of its verbs has a file of its own."""

from __future__ import annotations

from importlib import import_module

import click

from doxeval.cli.verb import VerbGroup

# The verbs in the order in which they are listed, and the function of each in its file.
_VERBS = {
    "try": "try_:try_",  # Python keeps `try` for itself
    "questions": "questions:questions",
    "split": "split:split",
    "locate": "locate:locate",
    "limits": "limits:limits",
    "search": "search:search",
    "retrieved": "retrieved:retrieved",
    "rewrite": "rewrite:rewrite",
    "evaluate": "evaluate:evaluate",
}
# A verb by the name it had before.
_ALIASES = {"gold": "questions"}


class _ChunksGroup(VerbGroup):
    """Imports its verbs by name, so that each starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = _ALIASES.get(cmd_name, cmd_name)
        if verb not in _VERBS:
            return None
        file, _, name = _VERBS[verb].partition(":")
        command: click.Command = getattr(import_module(f"doxeval.cli.chunks.{file}"), name)
        return command


_HEADINGS = {
    "Compare": ("try", "evaluate", "limits"),
    "Gold and chunks": ("questions", "split", "locate"),
    "Runs": ("search", "retrieved", "rewrite"),
}


@click.group(cls=_ChunksGroup, headings=_HEADINGS)
def chunks() -> None:
    """Evaluate chunked retrieval, with any splitter and any gold.

    Chunk ids change with every chunking, characters do not: spans of the documents are judged.

    \b
    Start here:
      doxeval chunks try handbook questions.jsonl   compare built-in chunkings
      doxeval chunks questions q.csv --docs handbook --out judged.jsonl
      doxeval chunks locate chunks.jsonl --docs handbook --out located.jsonl
    """
