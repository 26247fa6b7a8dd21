"""The organiser's pages: progress, assignments, agreement, closing, accounts, and exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import RedirectResponse, Response

from doxeval.assess.agreement import agreement_with_programs, honeypots, number
from doxeval.assess.choices import INVITED_FOR, PARTS, ROLES
from doxeval.assess.db import SAMPLE, BalanceOptions, NewPerson, Unknown, parsed_people
from doxeval.assess.exchange import (
    EXPORT_FORMATS,
    Undecided,
    check_fit,
    export_download,
    judgments_to_export,
    log_lines,
)
from doxeval.assess.web.api import (
    assessor_named,
    document_of,
    judgment_to_read,
    known_topic,
    place_in,
)
from doxeval.assess.web.errors import RefusedRequest, as_sentence
from doxeval.assess.web.pages import agreement_rows, titles_of_topics
from doxeval.assess.web.rendering import (
    campaign_of,
    decimals,
    invitation_link,
    render,
    site_of,
    url,
)
from doxeval.assess.web.requests import checked_id, is_storable
from doxeval.assessments import NoMajority
from doxeval.errors import DoxevalError, InputError
from doxeval.messages import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from doxeval.assess.db import Balanced, Campaign, Pace, Part, User
    from doxeval.assess.exchange import Export, ExportFormat

# What the page says after a form was sent; the address has the word, never the sentence.
NOTICES = {
    "closed": "The topic is closed. Nobody can change its judgments.",
    "reopened": "The topic is open again.",
    "settings": "The campaign looks as you wish.",
    "assigned": "The topic is assigned.",
    "spread": "The documents are spread over the assessors.",
    "unassigned": "The assignment is withdrawn. Judgments that were made are kept.",
    "disabled": "The account is disabled, and its sessions have ended.",
    "enabled": "The account is enabled.",
    "withdrawn": "The invitation is withdrawn. Its link no longer works.",
}
MOST_LISTED = 2000  # judgments on a page
SHOWN_ONCE = "Write the password down now: it is not shown again."
LINKS_SHOWN_ONCE = "Pass on every link now, each to its user alone: they are not shown again."
# What the form for spreading documents has at first.
_BALANCE = {"topic": "", "per_document": "1", "twice": "0", "seed": "0", "keep_topics": ""}
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


def get_organise(request: Request) -> Response:
    """Show the whole page."""
    return _organise_page(request, notice=NOTICES.get(request.state.query.get("done", ""), ""))


def _organise_page(
    request: Request,
    *,
    notice: str = "",
    problem: str = "",
    secrets: Sequence[tuple[str, str]] = (),
    balanced: Balanced | None = None,
    balance_form: dict[str, str] = _BALANCE,
    people: str = SAMPLE,
    given: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    """Return the page.

    secrets: users with new passwords or links, which are shown this once. balanced: who would get
    what, by the form that was sent. people, given: what stands in the field for new people,
    and in those for settings.
    """
    campaign = campaign_of(request)
    topics, progress = campaign.topics(), campaign.progress()
    pace, settings = campaign.pace(progress), campaign.settings
    return render(
        request,
        "organise",
        status=status,
        notice=notice,
        problem=problem,
        secrets=secrets,
        balanced=balanced,
        balance_form=_BALANCE | balance_form,
        people=people,
        sample=SAMPLE,
        invitations={each.user: each for each in campaign.invitations()},
        uncovered=campaign.uncovered_documents(),
        topics=topics,
        titles=titles_of_topics(topics),
        users=campaign.users(),
        assignments=campaign.assignments(),
        progress=progress,
        pace=pace,
        chart=_chart(pace),
        given=given
        or {name: getattr(settings, name) for name in ("title", "instructions", "colour")},
        agreements=agreement_rows(campaign),
        programs=campaign.programs(),
        programs_agree=_program_rows(campaign),
        honeypots=_honeypot_rows(campaign),
        mode=campaign.mode,
        roles=ROLES,
    )


class Chart(NamedTuple):
    """A curve of documents done, in units of a picture, and where all of them would be."""

    width: int
    height: int
    points: str
    highest: float


def _chart(pace: Pace) -> Chart | None:
    """Return the curve from nothing to what is done today; None if nothing is."""
    if not pace.days:
        return None
    width, height, margin = 480, 140, 4
    most = max(pace.total, pace.days[-1].done, 1)
    across = (width - 2 * margin) / len(pace.days)
    up = (height - 2 * margin) / most
    counts = [0, *(each.done for each in pace.days)]
    points = " ".join(
        f"{margin + number * across:.1f},{height - margin - count * up:.1f}"
        for number, count in enumerate(counts)
    )
    return Chart(width, height, points, round(height - margin - pace.total * up, 1))


def _program_rows(campaign: Campaign) -> list[list[str]]:
    """Return a head and rows: how far programs agree with people."""
    judged = campaign.judgments(programs=True)
    head, *rows = agreement_with_programs(judged, campaign.mode).table()
    return [head, *rows] if rows else []


def _honeypot_rows(campaign: Campaign) -> list[list[str]]:
    """Return a head and rows: how assessors judged documents with known highlights."""
    gold = campaign.gold()
    if not gold:
        return []
    names = {user.pseudonym: user.name for user in campaign.users()}
    head = ["assessor", "pseudonym", "honeypots judged", "rightly relevant or not"]
    rows = [
        [
            names.get(score.assessor, "–"),
            score.assessor,
            f"{score.judged:,}",
            f"{score.right:,}",
            *(decimals(number(mean.micro)) for mean in (score.precision, score.recall, score.f1)),
        ]
        for score in honeypots(campaign.judgments(), gold, campaign.mode)
    ]
    return [[*head, "precision", "recall", "F1"], *rows]


def _back(done: str, section: str) -> Response:
    """Go back to a section of the page after a form was sent."""
    return RedirectResponse(f"{url('/organise', done=done)}#{section}", 303)


def post_settings(request: Request) -> Response:
    """Change the title, the instructions and the colour of the campaign."""
    form = request.state.form
    changes = {name: form.get(name, "").strip() for name in ("title", "instructions", "colour")}
    changes["instructions"] = changes["instructions"].replace("\r\n", "\n")
    try:
        campaign_of(request).change_settings(changes, request.user)
    except InputError as error:
        return _organise_page(request, problem=as_sentence(error), given=changes, status=422)
    return _back("settings", "settings")


# Topics and assignments


def post_close(request: Request) -> Response:
    """Close a topic: its judgments can no longer be changed."""
    campaign_of(request).close_topic(_topic(request), request.user)
    return _back("closed", "topics")


def post_reopen(request: Request) -> Response:
    """Open a topic again."""
    campaign_of(request).reopen_topic(_topic(request), request.user)
    return _back("reopened", "topics")


def post_assign(request: Request) -> Response:
    """Give a topic to somebody."""
    topic, user, part = _topic(request), _user(request), _part(request)
    campaign_of(request).assign(topic, user, part, request.user)
    return _back("assigned", "assignments")


def post_unassign(request: Request) -> Response:
    """Take a topic from somebody; their judgments stay."""
    topic, user, part = _topic(request), _user(request), _part(request)
    campaign_of(request).unassign(topic, user, part, request.user)
    return _back("unassigned", "assignments")


def post_balance(request: Request) -> Response:
    """Spread documents over assessors, or show how they would be."""
    form, campaign = request.state.form, campaign_of(request)
    try:
        options = BalanceOptions(
            _number(form, "per_document", 1),
            _number(form, "twice", 0) / 100,
            "keep_topics" in form,
            _number(form, "seed", 0),
        )
        topics = [_topic(request)] if form.get("topic") else None
        is_trial = form.get("do") != "spread"
        balanced = campaign.balance(options, topics, None, request.user, is_trial)
    except InputError as error:
        return _organise_page(request, problem=as_sentence(error), balance_form=form, status=422)
    if is_trial:
        return _organise_page(request, balanced=balanced, balance_form=form)
    return _back("spread", "assignments")


def _number(form: Mapping[str, str], name: str, default: int) -> int:
    """Return a whole number from 0 on in a field of a form."""
    given = form.get(name, "").strip()
    if not given:
        return default
    if not (given.isascii() and given.isdigit() and len(given) <= 9):
        raise InputError(f"{quoted(given)}: expected a whole number")
    return int(given)


def _topic(request: Request) -> str:
    topic = checked_id(request.state.form.get("topic"), "topic")
    return known_topic(campaign_of(request), topic).id


def _part(request: Request) -> Part:
    given = request.state.form.get("part", "assess")
    if given not in PARTS:
        raise RefusedRequest(400, "The part is assess or adjudicate.", "part")
    part: Part = given
    return part


def _user(request: Request) -> User:
    name = checked_id(request.state.form.get("user"), "user")
    try:
        return campaign_of(request).user(name)
    except Unknown:
        raise RefusedRequest(404, "There is no such user.", "user") from None


# Accounts


def post_add_user(request: Request) -> Response:
    """Add an account, with a password made up by the server."""
    form = request.state.form
    name, role = form.get("name", "").strip(), form.get("role", "")
    if role not in ROLES or not is_storable(name):
        raise RefusedRequest(400, "Give a name and one of the roles.", "user")
    return _added(request, [NewPerson(name, role)], form)


def post_import_users(request: Request) -> Response:
    """Add everybody in a list, or nobody."""
    form = request.state.form
    text = form.get("people", "").replace("\r\n", "\n")
    try:
        people = parsed_people(text, "the list")
    except InputError as error:
        return _organise_page(request, problem=as_sentence(error), people=text, status=422)
    return _added(request, people, form)


def _added(request: Request, people: Sequence[NewPerson], form: Mapping[str, str]) -> Response:
    """Add people, and show once what they need to sign in."""
    is_invited = form.get("with") == "link"
    try:
        added = campaign_of(request).add_people(
            people, INVITED_FOR if is_invited else None, request.user
        )
    except InputError as error:
        text = form.get("people", SAMPLE)
        return _organise_page(request, problem=as_sentence(error), people=text, status=422)
    secrets = [
        (user.name, _link(request, secret) if is_invited else secret) for user, secret in added
    ]
    return _secrets_page(request, secrets, is_invited)


def _secrets_page(
    request: Request, secrets: Sequence[tuple[str, str]], are_links: bool
) -> Response:
    once = LINKS_SHOWN_ONCE if are_links else SHOWN_ONCE
    return _organise_page(request, notice=once, secrets=secrets)


def _link(request: Request, token: str) -> str:
    scheme = "https" if site_of(request).secure else "http"
    return invitation_link(f"{scheme}://{request.headers.get('host', '')}", token)


def post_invite(request: Request) -> Response:
    """Make a link by which a user chooses a password; an older one no longer works."""
    user = _user(request)
    try:
        made = campaign_of(request).invite(user.name, by=request.user)
    except InputError as error:
        return _organise_page(request, problem=as_sentence(error), status=422)
    return _secrets_page(request, [(user.name, _link(request, made.token))], True)


def post_withdraw(request: Request) -> Response:
    """Take an invitation back."""
    campaign_of(request).withdraw_invitation(_user(request).name, request.user)
    return _back("withdrawn", "users")


def post_reset_password(request: Request) -> Response:
    """Give somebody a new password; their sessions end."""
    user = _user(request)
    password = campaign_of(request).set_password(user.name)
    return _secrets_page(request, [(user.name, password)], False)


def post_disable_user(request: Request) -> Response:
    """Keep somebody from signing in, and sign them out."""
    user = _user(request)
    if user.id == request.user.id:
        raise RefusedRequest(422, "You cannot disable your own account.", "own-account")
    campaign_of(request).set_active(user.name, False)
    return _back("disabled", "users")


def post_enable_user(request: Request) -> Response:
    """Let somebody sign in again."""
    campaign_of(request).set_active(_user(request).name, True)
    return _back("enabled", "users")


# What somebody judged


def get_judgments(request: Request) -> Response:
    """List what somebody judged, for one topic or all."""
    campaign, query = campaign_of(request), request.state.query
    assessor = assessor_named(campaign, query.get("user"))
    topic = query.get("topic") or None
    if topic is not None:
        known_topic(campaign, checked_id(topic, "topic"))
    judged = campaign.judgments(topic, assessor.judge, drafts=True, programs=True)
    finder = site_of(request).finder
    return render(
        request,
        "judgments",
        name=assessor.name,
        topic=topic,
        judged=judged[:MOST_LISTED],
        count=len(judged),
        topics=campaign.topics(),
        titles=titles_of_topics(campaign.topics()),
        documents={each.document: finder.title(each.document) for each in judged[:MOST_LISTED]},
    )


def get_judgment(request: Request) -> Response:
    """Show a document as somebody judged it, which its script fills; nothing can be changed."""
    campaign = campaign_of(request)
    topic, judge = judgment_to_read(request)
    document = document_of(request)
    place_in(campaign.queue(topic, judge), document)
    return render(
        request,
        "article",
        topic=topic,
        topic_title=known_topic(campaign, topic).topic.title,
        document=document,
        title=site_of(request).finder.title(document),
        judge=None,
        reading=request.state.query["user"],
    )


# Exports


class OfferedFormat(NamedTuple):
    """A format, what it would lose, and why it cannot be written, if it cannot."""

    name: str
    losses: tuple[str, ...] = ()
    problem: str = ""

    @property
    def title(self) -> str:
        """What the page calls it."""
        return TITLES[self.name]


class ExportChoice(NamedTuple):
    """What an organiser chose to export."""

    topic: str | None
    judgments: str
    drafts: bool
    programs: bool = False


def get_exports(request: Request) -> Response:
    """Show the formats, and what each of them cannot keep."""
    choice = _choice(request)
    problem, ties, count, offers_union = "", "", 0, False
    formats = [OfferedFormat(LOG)]
    try:
        export = _export(request, choice)
        count = len(export.judged)
        ties = str(export.ties) if export.ties else ""
        formats += [_offered(export, name) for name in EXPORT_FORMATS]
        formats.sort(key=lambda offered: list(TITLES).index(offered.name))
    except RefusedRequest as refused:
        problem, offers_union = refused.sentence, refused.code == "undecided"
    return render(
        request,
        "exports",
        **choice._asdict(),
        titles=titles_of_topics(campaign_of(request).topics()),
        problem=problem,
        offers_union=offers_union,
        ties=ties,
        count=count,
        left_out=_left_out(campaign_of(request), choice),
        formats=formats,
    )


def _left_out(campaign: Campaign, choice: ExportChoice) -> list[str]:
    """Return the programs whose judgments are not in an export."""
    names = [each.program.title for each in campaign.programs() if each.judged]
    return [] if choice.programs or choice.judgments in names else names


def get_export(request: Request) -> Response:
    """Send a file of judgments; nothing but the audit trail changes."""
    choice, campaign = _choice(request), campaign_of(request)
    name = request.state.query.get("format", "")
    if name == LOG:
        file, content = "log.jsonl", b"".join(log_lines(campaign.operations(choice.topic)))
    elif name in EXPORT_FORMATS:
        file, content = export_download(_export(request, choice), name)
    else:
        raise RefusedRequest(400, "Choose one of the formats.", "format")
    campaign.note_event("export", request.user, format=name, **choice._asdict())
    is_zip = file.endswith(".zip")
    return Response(
        content,
        media_type="application/zip" if is_zip else "application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{file}"'},
    )


def _choice(request: Request) -> ExportChoice:
    query = request.state.query
    flags = {name: query.get(name) or "no" for name in ("drafts", "programs")}
    for name, flag in flags.items():
        if flag not in ("yes", "no"):
            raise RefusedRequest(400, f"{name}= is yes or no.", name)
    topic = query.get("topic") or None
    if topic is not None:
        known_topic(campaign_of(request), topic)
    judgments = query.get("judgments") or "adjudicated"
    return ExportChoice(topic, judgments, flags["drafts"] == "yes", flags["programs"] == "yes")


def _export(request: Request, choice: ExportChoice) -> Export:
    """Return the judgments to export; refuse if there are none, or nothing says which."""
    campaign = campaign_of(request)
    named = {each.program.title for each in campaign.programs()}
    with_programs = choice.programs or choice.judgments in named
    try:
        export = judgments_to_export(
            campaign.judgments(choice.topic, drafts=choice.drafts, programs=with_programs),
            collection=campaign.collection,
            mode=campaign.mode,
            judgments=choice.judgments,
            drafts=choice.drafts,
        )
    except NoMajority:
        sentence = (
            "Two assessors differ about some documents, and two have no majority. Have the "
            "documents adjudicated or judged by a third assessor, or export the judgments of "
            "anybody (union) or of one assessor."
        )
        raise RefusedRequest(400, sentence, "undecided") from None
    except Undecided:
        sentence = (
            "The assessors differ about some documents. Have them adjudicated, or export the "
            "judgments of the majority (of three or more), of anybody (union) or of one assessor."
        )
        raise RefusedRequest(400, sentence, "undecided") from None
    if not export.judged:
        more = "" if choice.drafts else " With drafts, judgments that were only begun are added."
        raise RefusedRequest(400, f"There are no validated judgments to export yet.{more}", "empty")
    return export


def _offered(export: Export, name: ExportFormat) -> OfferedFormat:
    try:
        check_fit(export, name)
        return OfferedFormat(name, export.losses(name))
    except DoxevalError as error:
        return OfferedFormat(name, problem=f"Not possible: {error}.")
