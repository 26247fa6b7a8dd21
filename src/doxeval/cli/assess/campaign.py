"""`doxeval assess init`, `serve` and `status`: make a campaign and run it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.assess.opening import (
    campaign_argument,
    check_installed,
    database_option,
    directory_argument,
    opened_campaign,
    password_given,
    password_options,
)
from doxeval.cli.assess.people import print_password
from doxeval.cli.decorators import WHERE, table_or_json
from doxeval.cli.output import block, heading, json_data, line, note, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign

MODES = {
    "2006": "highlights and a best entry point",
    "2005": "highlights, then the exhaustivity of elements",
    "2003": "exhaustivity and specificity of elements",
}

_LARGEST_DISPLAY = 1 << 20  # bytes


@verb()
@directory_argument
@click.option(
    "--collection",
    required=True,
    help="The collection; it stays where it is.",
    **WHERE,
)
@click.option("--topics", required=True, metavar="FILE", help="The topics that are to be judged.")
@click.option(
    "--pool",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Which documents are to be judged for each topic: a file of `doxeval pool`.",
)
@click.option(
    "--mode",
    type=click.Choice(list(MODES)),
    default="2006",
    show_default=True,
    help="How to judge, by the year of INEX: 2006 highlights and a best entry point; 2005 "
    "highlights, then exhaustivity of elements; 2003 exhaustivity and specificity of elements.",
)
@click.option(
    "--order",
    type=click.Choice(["pool", "prioritised", "random"]),
    default="pool",
    show_default=True,
    help="The order of documents: as in the pool, those first that many runs returned high, or "
    "random by --seed.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="For the random order, and for the places of honeypots.",
)
@click.option(
    "--show-pooled",
    is_flag=True,
    help="Let assessors see which elements the systems returned. It may influence them.",
)
@click.option(
    "--display",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help='How to show tags: JSON such as {"st": "heading", "tbl": "table"}.  [default: by the '
    "usual names of tags]",
)
@click.option(
    "--snap",
    type=click.Choice(["characters", "words", "sentences"]),
    default="characters",
    show_default=True,
    help="What highlights grow to.",
)
@database_option
@click.option(
    "--admin", metavar="NAME", default="admin", show_default=True, help="The first user, an admin."
)
@password_options
def init(directory: Path, collection: str, topics: str, pool: Path, **options: Any) -> None:
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

    given = password_given(options["password_stdin"], options["password_prompt"])
    password = new_password() if given is None else given
    names = ("mode", "order", "seed", "show_pooled", "snap", "database")
    with Campaign.create(
        directory,
        collection=collection,
        topics=read_topics(topics),
        pool=read_pool(pool),
        display=_display(options["display"]),
        admin=(options["admin"], password),
        **{name: options[name] for name in names},
    ) as campaign:
        asked, admin = campaign.topics(), campaign.user(options["admin"])
        documents = sum(len(campaign.queue(topic.id, admin.id)) for topic in asked)
    counts = f"{plural(documents, 'document')} for {plural(len(asked), 'topic')}"
    line(f"{directory}: {counts}, by {MODES[options['mode']]}")
    print_password(options["admin"], password, given)


def _display(file: Path | None) -> dict[str, str]:
    """The roles of tags, from a file."""
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
    if not isinstance(display, dict) or not all(isinstance(one, str) for one in display.values()):
        raise FormatError('expected a JSON object such as {"st": "heading"}', str(file))
    return display


@verb()
@campaign_argument
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; 0.0.0.0 lets other computers in.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="The port."
)
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A certificate (PEM), for https.",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Its private key (PEM).",
)
@click.option(
    "--behind-tls",
    is_flag=True,
    help="A web server with TLS passes requests on: browsers send cookies over TLS alone.",
)
@click.option("--open", "opens", is_flag=True, help="Open the application in a browser.")
def serve(directory: Path, opens: bool, **options: Any) -> None:
    """Run the application until Ctrl-C.

    Only this computer can reach it unless --host says otherwise. Passwords then cross the network:
    give a certificate, or put a server with TLS before it (see the guide to campaigns).

    \b
    Examples:
      doxeval assess serve campaign --open
      doxeval assess serve campaign --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
    """
    if (options["tls_cert"] is None) != (options["tls_key"] is None):
        raise click.UsageError("--tls-cert and --tls-key belong together")
    if options["tls_cert"] is not None and options["behind_tls"]:
        raise click.UsageError("--behind-tls is for a server without a certificate of its own")
    with opened_campaign(directory) as campaign:
        served(campaign, "/" if opens else None, **options)


def served(
    campaign: Campaign,
    page: str | None,
    *,
    port: int,
    host: str = "127.0.0.1",
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    behind_tls: bool = False,
) -> None:
    """Serve a campaign; a page is opened in the browser once the server listens."""
    from doxeval.assess.web import serve as serve_forever

    tls = None if tls_cert is None or tls_key is None else (tls_cert, tls_key)
    is_local = host in ("127.0.0.1", "::1", "localhost")
    if tls is None and not behind_tls and not is_local:
        warn([f"{host} without TLS: passwords cross the network in plain sight"])

    def started(address: str) -> None:
        line(f"{address}   Ctrl-C stops the server")
        if page is not None:
            _open(address.rstrip("/") + page)

    serve_forever(campaign, host=host, port=port, tls=tls, secure=behind_tls, started=started)


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        note(f"there is no browser here to open {address} with")


@verb()
@campaign_argument
@table_or_json("How to print the progress.")
def status(directory: Path, format_: str) -> None:
    """Print the progress of everybody.

    For each topic and user: documents done, relevant ones, problems reported, hours and minutes.

    \b
    Example:
      doxeval assess status campaign
    """
    with opened_campaign(directory) as campaign:
        if format_ == "json":
            json_data(_status_data(campaign), indent=1)
        else:
            _print_status(campaign, directory)


def _status_data(campaign: Campaign) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "collection": campaign.collection.location,
        "mode": campaign.mode,
        "order": campaign.settings.order,
        "topics": [{"topic": topic.id, "closed": topic.closed_at} for topic in campaign.topics()],
        "progress": [asdict(one) for one in campaign.progress()],
    }


def _print_status(campaign: Campaign, directory: Path) -> None:
    from doxeval.cli.output import aligned

    heading(directory.name)
    settings = campaign.settings
    line(f"  collection   {campaign.collection.location}")
    line(f"  mode         {campaign.mode}: {MODES[campaign.mode]}")
    line(f"  order        {settings.order}")
    line()
    closed = {topic.id for topic in campaign.topics() if topic.closed_at is not None}
    rows = [
        [
            truncate(one.topic),
            truncate(one.user),
            one.part,
            f"{one.done:,}/{one.total:,}",
            f"{one.relevant:,}",
            f"{one.problems:,}",
            in_time(one.seconds),
            "closed" if one.topic in closed else "open",
        ]
        for one in campaign.progress()
    ]
    if not rows:
        line("Nobody has a topic yet: doxeval assess assign")
        return
    block(aligned(["topic", "user", "part", "done", "relevant", "problems", "time", ""], rows))


def in_time(seconds: float) -> str:
    """Seconds as hours and minutes.

    >>> in_time(59), in_time(3661)
    ('0:00', '1:01')
    """
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}"
