"""Programs as assessors: a language model, a rule; whatever judged documents and is no person.

Their judgments are imported, and the database keeps with them which program made them. A program
has a row among the users, because judgments belong to users, but it is not one: it has no password,
is never active, and no query for people returns it, so it cannot sign in, have topics or be given
a password. Every version of a program is an assessor of its own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, case, func, insert, select

from doxeval.assess.db import session
from doxeval.assess.db.schema import JUDGMENTS, USERS, note_event
from doxeval.assess.db.session import CampaignError, decoding
from doxeval.assess.db.users import check_name, check_new_name
from doxeval.assess.judging import LONGEST_NOTE, flaw_of_text
from doxeval.messages import quoted

LONGEST_PROGRAM = 200  # characters of name and version together


@dataclass(frozen=True)
class Program:
    """What made judgments: the name and version of a program, and what else is known about it.

    about: whatever somebody who wants to make them again must know, such as the prompt.

    >>> Program("llama", "3.1").title, Program("rule").title
    ('llama 3.1', 'rule')
    """

    name: str
    version: str = ""
    about: str = ""

    @property
    def title(self) -> str:
        """The name with the version: what tables and exports call it."""
        return f"{self.name} {self.version}" if self.version else self.name


@dataclass(frozen=True)
class ProgramAssessor:
    """A program that judged documents of a campaign: when it came, and how many of them.

    judged: documents with a judgment. validated, relevant: those of them that count, and those
    that are relevant.
    """

    id: int
    program: Program
    created: str
    judged: int
    validated: int
    relevant: int

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON.

        >>> ProgramAssessor(7, Program("rule"), "2026", 3, 2, 1).as_dict()["program"]
        'rule'
        """
        return {
            "program": self.program.title,
            **asdict(self.program),
            "added": self.created,
            "judged": self.judged,
            "validated": self.validated,
            "relevant": self.relevant,
        }


def check_program(program: Program) -> None:
    """Refuse a program whose name cannot be shown or used in a command.

    >>> check_program(Program("union"))
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: 'union' means something else in exports; \
choose another name
    """
    check_name(program.name, LONGEST_PROGRAM)
    if program.version:
        check_name(program.version, LONGEST_PROGRAM)
    check_name(program.title, LONGEST_PROGRAM)
    if len(program.about) > LONGEST_NOTE or flaw_of_text(program.about):
        raise CampaignError(
            f"what is said about {quoted(program.title)}: expected text of at most "
            f"{LONGEST_NOTE:,} characters"
        )


def add_program(connection: Connection, program: Program) -> int:
    """Return the id of a program's assessor; one that is new is added."""
    check_program(program)
    known = {each.program.title: each for each in all_programs(connection)}.get(program.title)
    if known is not None:
        if known.program == program or (not program.about and _same(known.program, program)):
            return known.id
        raise CampaignError(
            f"there is already a program {program.title}, of which something else is recorded: "
            "give it another version"
        )
    check_new_name(connection, program.title)
    values = {
        "name": program.title,
        "role": "assessor",
        "password_hash": "",
        "pseudonym": program.title,
        "active": False,
        "created": session.now(),
        "program": asdict(program),
    }
    connection.execute(insert(USERS).values(**values))
    note_event(connection, "program added", **asdict(program))
    query = select(USERS.c.id).where(USERS.c.name == program.title)
    number: int = connection.execute(query).scalar_one()
    return number


def _same(known: Program, given: Program) -> bool:
    return (known.name, known.version) == (given.name, given.version)


def all_programs(connection: Connection) -> list[ProgramAssessor]:
    """Return all programs, in the order in which they were added."""
    table = JUDGMENTS.c
    is_valid = table.status == "validated"
    counted = (
        select(
            table.judge,
            func.count().label("judged"),
            func.count(case((is_valid, 1))).label("validated"),
            func.count(case((is_valid & table.relevant, 1))).label("relevant"),
        )
        .where(table.version > 0)
        .group_by(table.judge)
        .subquery()
    )
    query = (
        select(USERS, counted.c.judged, counted.c.validated, counted.c.relevant)
        .join(counted, counted.c.judge == USERS.c.id, isouter=True)
        .where(USERS.c.program.is_not(None))
        .order_by(USERS.c.id)
    )
    programs = []
    for row in connection.execute(query):
        with decoding("a program"):
            program = Program(**row.program)
        counts = (int(count or 0) for count in (row.judged, row.validated, row.relevant))
        programs.append(ProgramAssessor(row.id, program, row.created, *counts))
    return programs
