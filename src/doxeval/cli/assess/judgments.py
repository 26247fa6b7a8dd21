"""`doxeval assess export`, `import`, `honeypots`, `agreement` and `adjudicate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.assess.opening import (
    campaign_argument,
    opened_campaign,
    topic_option,
    topics_chosen,
)
from doxeval.cli.decorators import table_or_json
from doxeval.cli.output import block, heading, json_data, line, warn
from doxeval.cli.verb import refuse, verb
from doxeval.messages import join_names, plural, truncate

if TYPE_CHECKING:
    from doxeval.assess.agreement import Agreement, HoneypotScore
    from doxeval.assess.db import Campaign, Imported
    from doxeval.assess.exchange import ImportedState, Judged
    from doxeval.assessments import Merge

FORMATS = ("jsonl", "annotations", "inex2003", "inex2005", "inex2008", "trec", "log")


@verb()
@campaign_argument
@click.option(
    "--format",
    "format_",
    required=True,
    type=click.Choice(FORMATS),
    help="annotations (W3C Web Annotations) has everything, jsonl everything but notes; inex2003, "
    "inex2005 and inex2008 are the forms of INEX 2003–04, 2005–07 and 2008–10; trec has whole "
    "documents; log has every operation.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to write; inex2003 and inex2005 make a directory with a file for each topic.",
)
@click.option(
    "--judgments",
    default="adjudicated",
    show_default=True,
    metavar="adjudicated|majority|union|NAME",
    help="Whose judgments, where several people judged a document; NAME is a user or a pseudonym.",
)
@click.option("--drafts", is_flag=True, help="Also what is not validated yet, marked as a draft.")
@topic_option
@click.option("--force", is_flag=True, help="Replace what exists.")
def export(directory: Path, out: Path, **options: Any) -> None:
    """Write the judgments to a file.

    It is for `doxeval evaluate` and for other programs. Validated judgments are exported, under
    pseudonyms. If assessors differ, and nobody has adjudicated, say with --judgments whose
    judgments to take. What a format cannot hold is said on stderr, before anything is written.

    \b
    Examples:
      doxeval assess export campaign --format jsonl --out qrels.jsonl
      doxeval assess export campaign --format inex2008 --judgments majority --out qrels.txt
      doxeval assess export campaign --format log --out log.jsonl
    """
    from doxeval.errors import OutputError
    from doxeval.files import outputs_together

    if options["format_"] == "log":
        refuse({"judgments", "drafts"}, "has no effect on the log, which has everything")
    if out.exists() and not options["force"]:
        raise OutputError(f"{out} exists; --force replaces it")
    # The file appears when the campaign has noted the export.
    with opened_campaign(directory) as campaign, outputs_together():
        topics = topics_chosen(campaign, options["topics"])
        if options["format_"] == "log":
            written = _write_log(campaign, out, topics)
        else:
            written = _write_judgments(campaign, out, topics, options)
        campaign.note_event("exported", format=options["format_"], topics=topics)
    line(f"{out}: {written}")


def _write_log(campaign: Campaign, out: Path, topics: list[str]) -> str:
    from doxeval.assess.exchange import write_log

    operations = [one for one in campaign.operations() if one.topic in topics]
    write_log(operations, out)
    return _told(len(operations), "operation", {one.topic for one in operations})


def _write_judgments(
    campaign: Campaign, out: Path, topics: list[str], options: dict[str, Any]
) -> str:
    from doxeval.assess.exchange import judgments_to_export, write_export
    from doxeval.errors import InputError

    exported = judgments_to_export(
        [one for one in campaign.judgments(drafts=True) if one.topic in topics],
        collection=campaign.collection,
        mode=campaign.mode,
        judgments=_pseudonym(campaign, options["judgments"]),
        drafts=options["drafts"],
    )
    if not exported.judged:
        raise InputError("there is nothing to export: nothing has been validated yet")
    lost = exported.losses(options["format_"])
    if lost:
        warn([f"{options['format_']} does not hold {join_names(lost)}"])
    if exported.ties:
        warn([str(exported.ties)])
    write_export(exported, out, options["format_"])
    return _told(len(exported.judged), "judgment", {one.topic for one in exported.judged})


def _told(count: int, what: str, topics: set[str]) -> str:
    return f"{plural(count, what)} of {plural(len(topics), 'topic')}"


def _pseudonym(campaign: Campaign, name: str) -> str:
    """The pseudonym of a user; other words stay as they are."""
    known = {user.name: user.pseudonym for user in campaign.users()}
    return known.get(name, name)


@verb(name="import")
@campaign_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--assessor", required=True, metavar="NAME", help="The user whose judgments they are."
)
@click.option("--replace", is_flag=True, help="Also where the user has judged already.")
def import_(directory: Path, file: Path, assessor: str, replace: bool) -> None:
    """Read judgments from a file.

    It may be assessments in any format, or Web Annotations. Highlights are taken exactly as they
    are, all judgments or none. What the user has judged already stays, unless --replace is given.
    The log records the import.

    \b
    Example:
      doxeval assess import campaign qrels.jsonl --assessor ann
    """
    from doxeval.assess.exchange import states_of

    with opened_campaign(directory) as campaign:
        user = campaign.user(assessor)
        states = _one_each(states_of(file, campaign.collection, campaign.mode), file)
        done = campaign.import_judgments(states, user, replace=replace)
    for one in states:
        if one.problems:
            reasons = join_names(one.problems)
            warn([f"{truncate(one.document)} for topic {truncate(one.topic)} is open: {reasons}"])
    _print_done(done, f"imported as those of {truncate(assessor)}")


def _one_each(states: list[ImportedState], file: Path) -> list[ImportedState]:
    """The judgments of a file, if it has no more than one of each document for each topic."""
    from doxeval.errors import InputError

    seen: set[tuple[str, str]] = set()
    for one in states:
        if (one.topic, one.document) in seen:
            where = f"{truncate(one.document)} for topic {truncate(one.topic)}"
            raise InputError(
                f"several judgments of {where}; expected those of one assessor", str(file)
            )
        seen.add((one.topic, one.document))
    return states


def _print_done(done: Imported, what: str) -> None:
    """Print how many judgments were written, and which were left alone."""
    if done.kept:
        kept = join_names([f"{document} for topic {topic}" for topic, document in done.kept])
        warn([f"kept, having been judged already (--replace replaces them): {kept}"])
    same = f", {done.unchanged:,} there already" if done.unchanged else ""
    line(f"{plural(done.written, 'judgment')} {what}{same}")


@verb()
@campaign_argument
@topic_option
@table_or_json("How to print the agreement.")
def agreement(directory: Path, topics: tuple[str, ...], format_: str) -> None:
    """Print how far assessors agree.

    It is about documents, characters and best entry points, or grades. Each pair of assessors is
    compared over the documents that both have validated. Coefficients that are undefined, such as κ
    when both say the same of everything, are a dash. The table names users, JSON their pseudonyms.
    If there are honeypots, assessors are also compared with what is known.

    \b
    Example:
      doxeval assess agreement campaign --topic 301
    """
    from doxeval.assess.agreement import agreement as agreement_of
    from doxeval.assess.agreement import honeypots as scores_on_honeypots

    with opened_campaign(directory) as campaign:
        chosen = topics_chosen(campaign, topics)
        judged = [one for one in campaign.judgments() if one.topic in chosen]
        if format_ == "table":
            judged = _by_name(campaign, judged)
        found = agreement_of(judged, campaign.mode)
        scores = scores_on_honeypots(judged, campaign.gold(), campaign.mode)
    if format_ == "json":
        on_honeypots = {"honeypots": [one.as_dict() for one in scores]}
        json_data(found.as_dict() | on_honeypots, indent=1)
    else:
        _print_agreement(found, scores)


def _by_name(campaign: Campaign, judged: Sequence[Judged]) -> list[Judged]:
    """Judgments with the names of users in place of their pseudonyms, for organisers to read."""
    from dataclasses import replace

    names: dict[str | None, str] = {user.pseudonym: user.name for user in campaign.users()}
    return [replace(one, assessor=names.get(one.assessor)) for one in judged]


def _print_agreement(found: Agreement, scores: Sequence[HoneypotScore]) -> None:
    from doxeval.cli.output import aligned

    if found.rows:
        head, *rows = found.table()
        block(aligned(head, rows))
    else:
        line("No document has been validated by two assessors yet.")
    if scores:
        line()
        heading("On honeypots")
        header = ["assessor", "judged", "right", "precision", "recall", "F1"]
        block(aligned(header, [_honeypot_cells(one) for one in scores]))


def _honeypot_cells(score: HoneypotScore) -> list[str]:
    values = (score.precision.micro, score.recall.micro, score.f1.micro)
    shown = ["–" if value is None else f"{float(value):.3f}" for value in values]
    return [score.assessor, f"{score.judged:,}", f"{score.right:,}", *shown]


@verb()
@campaign_argument
@click.option(
    "--by",
    required=True,
    type=click.Choice(["majority", "union", "intersection"]),
    help="Which characters are relevant: those of more than half of the assessors, of any, or of "
    "all.",
)
@topic_option
@click.option("--replace", is_flag=True, help="Also what was adjudicated already.")
def adjudicate(directory: Path, by: Merge, topics: tuple[str, ...], replace: bool) -> None:
    """Adjudicate by a rule.

    One judgment is made of those that assessors have validated. What somebody has adjudicated
    already stays, unless --replace is given.

    A majority needs three assessors: where two have judged a document and differ, nothing is
    written. Of four or six, exactly half may have highlighted a character; such ties are counted,
    and do not make text relevant.

    \b
    Example:
      doxeval assess adjudicate campaign --by majority --topic 301
    """
    with opened_campaign(directory) as campaign:
        chosen = topics_chosen(campaign, topics)
        done = campaign.adjudicate(by, chosen, replace=replace)
    if done.ties:
        warn([str(done.ties)])
    _print_done(done, f"adjudicated by {by}")


@verb()
@campaign_argument
@click.argument("gold", metavar="GOLD", type=click.Path(path_type=Path))
def honeypots(directory: Path, gold: Path) -> None:
    """Place documents with known judgments.

    They show how well assessors do. GOLD is a file of assessments. Each document that it judges
    joins the queue of its topic and looks like any other. `doxeval assess agreement` scores the
    assessors against it, and exports say which judgments are of honeypots.

    \b
    Example:
      doxeval assess honeypots campaign gold.jsonl
    """
    from doxeval.assess.exchange import states_of

    with opened_campaign(directory) as campaign:
        known = _one_each(states_of(gold, campaign.collection, campaign.mode), gold)
        outside = campaign.place_honeypots(known)
    line(f"{plural(len(known), 'honeypot')} placed, {outside:,} of them not in the pool")
