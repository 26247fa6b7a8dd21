"""`doxeval assess`: a campaign of assessments, from the pool to the exported judgments."""

from __future__ import annotations

import click

from doxeval.cli.assess.campaign import init, roles, serve, settings, status
from doxeval.cli.assess.demo import demo
from doxeval.cli.assess.judgments import adjudicate, agreement, export, honeypots, import_
from doxeval.cli.assess.maintenance import backup, close, pool, rebase, reopen, restore, verify
from doxeval.cli.assess.package import package
from doxeval.cli.assess.people import assign, unassign, user
from doxeval.cli.verb import VerbGroup

_HEADINGS = {
    "Start": ("demo", "init", "roles", "serve", "settings"),
    "People and topics": ("user", "assign", "unassign", "close", "reopen", "pool", "honeypots"),
    "Progress and judgments": ("status", "agreement", "adjudicate", "export", "import"),
    "Keep and move": ("package", "backup", "restore", "verify", "rebase"),
}


@click.group(cls=VerbGroup, headings=_HEADINGS)
def assess() -> None:
    """Judge documents in the browser.

    People highlight what is relevant, and their judgments are exported for evaluation.

    A campaign is a directory with the pool, the people and their judgments. The collection stays
    where it is. Needs the server's parts: pip install 'doxeval[assess]'.

    \b
    Start here:
      doxeval assess demo --open                    try it on the demo collection
      doxeval assess init DIR --collection … --topics … --pool …
      doxeval assess user import DIR people.csv       everybody, with passwords
      doxeval assess assign DIR --balance --twice .2  documents, spread evenly
      doxeval assess serve DIR                        the application
      doxeval assess export DIR --format jsonl --out qrels.jsonl
    """


for command in (
    *(init, roles, settings, user, assign, unassign, serve, status, close, reopen, pool),
    *(
        honeypots,
        export,
        import_,
        agreement,
        adjudicate,
        rebase,
        package,
        backup,
        restore,
        verify,
        demo,
    ),
):
    assess.add_command(command)
assess.add_synonym("users", "user")
