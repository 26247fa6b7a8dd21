"""`doxeval assess init`, `serve` and `status`: make a campaign and run it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.assess.db import Order, Snap
from doxeval.assess.judging import Mode
from doxeval.cli.assess.opening import (
    CampaignOptions,
    PasswordOptions,
    check_installed,
    database_option,
    directory_argument,
    host_option,
    note_uncovered,
    opened_campaign,
    port_option,
)
from doxeval.cli.assess.people import print_password
from doxeval.cli.options import (
    TableOrJson,
    check_wide,
    collection_option,
    format_option,
    seed_option,
    wide_option,
)
from doxeval.cli.output import (
    heading,
    json_data,
    line,
    open_in_browser,
    print_figures,
    print_table,
    warn,
)
from doxeval.cli.verb import part, verb
from doxeval.messages import plural, truncate
from doxeval.named import REQUIRED, option

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign, ProgramAssessor

_MODES: dict[Mode, str] = {
    "2006": "highlights and a best entry point",
    "2005": "highlights, then the exhaustivity of elements",
    "2003": "exhaustivity and specificity of elements",
}

_LARGEST_DISPLAY = _LARGEST_TEXT = 1 << 20  # bytes


@dataclass(frozen=True)
class LooksOptions:
    """What assessors see of a campaign besides documents; it can be changed later."""

    title: str | None = option(None, "The title of the campaign, on every page.")
    instructions: Path | None = option(
        None, "Instructions for assessors: a file in Markdown.", metavar="FILE"
    )
    colour: str | None = option(
        None,
        "The colour of links and buttons, made darker or lighter until it can be read.",
        metavar="#RRGGBB",
    )

    def given(self) -> dict[str, str]:
        """Return what is given, by name; a file of instructions as its text."""
        texts = {
            "title": self.title,
            "instructions": None if self.instructions is None else _text_of(self.instructions),
            "colour": self.colour,
        }
        return {name: text for name, text in texts.items() if text is not None}


def _text_of(file: Path) -> str:
    from doxeval.documents import decode_text
    from doxeval.errors import DocumentError, FormatError
    from doxeval.files import open_input, read_up_to

    with open_input(file) as data:
        content = read_up_to(data, _LARGEST_TEXT)
    try:
        text = decode_text(content, str(file))
    except DocumentError as error:
        raise FormatError(error.message, str(file), error.line) from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


@dataclass(frozen=True)
class InitOptions:
    """The options of `doxeval assess init`."""

    collection: str = collection_option("The collection; it stays where it is.", REQUIRED)
    topics: str = option(REQUIRED, "The topics that are to be judged.", metavar="FILE")
    pool: Path = option(
        REQUIRED,
        "Which documents are to be judged for each topic: a file of `doxeval pool`.",
        metavar="FILE",
    )
    mode: Mode = option(
        "2006",
        "How to judge, by the year of INEX: 2006 highlights and a best entry point; 2005 "
        "highlights, then exhaustivity of elements; 2003 exhaustivity and specificity of elements.",
    )
    order: Order = option(
        "pool",
        "The order of documents: as in the pool, those first that many runs returned high, or "
        "random by --seed.",
    )
    seed: int = seed_option("For the random order, and for the places of honeypots.")
    show_pooled: bool = option(
        False, "Let assessors see which elements the systems returned. It may influence them."
    )
    display: Path | None = option(
        None,
        'How to show tags and paths: JSON such as {"st": "heading", "//li//note": "footnote"}. '
        "`doxeval assess roles` lists the roles.",
        metavar="FILE",
        shown_default="by the usual names of tags",
    )
    snap: Snap = option("characters", "What highlights grow to.")
    original: str | None = option(
        None,
        "Where the documents were published, with {id} for the id of each, such as "
        "https://example.org/{id}.html: pages link to it.",
        metavar="ADDRESS",
    )
    looks: LooksOptions = part(LooksOptions)
    database: str | None = database_option()
    admin: str = option("admin", "The first user, an admin.", metavar="NAME")
    password: PasswordOptions = part(PasswordOptions)


@verb(InitOptions)
@directory_argument
def init(directory: Path, options: InitOptions) -> None:
    """Make a campaign.

    It says which topics and documents are to be judged, and how, and keeps everything in DIR. The
    password of the admin is generated and printed, only this once, unless one is given.

    \b
    Examples:
      doxeval assess init campaign --collection wiki --topics topics.xml --pool pool.jsonl
      doxeval assess init campaign --collection wiki --topics topics.xml --pool pool.jsonl \\
        --order prioritised --snap words --database postgresql://localhost/assessments
    """
    check_installed()
    from doxeval.assess.db import Campaign, new_password
    from doxeval.pooling import read_pool
    from doxeval.topics import read_topics

    given = options.password.password()
    password = new_password() if given is None else given
    with Campaign.create(
        directory,
        collection=options.collection,
        topics=read_topics(options.topics),
        pool=read_pool(options.pool),
        mode=options.mode,
        order=options.order,
        seed=options.seed,
        show_pooled=options.show_pooled,
        display=_display(options.display),
        snap=options.snap,
        original=options.original or "",
        database=options.database,
        **options.looks.given(),
        admin=(options.admin, password),
    ) as campaign:
        topics, admin = campaign.topics(), campaign.user(options.admin)
        documents = sum(len(campaign.queue(topic.id, admin.id)) for topic in topics)
    counts = f"{plural(documents, 'document')} for {plural(len(topics), 'topic')}"
    line(f"{directory}: {counts}, by {_MODES[options.mode]}")
    print_password(options.admin, password, given)


def _display(file: Path | None) -> dict[str, str]:
    """Return the roles of tags, from a file."""
    from doxeval.errors import FormatError
    from doxeval.files import decode_json, open_input, read_up_to

    if file is None:
        return {}
    with open_input(file) as data:
        text = read_up_to(data, _LARGEST_DISPLAY)
    try:
        display = decode_json(text)
    except ValueError:
        display = None
    if not isinstance(display, dict) or not all(isinstance(role, str) for role in display.values()):
        raise FormatError('expected a JSON object such as {"st": "heading"}', str(file))
    return display


@dataclass(frozen=True)
class RolesOptions:
    """The options of `doxeval assess roles`."""

    format: TableOrJson = format_option("How to print the roles.")


@verb(RolesOptions)
def roles(options: RolesOptions) -> None:
    """List how tags can be shown.

    A role says how the page shows an element. Tags and paths have the roles that are listed here,
    unless `doxeval assess init --display FILE` gives them others. Paths win over tags, and of
    several paths the last. Tags of this list may have any case, and the prefix of a namespace.

    \b
    Examples:
      doxeval assess roles
      echo '{"st": "heading", "//li//note": "footnote"}' > display.json
    """
    check_installed()
    from doxeval.assess.db import DISPLAY_ROLES
    from doxeval.assess.web import PATTERN_ROLES, TAG_ROLES

    defaults: dict[str, list[str]] = {role: [] for role in DISPLAY_ROLES}
    for place, role in {**TAG_ROLES, **PATTERN_ROLES}.items():
        defaults[role].append(place)
    if options.format == "json":
        json_data(
            [
                {"role": role, "about": about, "default": defaults[role]}
                for role, about in DISPLAY_ROLES.items()
            ],
            indent=1,
        )
        return
    width = max(map(len, DISPLAY_ROLES))
    for role, about in DISPLAY_ROLES.items():
        print_figures([(role, about), ("", " ".join(defaults[role]) or "–")], width)


@dataclass(frozen=True)
class SettingsOptions(CampaignOptions):
    """The options of `doxeval assess settings`."""

    looks: LooksOptions = part(LooksOptions)
    format: TableOrJson = format_option("How to print the settings.")


@verb(SettingsOptions)
@directory_argument
def settings(directory: Path, options: SettingsOptions) -> None:
    """Change title, instructions and colour, or print all settings.

    A running server shows changes within seconds. An empty title, colour or file takes away what
    was there. What decides about judgments, such as the mode, stays as it was at the beginning.

    \b
    Examples:
      doxeval assess settings campaign
      doxeval assess settings campaign --title "Tides 2026" --colour '#1a7f5a'
      doxeval assess settings campaign --instructions guidelines.md
    """
    changes = options.looks.given()
    with opened_campaign(directory, options.collection) as campaign:
        now = campaign.change_settings(changes) if changes else campaign.settings
    shown = {
        name: dict(now.display) if name == "display" else getattr(now, name)
        for name in now.__dataclass_fields__
    }
    if options.format == "json":
        json_data(shown, indent=1)
        return
    for name, value in shown.items():
        text = "" if value is None else str(value)
        first = text.partition("\n")[0]
        line(f"  {name:<13}{truncate(first) or '–'}{' …' if text != first else ''}")


@dataclass(frozen=True)
class ServeOptions(CampaignOptions):
    """The options of `doxeval assess serve`."""

    host: str = host_option()
    port: int = port_option()
    tls_cert: Path | None = option(None, "A certificate (PEM), for https.", metavar="FILE")
    tls_key: Path | None = option(None, "Its private key (PEM).", metavar="FILE")
    behind_tls: bool = option(
        False,
        "A web server with TLS passes requests on: browsers send cookies over TLS alone.",
    )
    trusted_proxy: tuple[str, ...] = option(
        (),
        "The address or network of a web server that passes requests on; its X-Forwarded-For is "
        "believed. May be repeated.",
        metavar="ADDRESS",
    )
    auth_header: str | None = option(
        None,
        "The header in which trusted proxies name the person whom they have authenticated, such as "
        "X-Remote-User; no password is needed then.",
        metavar="NAME",
    )
    assets: Path | None = option(
        None,
        "The folder that the documents were built from, or a copy: their pictures are shown, if "
        "they are PNG, JPEG, GIF, WebP or AVIF of at most 20 MiB. SVG never is.",
        metavar="DIR",
        shown_default="pictures are shown in words",
    )
    open: bool = option(False, "Open the application in a browser.")


@verb(ServeOptions)
@directory_argument
def serve(directory: Path, options: ServeOptions) -> None:
    """Run the application until Ctrl-C.

    Only this computer can reach it unless --host says otherwise. Passwords then cross the network:
    give a certificate, or put a server with TLS before it (see the guide to campaigns).

    \b
    Examples:
      doxeval assess serve campaign --open
      doxeval assess serve campaign --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
      doxeval assess serve campaign --assets pages --open
      doxeval assess serve campaign --behind-tls --trusted-proxy 127.0.0.1
    """
    if (options.tls_cert is None) != (options.tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key belong together")
    if options.tls_cert is not None and options.behind_tls:
        raise click.UsageError("--behind-tls is for a server without a certificate of its own")
    with opened_campaign(directory, options.collection) as campaign:
        serve_campaign(campaign, options, "/" if options.open else None)


def serve_campaign(campaign: Campaign, options: ServeOptions, page: str | None) -> None:
    """Serve a campaign; a page is opened in the browser once the server listens."""
    from doxeval.assess.web import Proxies
    from doxeval.assess.web import serve as serve_forever

    proxies = Proxies.of(options.trusted_proxy, options.auth_header)
    host, cert, key = options.host, options.tls_cert, options.tls_key
    tls = None if cert is None or key is None else (cert, key)
    is_local = host in ("127.0.0.1", "::1", "localhost")
    if tls is None and not options.behind_tls and not is_local:
        warn([f"{host} without TLS: passwords cross the network in plain sight"])

    def started(address: str) -> None:
        line(f"{address}   Ctrl-C stops the server")
        if page is not None:
            open_in_browser(address.rstrip("/") + page)

    serve_forever(
        campaign,
        host=host,
        port=options.port,
        tls=tls,
        secure=options.behind_tls,
        proxies=proxies,
        assets=options.assets,
        started=started,
    )


@dataclass(frozen=True)
class StatusOptions(CampaignOptions):
    """The options of `doxeval assess status`."""

    wide: bool = wide_option()
    format: TableOrJson = format_option("How to print the progress.")


@verb(StatusOptions)
@directory_argument
def status(directory: Path, options: StatusOptions) -> None:
    """Print the progress of everybody.

    For each topic and user: documents done, relevant ones, problems reported, hours and minutes.
    Below, programs with what they judged, which counts as nobody's progress.

    \b
    Example:
      doxeval assess status campaign
    """
    check_wide(options.format)
    with opened_campaign(directory, options.collection) as campaign:
        if options.format == "json":
            json_data(_status_data(campaign), indent=1)
        else:
            _print_status(campaign, directory)


def _status_data(campaign: Campaign) -> dict[str, Any]:
    from dataclasses import asdict

    programs = campaign.programs()
    return {
        "collection": campaign.collection.location,
        "mode": campaign.mode,
        "order": campaign.settings.order,
        "topics": [{"topic": topic.id, "closed": topic.closed_at} for topic in campaign.topics()],
        "progress": [asdict(row) for row in campaign.progress()],
        "given_to_nobody": campaign.uncovered_documents(),
        "pace": campaign.pace().as_dict(),
        **({"programs": [each.as_dict() for each in programs]} if programs else {}),
    }


def _print_status(campaign: Campaign, directory: Path) -> None:
    heading(directory.name)
    settings = campaign.settings
    line(f"  collection   {campaign.collection.location}")
    line(f"  mode         {campaign.mode}: {_MODES[campaign.mode]}")
    line(f"  order        {settings.order}")
    line()
    closed = {topic.id for topic in campaign.topics() if topic.closed_at is not None}
    progress = campaign.progress()
    rows = [
        [
            truncate(row.topic),
            truncate(row.user),
            row.part,
            f"{row.done:,}/{row.total:,}",
            f"{row.relevant:,}",
            f"{row.problems:,}",
            in_time(row.seconds),
            "closed" if row.topic in closed else "open",
        ]
        for row in progress
    ]
    if rows:
        note_uncovered(campaign.uncovered_documents())
        line(f"  {campaign.pace(progress).outlook}")
        line()
        print_table(["topic", "user", "part", "done", "relevant", "problems", "time", ""], rows)
    else:
        line("Nobody has a topic yet: doxeval assess assign")
    if programs := campaign.programs():
        line()
        heading("Programs")
        head = ["program", "version", "judged", "validated", "relevant", "about"]
        print_table(head, [_program_cells(each) for each in programs])


def _program_cells(assessor: ProgramAssessor) -> list[str]:
    program = assessor.program
    counts = (assessor.judged, assessor.validated, assessor.relevant)
    names = [truncate(program.name), truncate(program.version) or "–"]
    return [*names, *(f"{count:,}" for count in counts), truncate(program.about) or "–"]


def in_time(seconds: float) -> str:
    """Return seconds as hours and minutes.

    >>> in_time(59), in_time(3661)
    ('0:00', '1:01')
    """
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}"
