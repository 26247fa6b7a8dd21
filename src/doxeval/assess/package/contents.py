"""What is in a package: everything that a test collection consists of, and how it is written.

    README.md                what it is and how to use it
    CITATION.cff             how to cite it
    croissant.json           the same for programs (Croissant 1.0)
    doxeval-package.json     by which doxeval recognises it; the settings of the campaign
    documents.jsonl          for each document its id, its length and the SHA-256 of its text
    collection/              the documents themselves, if their licence allows it
    instructions.md          what assessors were told, if anything was written down
    topics.jsonl             the topics
    judgments.jsonl          the judgments that count, one for each topic and document
    qrels.txt                the same for whole documents, as trec_eval reads them
    assessors/, programs/    what each person, and each program, judged
    pool.jsonl               the documents that were to be judged
    agreement.json           how far assessors agree, and programs with people
    statistics.json          counts of everything
    baselines/               runs, what they are (ir_metadata), and their scores by topic
    SHA256SUMS               the checksums of all files

Nothing in it depends on when or where it is written: dates are those of the campaign, or what
SOURCE_DATE_EPOCH says.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection as Some
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.assess.agreement import (
    AssessorAgreement,
    HoneypotScore,
    agreement,
    agreement_with_programs,
    honeypots,
)
from doxeval.assess.choices import Mode
from doxeval.assess.exchange import Export, Judged, judgments_to_export, write_export
from doxeval.assess.package.croissant import croissant
from doxeval.assess.package.readme import citation, readme
from doxeval.assessments import AssessmentStatistics, assessment_statistics
from doxeval.datasets import CHECKSUMS_FILE, PACKAGE_FILE, PACKAGE_PARTS
from doxeval.documents import Collection
from doxeval.errors import InputError, OutputError
from doxeval.files import date_of_sources, open_output, output_directory
from doxeval.messages import Parameter, join_names, json_text, plural, quoted, truncate
from doxeval.pooling import Pool, write_pool
from doxeval.runs import Run, metadata_of_file, metadata_path, write_metadata, write_run
from doxeval.scores import FORMATS as SCORE_FORMATS
from doxeval.scores import ScoreTable
from doxeval.topics import Topic, write_topics
from doxeval.version import __version__

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign, ProgramAssessor

VERSION = 1  # of the layout of packages
# The preset with the official measures of each way of judging, and the task of its baselines.
OFFICIAL: dict[Mode, str] = {
    "2006": "inex2010-focused",
    "2005": "inex2005-thorough",
    "2003": "inex2004",
}
BASELINE_TASKS: dict[Mode, str] = {"2006": "focused", "2005": "thorough", "2003": "thorough"}
_SETTINGS = ("mode", "order", "seed", "show_pooled", "snap", "original")
_SHOWN = 20
_IN_NAMES = set("-_.+=@abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


class Unfinished(InputError):
    """A topic is not judged completely."""


@dataclass(frozen=True)
class PackageTitle:
    """What its organisers say about a test collection: its title, authors and licence.

    title: by default that of the campaign, or the name of its directory. authors: people as
    "Family, Given", or names of institutions. licence: an identifier of SPDX, such as CC-BY-4.0, or
    a URL; that of everything in the package.

    >>> PackageTitle("Tides", authors=("Shore, Ann",), licence="CC-BY-4.0").version
    '1.0'
    """

    title: str = ""
    version: str = "1.0"
    authors: tuple[str, ...] = ()
    licence: str | None = None

    def __post_init__(self) -> None:
        for name in ("title", "version", "licence"):
            text = getattr(self, name) or ""
            if "\n" in text or text != text.strip():
                raise InputError(Parameter(name, text) + ": expected one line")
        for author in self.authors:
            if not author.strip(" ,") or "\n" in author:
                expected = "expected a name, 'Family, Given' for a person"
                raise InputError(Parameter("author", author) + f": {expected}")


@dataclass(frozen=True)
class Baseline:
    """A run that goes into the package: its file, or the run itself; and a name of its own."""

    source: str | Run
    name: str | None = None

    @property
    def file_name(self) -> str:
        """The name of its file in the package.

        >>> Baseline("runs/a.jsonl").file_name, Baseline("runs/a.jsonl", "my run").file_name
        ('a.jsonl', 'my_run.jsonl')
        """
        of_itself = self.source.run_id if isinstance(self.source, Run) else self.source
        name = self.name or os.path.basename(of_itself)
        plain = "".join(letter if letter in _IN_NAMES else "_" for letter in name)
        plain = plain.lstrip(".") or "run"
        if isinstance(self.source, Run):
            return f"{plain}.run"
        suffix = "".join(Path(self.source).suffixes[-2:])
        return f"{plain.removesuffix(suffix)}{suffix}"


@dataclass(frozen=True)
class Package:
    """A test collection, complete, before it is written.

    judgments: those that count, one for each topic and document; rule: how they were chosen.
    by_assessor, by_program: what each of them validated, by pseudonym and by title. unfinished:
    what is not judged, in words.
    """

    about: PackageTitle
    date: str
    mode: Mode
    collection: Collection
    with_documents: bool
    topics: tuple[Topic, ...]
    pool: Pool
    judgments: Export
    rule: str
    by_assessor: Mapping[str, Export]
    by_program: Mapping[str, Export]
    programs: Sequence[ProgramAssessor]
    agreement: AssessorAgreement
    agreement_with_programs: AssessorAgreement
    honeypots: Sequence[HoneypotScore]
    statistics: AssessmentStatistics
    seconds: Mapping[str, float]
    unfinished: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    instructions: str = ""


def package_of(
    campaign: Campaign,
    about: PackageTitle | None = None,
    *,
    topics: Some[str] | None = None,
    judgments: str = "adjudicated",
    with_documents: bool = False,
    unfinished: bool = False,
) -> Package:
    """Return a campaign as a package; what is missing is an error.

    topics: only these. judgments: whose judgments count where people differ, as exports have it.
    unfinished: also topics with documents of the pool that nobody has judged, and with drafts,
    which are left out.
    """
    about = about or PackageTitle()
    if with_documents and about.licence is None:
        raise InputError(
            "the documents go into the package only under a licence that allows it: name it with "
            + Parameter("licence")
            + ", such as CC-BY-4.0"
        )
    if with_documents and campaign.collection.files.remote is not None:
        raise InputError(
            f"the collection is at {campaign.collection.location}; its documents can only be "
            "packaged from a directory"
        )
    if not about.title:
        title = campaign.settings.title or campaign.directory.resolve().name
        about = PackageTitle(title, about.version, about.authors, about.licence)
    chosen = [each for each in campaign.topics() if topics is None or each.id in topics]
    ids = [each.id for each in chosen]
    whole_pool = campaign.pool()
    pool = Pool({id: of for id in ids if (of := whole_pool.documents.get(id))}, whole_pool.facts)
    every = campaign.judgments(ids, drafts=True, programs=True)
    by_people = [each for each in every if not each.program]
    open_work = _unfinished(pool, by_people)
    if open_work and not unfinished:
        raise Unfinished(_list(open_work))
    validated = [each for each in every if not each.draft]
    people = [each for each in validated if not each.program]
    export = _export(campaign, people, judgments)
    if not export.judged:
        raise InputError("there is nothing to package: nothing has been validated yet")
    seconds = dict.fromkeys(ids, 0.0)
    for each in people:
        seconds[each.topic] += each.seconds
    by_program = _by_assessor(campaign, [each for each in validated if each.program])
    return Package(
        about,
        _date(campaign, ids),
        campaign.mode,
        campaign.collection,
        with_documents,
        tuple(each.topic for each in chosen),
        pool,
        export,
        judgments,
        _by_assessor(campaign, people),
        by_program,
        [each for each in campaign.programs() if each.program.title in by_program],
        agreement(people, campaign.mode),
        agreement_with_programs(validated, campaign.mode),
        honeypots(people, campaign.gold(), campaign.mode),
        assessment_statistics(export.assessments, campaign.collection),
        seconds,
        tuple(open_work),
        {name: getattr(campaign.settings, name) for name in _SETTINGS},
        campaign.settings.instructions,
    )


def _unfinished(pool: Pool, judged: Sequence[Judged]) -> list[str]:
    """Return in words what is not judged, topic by topic."""
    done = {each.pair for each in judged if not each.draft}
    drafts = [each for each in judged if each.draft and not each.state.skipped]
    lines = []
    for topic, documents in pool.documents.items():
        missing = [each.document for each in documents if (topic, each.document) not in done]
        if missing:
            of = f"{len(missing):,} of {plural(len(documents), 'document')} of the pool"
            lines.append(f"topic {truncate(topic)}: nobody has judged {of}: {join_names(missing)}")
        own = [f"{each.document} ({each.assessor})" for each in drafts if each.topic == topic]
        if own:
            lines.append(f"topic {truncate(topic)}: not validated: {join_names(own)}")
    return lines


def _list(lines: Sequence[str]) -> str:
    more = [f"… and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    head = "topics are not judged completely; choose others with " + Parameter("topic")
    head += ", or package them as they are with " + Parameter("unfinished", True)
    return head + "".join(f"\n  {line}" for line in [*lines[:_SHOWN], *more])


def _export(campaign: Campaign, judged: Iterable[Judged], judgments: str) -> Export:
    return judgments_to_export(
        judged, collection=campaign.collection, mode=campaign.mode, judgments=judgments
    )


def _by_assessor(campaign: Campaign, judged: Sequence[Judged]) -> dict[str, Export]:
    """Return what each assessor judged, by pseudonym; not what was adjudicated."""
    own: dict[str, list[Judged]] = {}
    for each in judged:
        if each.assessor is not None and not each.adjudicated:
            own.setdefault(each.assessor, []).append(each)
    return {name: _export(campaign, own[name], name) for name in sorted(own)}


def _date(campaign: Campaign, topics: Sequence[str]) -> str:
    """Return the day on which somebody last judged anything, or what SOURCE_DATE_EPOCH says."""
    if (given := date_of_sources()) is not None:
        return given.date().isoformat()
    times = [logged.server_time for id in topics for logged in campaign.operations(id)]
    return max(times, default="1970-01-01")[:10]


# Writing


def write_package(
    package: Package,
    path: str | os.PathLike[str],
    baselines: Sequence[Baseline] = (),
    scores: ScoreTable | None = None,
) -> list[str]:
    """Write a package into a new folder, all of it or nothing; return the names of its files.

    baselines: runs. scores: theirs, by the official measures.
    """
    if os.path.lexists(path):
        raise OutputError(f"{os.fspath(path)} exists; a package goes into a new folder")
    with output_directory(path) as folder:
        _write_data(package, folder)
        if baselines:
            _write_baselines(folder / "baselines", baselines, scores)
        names = _names(folder)
        _write(folder / PACKAGE_FILE, _json(_facts(package)))
        _write(folder / "README.md", readme(package, names, baselines, scores))
        _write(folder / "CITATION.cff", citation(package))
        sums = {name: _sha256(folder / name) for name in _names(folder)}
        _write(folder / "croissant.json", _json(croissant(package, sums, folder)))
        sums["croissant.json"] = _sha256(folder / "croissant.json")
        lines = (f"{sums[name]}  {name}\n" for name in sorted(sums))
        _write(folder / CHECKSUMS_FILE, "".join(lines))
    return [*sorted(sums), CHECKSUMS_FILE]


def _write(path: Path, text: str) -> None:
    with open_output(path) as file:
        file.write(text.encode())


def _json(value: Any) -> str:
    return json_text(value, 1) + "\n"


def _names(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_data(package: Package, folder: Path) -> None:
    if package.instructions:
        _write(folder / "instructions.md", package.instructions.rstrip("\n") + "\n")
    write_topics(package.topics, folder / PACKAGE_PARTS["topics"])
    write_export(package.judgments, folder / PACKAGE_PARTS["judgments"], "jsonl")
    ids = {name for judged in package.judgments.judged for name in judged.pair}
    if all(len(name.split()) == 1 for name in ids):  # which lines with spaces between can hold
        write_export(package.judgments, folder / "qrels.txt", "trec")
    write_pool(package.pool, folder / PACKAGE_PARTS["pool"])
    for kind, exports in (("assessors", package.by_assessor), ("programs", package.by_program)):
        for number, (name, export) in enumerate(exports.items(), 1):
            (folder / kind).mkdir(exist_ok=True)
            called = name if kind == "assessors" else str(number)
            write_export(export, folder / kind / f"{called}.jsonl", "jsonl")
    with open_output(folder / "documents.jsonl") as file:
        file.writelines(_document_lines(package))
    if package.with_documents:
        _copy_collection(package.collection, folder / PACKAGE_PARTS["collection"])
    _write(
        folder / "agreement.json",
        _json(
            {
                "people": package.agreement.as_dict()["rows"],
                "programs": package.agreement_with_programs.as_dict()["rows"],
                "honeypots": [score.as_dict() for score in package.honeypots],
            }
        ),
    )
    _write(folder / "statistics.json", _json(_statistics(package)))


def _document_lines(package: Package) -> Iterator[bytes]:
    """Yield a line for each document, with its text if the package has the documents."""
    collection = package.collection
    hashes, lengths = collection.text_checksums, collection.nodes.end[collection.rows[:-1]]
    for number, (name, length) in enumerate(zip(collection.ids(), lengths.tolist(), strict=True)):
        record = {"id": name, "characters": length, "sha256": hashes[number].tobytes().hex()}
        if package.with_documents:
            record["text"] = collection.text_of(number)
        yield json_text(record).encode() + b"\n"


def _copy_collection(collection: Collection, folder: Path) -> None:
    """Copy the files of a collection, after all of them were compared with their checksums."""
    collection.verify()
    folder.mkdir()
    for name in ["manifest.json", *collection.manifest["files"]]:
        with (collection.directory / name).open("rb") as source, open_output(folder / name) as copy:
            shutil.copyfileobj(source, copy, 1 << 20)


def _statistics(package: Package) -> dict[str, Any]:
    collection, judged = package.collection.statistics, package.statistics
    by_topic = []
    for topic in package.topics:
        counts = judged.topics.get(topic.id)
        assessors = {
            name
            for name, export in package.by_assessor.items()
            if any(each.topic == topic.id for each in export.judged)
        }
        by_topic.append(
            {
                "topic": topic.id,
                "pooled": len(package.pool.documents.get(topic.id, ())),
                "judged": 0 if counts is None else counts.judged,
                "relevant": 0 if counts is None else counts.relevant,
                "passages": 0 if counts is None else counts.passages,
                "relevant characters": 0 if counts is None else counts.characters,
                "assessors": len(assessors),
                "seconds of judging": round(package.seconds[topic.id], 1),
            }
        )
    return {
        "documents": {
            "documents": collection.documents,
            "elements": collection.elements,
            "characters": collection.characters,
        },
        "judgments": judged.to_dict(),
        "topics": by_topic,
    }


def _write_baselines(
    folder: Path, baselines: Sequence[Baseline], scores: ScoreTable | None
) -> None:
    folder.mkdir()
    for baseline in baselines:
        path = folder / baseline.file_name
        if path.exists() or path.name == "scores.csv":
            raise InputError(f"two files of baselines would be called {quoted(path.name)}")
        if isinstance(baseline.source, Run):
            write_run(baseline.source, path, metadata="beside")
        else:
            with open(baseline.source, "rb") as source, open_output(path) as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
            if (known := metadata_of_file(baseline.source).metadata) is not None:
                write_metadata(known, metadata_path(path))
    if scores is not None:
        _write(folder / "scores.csv", SCORE_FORMATS["csv"](scores, True).decode())


def _facts(package: Package) -> dict[str, Any]:
    return {
        "format": "doxeval package",
        "version": VERSION,
        "title": package.about.title,
        "edition": package.about.version,
        "date": package.date,
        "licence": package.about.licence,
        "documents": package.with_documents,
        "collection": {"name": package.collection.name, "checksum": package.collection.checksum},
        "campaign": dict(package.settings),
        "judgments": package.rule,
        "unfinished": list(package.unfinished),
        "programs": [
            {
                "file": f"programs/{list(package.by_program).index(each.program.title) + 1}.jsonl",
                "program": each.program.name,
                "version": each.program.version,
                "about": each.program.about,
            }
            for each in package.programs
        ],
        "measures": OFFICIAL[package.mode],
        "doxeval": __version__,
    }
