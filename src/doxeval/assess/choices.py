"""What organisers choose from: how documents are judged and shown, by whom, and what is exported.

Nothing is imported here, so that the command line can show its help without the server's parts.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

# How to judge, by the year of INEX.
Mode: TypeAlias = Literal["2006", "2005", "2003"]
MODES: tuple[Mode, ...] = get_args(Mode)
# In which order assessors walk the pool.
Order: TypeAlias = Literal["pool", "prioritised", "random"]
ORDERS: tuple[Order, ...] = get_args(Order)
# What highlights snap to.
Snap: TypeAlias = Literal["characters", "words", "sentences"]
SNAPS: tuple[Snap, ...] = get_args(Snap)
# How an element is shown; nothing to do with the roles of users.
DisplayRole: TypeAlias = Literal[
    "heading", "heading-1", "heading-2", "heading-3", "heading-4", "heading-5", "heading-6",
    "paragraph", "preformatted", "code", "emphasis", "strong", "small", "superscript", "subscript",
    "list", "ordered-list", "item", "definition-list", "term", "description", "quote", "quotation",
    "footnote", "caption", "figure", "picture", "table", "head", "body", "row", "header", "cell",
    "break", "rule", "mathematics", "inline", "block",
]  # fmt: skip
DISPLAY_ROLES: dict[DisplayRole, str] = {
    "heading": "a heading, whose level follows from how deep it is",
    "heading-1": "a heading of level 1",
    "heading-2": "a heading of level 2",
    "heading-3": "a heading of level 3",
    "heading-4": "a heading of level 4",
    "heading-5": "a heading of level 5",
    "heading-6": "a heading of level 6",
    "paragraph": "a paragraph",
    "preformatted": "text whose white space is kept, in letters of one width: listings",
    "code": "code within a line",
    "emphasis": "emphasised: italics",
    "strong": "strongly emphasised: bold",
    "small": "small print",
    "superscript": "raised",
    "subscript": "lowered",
    "list": "a list with bullets",
    "ordered-list": "a list with numbers",
    "item": "an item of a list",
    "definition-list": "a list of terms and what is said of them",
    "term": "a term of a definition list",
    "description": "what is said of a term",
    "quote": "a quotation set apart",
    "quotation": "a quotation within a line, in quotation marks",
    "footnote": "a note, set apart from the text around it",
    "caption": "what is said of a figure or a table",
    "figure": "a figure: a picture with its caption",
    "picture": "a picture, or the text that stands for it",
    "table": "a table",
    "head": "the rows at the top of a table",
    "body": "other rows of a table, as a group",
    "row": "a row of a table",
    "header": "a cell that says what is in its row or column",
    "cell": "a cell of a table",
    "break": "the end of a line",
    "rule": "a line across the text",
    "mathematics": "a formula; MathML is drawn by the browser",
    "inline": "part of a line",
    "block": "lines of its own",
}
OLD_DISPLAY_ROLES: dict[str, str] = {"maths": "mathematics"}

# What a user may do, and what the user does in a topic.
Role: TypeAlias = Literal["assessor", "adjudicator", "organiser", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
Part: TypeAlias = Literal["assess", "adjudicate"]
PARTS: tuple[Part, ...] = get_args(Part)

ExportFormat: TypeAlias = Literal[
    "jsonl", "annotations", "inex2003", "inex2005", "inex2008", "trec"
]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

PORT = 8765  # of the server
INVITED_FOR, MAX_DAYS = 14, 90  # days that an invitation holds
