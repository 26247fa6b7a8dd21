"""`doxeval assess export`, `import`, `honeypots`, `agreement` and `adjudicate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from doxeval.assess.exchange import ExportFormat
from doxeval.cli.assess.opening import (
    CampaignOptions,
    directory_argument,
    opened_campaign,
    programs_option,
    topics_chosen,
    topics_option,
)
from doxeval.cli.options import (
    TableOrJson,
    check_wide,
    force_option,
    format_option,
    out_option,
    refuse_existing,
    wide_option,
)
from doxeval.cli.output import heading, json_data, line, note, print_table, warn
from doxeval.cli.verb import refuse, verb
from doxeval.messages import join_names, plural, truncate
from doxeval.named import REQUIRED, option

if TYPE_CHECKING:
    from doxeval.assess.agreement import AssessorAgreement, HoneypotScore
    from doxeval.assess.db import Campaign, Imported, User
    from doxeval.assess.exchange import ImportedState, Judged


@dataclass(frozen=True)
class ExportOptions(CampaignOptions):
    """The options of `doxeval assess export`."""

    format: Literal[ExportFormat, "log"] = option(
        REQUIRED,
        "annotations (W3C Web Annotations) has everything, jsonl everything but notes; inex2003, "
        "inex2005 and inex2008 are the forms of INEX 2003–04, 2005–07 and 2008–10; trec has whole "
        "documents; log has every operation.",
    )
    out: Path = out_option(
        "The file to write; inex2003 and inex2005 make a directory with a file for each topic."
    )
    judgments: str = option(
        "adjudicated",
        "Whose judgments, where several people judged a document; NAME is a user or a pseudonym.",
        metavar="adjudicated|majority|union|NAME",
    )
    drafts: bool = option(False, "Also what is not validated yet, marked as a draft.")
    programs: bool = programs_option()
    topics: tuple[str, ...] = topics_option()
    force: bool = force_option("what exists")


@verb(ExportOptions)
@directory_argument
def export(directory: Path, options: ExportOptions) -> None:
    """Write the judgments to a file.

    It is for `doxeval evaluate` and the like. Validated judgments are exported, under
    pseudonyms. If assessors differ, and nobody has adjudicated, say with --judgments whose
    judgments to take. Those of programs are left out unless --programs is given, or one of them is
    named. What a format cannot hold is said on stderr, before anything is written.

    \b
    Examples:
      doxeval assess export campaign --format jsonl --out qrels.jsonl
      doxeval assess export campaign --format inex2008 --judgments majority --out qrels.txt
      doxeval assess export campaign --format log --out log.jsonl
    """
    from doxeval.files import outputs_together

    if options.format == "log":
        refuse(
            {"judgments", "drafts", "programs"}, "has no effect on the log, which has everything"
        )
    refuse_existing(options.out, force=options.force, directories=True)
    # The file appears when the campaign has noted the export.
    with opened_campaign(directory, options.collection) as campaign, outputs_together():
        topics = topics_chosen(campaign, options.topics)
        if options.format == "log":
            written, exported = "operation", _write_log(campaign, options.out, topics)
        else:
            written, exported = (
                "judgment",
                _write_judgments(campaign, topics, options, options.format),
            )
        campaign.note_event("exported", format=options.format, topics=topics)
    counted = plural(len(set(exported)), "topic")
    line(f"{options.out}: {plural(len(exported), written)} of {counted}")


def _write_log(campaign: Campaign, out: Path, topics: list[str]) -> list[str]:
    """Write the log; return the topic of each operation in it."""
    from doxeval.assess.exchange import write_log

    operations = [logged for logged in campaign.operations() if logged.topic in topics]
    write_log(operations, out)
    return [logged.topic for logged in operations]


def _write_judgments(
    campaign: Campaign, topics: list[str], options: ExportOptions, format: ExportFormat
) -> list[str]:
    """Write the judgments, after what their format loses was said; return the topic of each."""
    from doxeval.assess.exchange import judgments_to_export, write_export
    from doxeval.errors import InputError

    pseudonyms = {user.name: user.pseudonym for user in campaign.users()}
    is_program = options.judgments in {each.program.title for each in campaign.programs()}
    if not is_program:
        note_programs(campaign, options.programs)
    exported = judgments_to_export(
        campaign.judgments(topics, drafts=True, programs=options.programs or is_program),
        collection=campaign.collection,
        mode=campaign.mode,
        judgments=pseudonyms.get(options.judgments, options.judgments),
        drafts=options.drafts,
    )
    if not exported.judged:
        raise InputError("there is nothing to export: nothing has been validated yet")
    if losses := exported.losses(format):
        warn([f"{format} does not hold {join_names(losses)}"])
    if exported.ties:
        warn([str(exported.ties)])
    write_export(exported, options.out, format)
    return [judged.topic for judged in exported.judged]


@dataclass(frozen=True)
class ImportOptions(CampaignOptions):
    """The options of `doxeval assess import`."""

    assessor: str | None = option(None, "The user whose judgments they are.", metavar="NAME")
    program: str | None = option(
        None,
        "The program whose judgments they are: the name of a language model, of a rule …",
        metavar="NAME",
    )
    version: str = option("", "The program's version; each is an assessor of its own.", metavar="V")
    about: str = option(
        "", "What else is to be known of the program, such as the prompt.", metavar="TEXT"
    )
    replace: bool = option(False, "Also where the same assessor has judged already.")


@verb(ImportOptions, name="import")
@directory_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def import_(directory: Path, file: Path, options: ImportOptions) -> None:
    """Read judgments from a file.

    It may be assessments in any format, or Web Annotations. Highlights are taken exactly as they
    are, all judgments or none. What the user has judged already stays, unless --replace is given.
    The log records the import.

    Judgments that no person made are those of a --program. It is an assessor of its own kind, which
    cannot sign in: progress, agreement, adjudication and exports leave it out unless --programs is
    given, and `doxeval assess agreement` compares it with people in a table of its own.

    \b
    Examples:
      doxeval assess import campaign qrels.jsonl --assessor ann
      doxeval assess import campaign llm.jsonl --program llama --version 3.1 --about "$(cat prompt)"
    """
    if (options.assessor is None) == (options.program is None):
        raise click.UsageError("give --assessor, or --program for what no person judged")
    if options.program is None:
        refuse({"version", "about"}, "goes with --program")
    from doxeval.assess.db import Program
    from doxeval.assess.exchange import states_of

    with opened_campaign(directory, options.collection) as campaign:
        assessor: User | Program
        if options.program is not None:
            assessor = Program(options.program, options.version, options.about)
            name = assessor.title
        else:
            assessor = campaign.user(str(options.assessor))
            name = assessor.name
        imported = states_of(file, campaign.collection, campaign.mode)
        _refuse_repeated(imported, file)
        if options.program is None:
            _refuse_programs(imported, file)
        done = campaign.import_judgments(imported, assessor, replace=options.replace)
    for judgment in imported:
        if judgment.problems:
            warn([f"{_where(judgment)} is open: {join_names(judgment.problems)}"])
    kind = "the program " if options.program is not None else ""
    _print_done(done, f"imported as those of {kind}{truncate(name)}")


def _where(judgment: ImportedState) -> str:
    return f"{truncate(judgment.document)} for topic {truncate(judgment.topic)}"


def _refuse_repeated(judgments: list[ImportedState], file: Path) -> None:
    """Refuse the judgments of a file that has several of one document for one topic."""
    from doxeval.errors import InputError

    seen: set[tuple[str, str]] = set()
    for judgment in judgments:
        pair = (judgment.topic, judgment.document)
        if pair in seen:
            raise InputError(
                f"several judgments of {_where(judgment)}; expected those of one assessor",
                str(file),
            )
        seen.add(pair)


def _refuse_programs(judgments: list[ImportedState], file: Path) -> None:
    """Refuse judgments that programs made where people's are expected."""
    from doxeval.errors import InputError

    for judgment in judgments:
        if "program" in judgment.marks:
            message = f"that of {_where(judgment)} was made by a program: expected people's"
            raise InputError(f"{message} (--program imports it)", str(file), judgment.line)


