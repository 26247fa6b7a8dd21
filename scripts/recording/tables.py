"""Tables of calls: text with a section for each verb, and a call on each line.

    [chunks cut]                                   the section
    chunks split shop.jsonl --by paragraphs        a call
    topics topics.{xml,jsonl}                      a call for each of these, as in a shell
    evaluate $runs/careful.run $judged -m MAiP     names of what calls share: see `SHARED`
    demo --out a && demo --out a                   two calls, one after the other
    assess user add c ann --password-stdin <<< x   a line on stdin

Lines that begin with `#` are comments.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

# The demo is in `sea`, the small world in `small`; `any` are names of files of any format.
SHARED = {
    "sea": "../sea/collection",
    "data": "../sea/data",
    "runs": "../sea/data/runs",
    "judged": "-a ../sea/data/assessments.jsonl --collection ../sea/collection",
    "small": "../small/collection",
    "other": "../other/collection",
    "here": "-a judged.jsonl --collection ../small/collection",
    "graded": "-a graded.jsonl --collection ../small/collection",
    "docs": "--docs shop.jsonl",
    "any": "{empty,blank,nul,binary,latin1,utf16,bom,words,number,array,object,deep,html,control,"
    "long}",
}


def read_table(name: str) -> dict[str, list[str]]:
    """Return the lines of each section of a table beside this file."""
    table: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = table.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
    return table


def expanded(line: str) -> list[str]:
    """Return the calls that a line stands for.

    >>> expanded("topics {a,b}.xml --statistics")
    ['topics a.xml --statistics', 'topics b.xml --statistics']
    >>> expanded("collection info $small")
    ['collection info ../small/collection']
    """
    line = re.sub(r"\$(\w+)", lambda match: SHARED.get(match[1], match[0]), line)
    choice = re.search(r"\{([^{}]*,[^{}]*)\}", line)
    if choice is None:
        return [line]
    before, after = line[: choice.start()], line[choice.end() :]
    return [call for value in choice[1].split(",") for call in expanded(before + value + after)]


def parsed(call: str) -> tuple[list[str], str | None]:
    """Return the words of a call, and the text that it gets on stdin.

    >>> parsed("assess user add c ann --password-stdin <<< 'a b'")
    (['assess', 'user', 'add', 'c', 'ann', '--password-stdin'], 'a b\\n')
    """
    words, _, given = call.partition(" <<< ")
    if not given:
        return shlex.split(words), None
    return shlex.split(words), "".join(shlex.split(given)).replace("\\n", "\n") + "\n"
