"""Exports for organisers: what each format would lose, then the file itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import Response

from doxeval.assess.exchange import (
    EXPORT_FORMATS,
    Undecided,
    check_fit,
    export_download,
    judgments_to_export,
    log_lines,
)
from doxeval.assess.web.problems import Problem
from doxeval.assess.web.templates import render
from doxeval.assessments import NoMajority
from doxeval.errors import DoxevalError

if TYPE_CHECKING:
    from doxeval.assess.exchange import Export, ExportFormat
    from doxeval.assess.web.asked import Asked

LOG = "log"
TITLES: dict[str, str] = {
    "jsonl": "JSONL of doxeval",
    "annotations": "W3C Web Annotations (JSON-LD)",
    "inex2008": "INEX 2008–10 (text)",
    "inex2005": "INEX 2005–07 (XML)",
    "inex2003": "INEX 2003–04 (XML)",
    "trec": "TREC qrels",
    LOG: "log of all operations (JSONL)",
}


class Offered(NamedTuple):
    """A format, what it would lose, and why it cannot be written, if it cannot."""

    name: str
    losses: tuple[str, ...] = ()
    problem: str = ""

    @property
    def title(self) -> str:
        """What the page calls it."""
        return TITLES[self.name]


class Wanted(NamedTuple):
    """What an organiser wants to export."""

    topic: str | None
    judgments: str
    drafts: bool


def _wanted(asked: Asked) -> Wanted:
    drafts = asked.query.get("drafts") or "no"
    if drafts not in ("yes", "no"):
        raise Problem(400, "drafts= is yes or no.", "drafts")
    topic = asked.query.get("topic") or None
    if topic is not None and all(one.id != topic for one in asked.campaign.topics()):
        raise Problem(404, "There is no such topic.", "topic")
    return Wanted(topic, asked.query.get("judgments") or "adjudicated", drafts == "yes")


def _export(asked: Asked, wanted: Wanted) -> Export:
    """The judgments to export; if there are none, or nothing says which ones, a Problem."""
    campaign = asked.campaign
    try:
        export = judgments_to_export(
            campaign.judgments(topic=wanted.topic, drafts=wanted.drafts),
            collection=campaign.collection,
            mode=campaign.mode,
            judgments=wanted.judgments,
            drafts=wanted.drafts,
        )
    except NoMajority:
        sentence = (
            "Two assessors differ about some documents, and two have no majority. Have the "
            "documents adjudicated or judged by a third assessor, or export the judgments of "
            "anybody (union) or of one assessor."
        )
        raise Problem(400, sentence, "undecided") from None
    except Undecided:
        sentence = (
            "The assessors differ about some documents. Have them adjudicated, or export the "
            "judgments of the majority (of three or more), of anybody (union) or of one assessor."
        )
        raise Problem(400, sentence, "undecided") from None
    if not export.judged:
        more = "" if wanted.drafts else " With drafts, judgments that were only begun are added."
        raise Problem(400, f"There are no validated judgments to export yet.{more}", "empty")
    return export


def get_exports(asked: Asked) -> Response:
    """The formats, and what each of them cannot keep."""
    wanted = _wanted(asked)
    problem, ties, count = "", "", 0
    offered = [Offered(LOG)]
    try:
        export = _export(asked, wanted)
        count = len(export.judged)
        ties = str(export.ties) if export.ties else ""
        ours = [_offered(export, name) for name in EXPORT_FORMATS]
        offered = sorted([*ours, *offered], key=lambda one: list(TITLES).index(one.name))
    except Problem as refused:
        problem = refused.sentence
    values = wanted._asdict() | {
        "problem": problem,
        "ties": ties,
        "count": count,
        "formats": offered,
    }
    return render("exports", asked.site, asked.who, **values)


def _offered(export: Export, name: ExportFormat) -> Offered:
    try:
        check_fit(export, name)
        return Offered(name, export.losses(name))
    except DoxevalError as error:
        return Offered(name, problem=f"Not possible: {error}.")


def get_export(asked: Asked) -> Response:
    """A file of judgments; nothing but the audit trail changes."""
    wanted = _wanted(asked)
    name = asked.query.get("format", "")
    if name == LOG:
        file, content = "log.jsonl", b"".join(log_lines(asked.campaign.operations(wanted.topic)))
    else:
        known = next((one for one in EXPORT_FORMATS if one == name), None)
        if known is None:
            raise Problem(400, "Choose one of the formats.", "format")
        file, content = export_download(_export(asked, wanted), known)
    asked.campaign.note_event("export", asked.who, format=name, **wanted._asdict())
    is_zip = file.endswith(".zip")
    return Response(
        content,
        media_type="application/zip" if is_zip else "application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{file}"'},
    )