def note_programs(campaign: Campaign, counted: bool) -> None:
    """Say that judgments of programs are left out, or that there are none to count."""
    judged = {each.program.title: each.judged for each in campaign.programs() if each.judged}
    if counted and not judged:
        warn(["--programs has no effect: no program has judged anything"])
    elif judged and not counted:
        those = plural(sum(judged.values()), "judgment")
        note(f"{those} of programs left out ({join_names(list(judged))}); --programs counts them")


def _print_done(done: Imported, what: str) -> None:
    """Print how many judgments were written, and which were left alone."""
    if done.kept:
        kept = join_names([f"{document} for topic {topic}" for topic, document in done.kept])
        warn([f"kept, having been judged already (--replace replaces them): {kept}"])
    same = f", {done.unchanged:,} there already" if done.unchanged else ""
    line(f"{plural(done.written, 'judgment')} {what}{same}")


@dataclass(frozen=True)
class AgreementOptions(CampaignOptions):
    """The options of `doxeval assess agreement`."""

    topics: tuple[str, ...] = topics_option()
    programs: bool = programs_option()
    wide: bool = wide_option()
    format: TableOrJson = format_option("How to print the agreement.")


@verb(AgreementOptions)
@directory_argument
def agreement(directory: Path, options: AgreementOptions) -> None:
    """Print how far assessors agree.

    It is about documents, characters and best entry points, or grades. Each pair of assessors is
    compared over the documents that both have validated. Coefficients that are undefined, such as κ
    when both say the same of everything, are a dash. The table names users, JSON their pseudonyms.
    If there are honeypots, assessors are also compared with what is known.

    Programs have a table of their own, which compares each of them with each person and with what
    was adjudicated. With --programs they also count as assessors everywhere else.

    \b
    Example:
      doxeval assess agreement campaign --topic 301
    """
    from doxeval.assess.agreement import agreement as agreement_of
    from doxeval.assess.agreement import agreement_with_programs
    from doxeval.assess.agreement import honeypots as scores_on_honeypots

    check_wide(options.format)
    with opened_campaign(directory, options.collection) as campaign:
        topics, by_programs = topics_chosen(campaign, options.topics), bool(campaign.programs())
        if options.programs:
            note_programs(campaign, True)
        every = campaign.judgments(topics, programs=True)
        if options.format == "table":
            every = _by_name(campaign, every)
        judged = [each for each in every if options.programs or not each.program]
        agreed = agreement_of(judged, campaign.mode)
        with_programs = agreement_with_programs(every, campaign.mode)
        scores = scores_on_honeypots(judged, campaign.gold(), campaign.mode)
    if options.format == "json":
        more = {"programs": with_programs.as_dict()["rows"]} if by_programs else {}
        more["honeypots"] = [score.as_dict() for score in scores]
        json_data(agreed.as_dict() | more, indent=1)
    else:
        _print_agreement(agreed, with_programs, scores)
        if by_programs and not with_programs.rows:
            line()
            line("No document has been validated by a person and a program yet.")


