"""Lists of people who are to take part: CSV with their names, and what else is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from doxeval.assess.choices import ROLES, Role
from doxeval.assess.db.session import CampaignError
from doxeval.assess.db.users import check_name
from doxeval.documents import decode_text
from doxeval.errors import DocumentError, FormatError, InputError
from doxeval.files import csv_records, csv_separator, open_input, read_up_to
from doxeval.messages import join_names, plural, quoted, suggestion

MAX_PEOPLE = 1000
_LARGEST = 1 << 20  # bytes
_SHOWN = 20
SAMPLE = "name,role\nann,assessor\nolga,organiser\n"


@dataclass(frozen=True)
class NewPerson:
    """Somebody who is to get an account.

    more: other columns of the list, such as an e-mail address. They go into what is written for the
    organiser, and are kept nowhere. line: where it is in the list.
    """

    name: str
    role: Role = "assessor"
    more: Mapping[str, str] = field(default_factory=dict, compare=False)
    origin: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def problem(self, error: CampaignError) -> FormatError:
        """Return an error about this person, with the line."""
        return FormatError(error.message, self.origin, self.line)


def read_people(path: Path) -> list[NewPerson]:
    """Return the people of a file of CSV; it is an error if any line is wrong."""
    with open_input(path) as file:
        data = read_up_to(file, _LARGEST)
    try:
        text = decode_text(data, str(path))
    except DocumentError as error:
        raise FormatError(error.message, str(path), error.line) from None
    return parsed_people(text, str(path))


def parsed_people(text: str, origin: str) -> list[NewPerson]:
    """Return the people of a list in CSV, whose first line names the columns.

    >>> [person.name for person in parsed_people("name;role\\nann;\\nolga;organiser\\n", "a.csv")]
    ['ann', 'olga']
    >>> parsed_people("name,role\\nann,boss\\n", "a.csv")
    Traceback (most recent call last):
    doxeval.errors.FormatError: a.csv:2: no role 'boss'; there are assessor, adjudicator, \
organiser, admin
    """
    people: list[NewPerson] = []
    problems: list[InputError] = []
    lines: dict[str, int] = {}
    for line, record in csv_records(text, origin, csv_separator(text)):
        columns = {name.strip().lower(): value.strip() for name, value in record.items()}
        if "name" not in columns:
            known = join_names(list(record))
            raise FormatError(f"expected a column 'name'; the columns are {known}", origin, 1)
        name, role = columns.pop("name"), columns.pop("role", "") or "assessor"
        try:
            check_name(name)
            if role not in ROLES:
                raise CampaignError(f"no role {quoted(role)}{suggestion(role, ROLES)}")
            if (first := lines.setdefault(name.casefold(), line)) != line:
                raise CampaignError(f"{quoted(name)} is on line {first}, too")
        except CampaignError as error:
            problems.append(FormatError(error.message, origin, line))
            continue
        people.append(NewPerson(name, role, columns, origin, line))
    if not people and not problems:
        raise FormatError("there is nobody in the list", origin)
    if len(people) > MAX_PEOPLE:
        message = f"{len(people):,} people: expected at most {MAX_PEOPLE:,} at once"
        raise FormatError(message, origin)
    raise_all(problems)
    return people


def raise_all(problems: Sequence[InputError]) -> None:
    """Raise what is wrong with several people as one error, if anything is."""
    if len(problems) < 2:
        for problem in problems:
            raise problem
        return
    more = [f"… and {len(problems) - _SHOWN:,} more"] if len(problems) > _SHOWN else []
    head = f"nobody was added, because {plural(len(problems), 'line')} cannot be used:"
    raise InputError("\n  ".join([head, *map(str, problems[:_SHOWN]), *more]))
