"""`doxeval assess demo`: the application on the demo collection, with a topic that is half done."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from doxeval.cli.assess.campaign import ServeOptions, serve_campaign
from doxeval.cli.assess.opening import check_installed, host_option, opened_campaign, port_option
from doxeval.cli.demo import copy_data, new_directory, run_command
from doxeval.cli.options import out_option
from doxeval.cli.output import heading, line
from doxeval.cli.verb import verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign, User
    from doxeval.assessments import Judgment

TOPIC = "301"
_ACCOUNTS = "accounts.json"
_PEOPLE = {"ann": "assessor", "bob": "assessor", "olga": "organiser"}
_RUNS = ("careful", "clerk", "magpie", "nearly")
_DEPTH = 12
_CHARACTERS_PER_SECOND = 50  # of somebody who looks for something


class _Gesture(NamedTuple):
    """Something that an assessor does to a document."""

    kind: str
    start: int | None = None
    end: int | None = None


class _Places(NamedTuple):
    """What is where in the directory of the demo."""

    data: Path
    collection: Path
    pool: Path
    campaign: Path
    accounts: Path


def _places(out: Path) -> _Places:
    return _Places(
        out / "data", out / "collection", out / "pool.jsonl", out / "campaign", out / _ACCOUNTS
    )


@dataclass(frozen=True)
class AssessDemoOptions:
    """The options of `doxeval assess demo`."""

    out: Path = out_option(
        "The directory for the collection and the campaign.", Path("doxeval-assess-demo")
    )
    host: str = host_option()
    port: int = port_option()
    open: bool = option(False, "Open the topic in a browser.")
    no_serve: bool = option(False, "Only make the campaign.")
    force: bool = option(False, "Begin again: replace an earlier demo.")


@verb(AssessDemoOptions)
def demo(options: AssessDemoOptions) -> None:
    """Try it on the demo collection.

    The first time, the collection, its index and a pool from the runs of some systems are made,
    and a campaign with an assessor who has done half of a topic; the command of every step is
    printed. Later, the demo goes on where you left it.

    \b
    Examples:
      doxeval assess demo --open
      doxeval assess demo --out /tmp/try --port 8080
    """
    check_installed()
    places = _places(options.out)
    if not _is_complete(options.out, options.force):
        with new_directory(options.out):
            _make(places)
    _say_who(json.loads(places.accounts.read_text(encoding="utf-8")))
    if options.no_serve:
        line(f"doxeval assess serve {places.campaign}   starts the server")
        return
    with opened_campaign(places.campaign) as campaign:
        page = f"/queue?topic={TOPIC}" if options.open else None
        serve_campaign(campaign, ServeOptions(host=options.host, port=options.port), page)


def _is_complete(out: Path, force: bool) -> bool:
    """Tell whether there is a demo to go on with; a directory that is none is not replaced."""
    from doxeval.errors import OutputError
    from doxeval.output import is_being_written

    if is_being_written(out):
        raise OutputError(f"{out} is being written by another process")
    if not out.exists() or (out / ".unfinished").exists():
        return False
    if not (out / _ACCOUNTS).is_file():
        raise OutputError(f"{out} is not an earlier demo; --out names another directory")
    return not force


def _make(places: _Places) -> None:
    data, collection, pool, campaign, accounts = places
    copy_data(data)
    line("A small library about the sea, and the answers of four systems to questions about it.")
    line()
    run_command("collection", "build", data / "articles", "--out", collection)
    run_command("index", "build", collection)
    runs = [data / "runs" / f"{name}.run" for name in _RUNS]
    run_command(
        *("pool", *runs, "--depth", _DEPTH, "--collection", collection, "--out", pool),
    )
    run_command(
        *("assess", "init", campaign, "--collection", collection),
        *("--topics", data / "topics.xml", "--pool", pool, "--order", "random"),
        "--show-pooled",
    )
    with opened_campaign(campaign) as opened:
        passwords = {name: opened.add_user(name, role)[1] for name, role in _PEOPLE.items()}
        _judge(opened, data / "assessments.jsonl")
    accounts.touch(mode=0o600)
    accounts.write_text(json.dumps(passwords, indent=1), encoding="utf-8")


def _judge(campaign: Campaign, assessments: Path) -> None:
    """Let Ann do half of a topic, and Bob all of it; the topic next to it is untouched."""
    from doxeval.assessments import read_assessments

    known = {
        judgment.document: judgment
        for judgment in read_assessments(str(assessments))
        if judgment.topic == TOPIC
    }
    topics = [topic.id for topic in campaign.topics()]
    campaign.assign(topics[topics.index(TOPIC) + 1], "ann")
    campaign.assign(TOPIC, "olga", "adjudicate")
    for name, share in (("ann", 0.5), ("bob", 1.0)):
        user = campaign.user(name)
        campaign.assign(TOPIC, name)
        queue = [entry.document for entry in campaign.queue(TOPIC, user.id)]
        done = round(share * len(queue))
        for document in queue[:done]:
            gestures = _gestures(known.get(document))
            if name == "bob":
                gestures = _shortened(gestures, campaign.article(document).text)
            _submit(campaign, user, document, gestures)
        relevant = {document for document, judgment in known.items() if judgment.highlights}
        begun = [document for document in queue[done:] if document in relevant]
        for document in begun[:1]:
            _submit(campaign, user, document, _gestures(known[document])[:1])


def _shortened(gestures: Sequence[_Gesture], text: str) -> list[_Gesture]:
    """Return gestures that leave out the last sentence of each passage that has several."""
    changed = []
    for kind, start, end in gestures:
        if start is not None and end is not None:
            end = text.rfind(". ", start, end) + 1 or end
        changed.append(_Gesture(kind, start, end))
    return changed


def _gestures(judgment: Judgment | None) -> list[_Gesture]:
    """Return what leads an assessor to a judgment; a document without one is not relevant."""
    if judgment is None or not judgment.highlights:
        return [_Gesture("not-relevant")]
    marked = [_Gesture("highlight", start, end) for start, end in judgment.highlights]
    entry = judgment.best_entry_point
    first = judgment.highlights[0][0] if entry is None else entry
    return [*marked, _Gesture("bep", first), _Gesture("validate")]


def _submit(campaign: Campaign, user: User, document: str, gestures: Sequence[_Gesture]) -> None:
    """Send gestures to the campaign just as the page does, with the text that they are about."""
    from doxeval.assess.judging import BEP_QUOTE, Operation
    from doxeval.errors import InputError

    text = campaign.article(document).text
    operations = []
    for version, (kind, start, end) in enumerate(gestures):
        quote = None
        if start is not None:
            quote = text[start : start + BEP_QUOTE if end is None else end]
        name = f"demo-{user.name}-{document}-{version}"
        operations.append(Operation(name, version, kind, start=start, end=end, quote=quote))
    done = campaign.submit(TOPIC, document, user.id, user, operations)
    if done.failure is not None:
        raise InputError(f"{document}: {done.failure.message}")
    campaign.add_time(TOPIC, document, user.id, len(text) / _CHARACTERS_PER_SECOND)


def _say_who(passwords: dict[str, str]) -> None:
    heading("Who can sign in")
    for name, password in passwords.items():
        line(f"  {name:<8}{_PEOPLE.get(name, ''):<12}password {password}")
    line()