def _by_name(campaign: Campaign, judged: Sequence[Judged]) -> list[Judged]:
    """Return judgments with names of users in place of pseudonyms, for organisers to read."""
    from dataclasses import replace

    names: dict[str | None, str] = {user.pseudonym: user.name for user in campaign.users()}
    return [replace(each, assessor=names.get(each.assessor, each.assessor)) for each in judged]


def _print_agreement(
    agreed: AssessorAgreement, with_programs: AssessorAgreement, scores: Sequence[HoneypotScore]
) -> None:
    if agreed.rows:
        head, *rows = agreed.table()
        print_table(head, rows)
    else:
        line("No document has been validated by two assessors yet.")
    if with_programs.rows:
        line()
        heading("People and programs")
        head, *rows = with_programs.table()
        print_table(head, rows)
    if scores:
        line()
        heading("On honeypots")
        header = ["assessor", "judged", "right", "precision", "recall", "F1"]
        print_table(header, [_honeypot_cells(score) for score in scores])


def _honeypot_cells(score: HoneypotScore) -> list[str]:
    values = (score.precision.micro, score.recall.micro, score.f1.micro)
    shown = ["–" if value is None else f"{float(value):.3f}" for value in values]
    return [score.assessor, f"{score.judged:,}", f"{score.right:,}", *shown]


@dataclass(frozen=True)
class AdjudicateOptions(CampaignOptions):
    """The options of `doxeval assess adjudicate`."""

    by: Literal["majority", "union", "intersection"] = option(
        REQUIRED,
        "Which characters are relevant: those of more than half of the assessors, of any, or of "
        "all.",
    )
    programs: bool = programs_option()
    topics: tuple[str, ...] = topics_option()
    replace: bool = option(False, "Also what was adjudicated already.")


@verb(AdjudicateOptions)
@directory_argument
def adjudicate(directory: Path, options: AdjudicateOptions) -> None:
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
    with opened_campaign(directory, options.collection) as campaign:
        chosen = topics_chosen(campaign, options.topics)
        note_programs(campaign, options.programs)
        done = campaign.adjudicate(
            options.by, chosen, replace=options.replace, programs=options.programs
        )
    if done.ties:
        warn([str(done.ties)])
    _print_done(done, f"adjudicated by {options.by}")


@verb(CampaignOptions)
@directory_argument
@click.argument("gold", metavar="GOLD", type=click.Path(path_type=Path))
def honeypots(directory: Path, gold: Path, options: CampaignOptions) -> None:
    """Place documents with known judgments.

    They show how well assessors do. GOLD is a file of assessments. Each document that it judges
    joins the queue of its topic and looks like any other. `doxeval assess agreement` scores the
    assessors against it, and exports say which judgments are of honeypots.

    \b
    Example:
      doxeval assess honeypots campaign gold.jsonl
    """
    from doxeval.assess.exchange import states_of

    with opened_campaign(directory, options.collection) as campaign:
        known = states_of(gold, campaign.collection, campaign.mode)
        _refuse_repeated(known, gold)
        _refuse_programs(known, gold)
        outside = campaign.place_honeypots(known)
    line(f"{plural(len(known), 'honeypot')} placed, {outside:,} of them not in the pool")
