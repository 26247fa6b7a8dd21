"""Names that would steer a terminal or forge a line, and commands that meet them everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from helpers import write_files

# Sets the title of a window, hides what follows (twice), reverses the order of letters, begins a
# new line, goes back in the line, rings the bell, and looks like markup of a library for terminals.
EVIL = "a\x1b]0;owned\x07\x1b[8m\x9b8m\u202e\u2066b\nforged: c\rd\x08\x7f\u200b[red]e[/red]"
HARMFUL = re.compile("\x1b\\]|\x1b\\[8m|[\x07\x08\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")
FORGED = re.compile("(?m)^forged")
NOT_UTF8 = "n\udcff\udcfe"  # as a name given by bytes arrives


class Command(NamedTuple):
    """The words of a command, and whether it prints data for programs."""

    words: tuple[object, ...]
    is_data: bool = False


def commands(folder: Path, evil: str = EVIL) -> Iterator[Command]:
    """Every verb, with names that are evil wherever there is room for them."""
    inside = _encodable(evil)
    strange = folder / f"dir{evil}"
    documents = {
        "a.xml": "<article><sec><p>One two three.</p><p>Four five.</p></sec></article>",
        f"{evil}.xml": "<article>",
        f"b{evil}.xyz{evil}": "",
        "c.html": f"<p>One {inside} two.<x{inside}y>three",
        "d.txt": f"Text with {inside} in it.",
    }
    write_files(strange / "documents", documents)
    for name, lines in _files(inside, evil).items():
        write_files(strange, {name: "".join(f"{json.dumps(line)}\n" for line in lines)})
    write_files(strange, {"bad.run": f"7 Q0 {inside}\n"})
    collection = strange / "collection"
    yield from _on_documents(strange, collection, evil)
    yield from _on_queries(strange, collection, evil)
    yield from _on_runs(strange, collection, evil)
    yield from _on_chunks(strange, evil)
    yield from _on_campaigns(strange, collection, evil)
    yield from _on_usage(strange, evil)


def _encodable(text: str) -> str:
    """What a file of Unicode text can contain."""
    return text.encode(errors="ignore").decode()


def _files(evil: str, name: str) -> dict[str, list[Any]]:
    run = [
        {"topic": topic, "doc": doc, "start": 0, "end": 9, "run": f"mine{evil}", "rank": rank}
        for topic in ("7", evil)
        for rank, doc in enumerate(("a", evil), 1)
    ]
    elements = [{"topic": "7", "doc": "a", "path": f"/article[1]/{evil}[1]", "run": evil}]
    judged = [
        {"topic": topic, "doc": doc, "start": 0, "end": 5, "docsize": 400, "pool": evil}
        for topic in ("7", evil)
        for doc in ("a", evil)
    ]
    graded = [
        {"topic": evil, "doc": "a", "path": path, "e": e, "s": s}
        for path, e, s in (("/article[1]", 1, 1), (f"/article[1]/{evil}", 3, 0))
    ]
    topics = [
        {"id": evil, "title": evil, "castitle": f"//article[about(., {evil})]"},
        {"id": evil, "title": "again", "castitle": evil},
        {"id": "7", "title": f'"{evil}"', "castitle": "//article//sec[about(., x)]"},
    ]
    weights = {"model": "summary", "partition": {"p": evil}, "other": f"o{evil}", "weights": {}}
    return {
        f"run{name}.jsonl": run,
        "elements.jsonl": elements,
        f"qrels{name}.jsonl": judged,
        "twice.jsonl": [*judged, *judged],
        "graded.jsonl": graded,
        f"topics{name}.jsonl": topics,
        "unknown.jsonl": [{"id": "1", evil: "x"}],
        "field.jsonl": [{"topic": "1", "doc": "a", "start": evil, "end": 1}],
        f"nav{name}.json": [weights],
        "matrix.json": [{"model": "matrix", "probabilities": {evil: {evil: {evil: 9}}}}],
        "routes.json": [{"model": evil}],
        f"asked{name}.jsonl": [{"id": evil, "title": evil}, {"id": "7", "title": "seven"}],
        f"pool{name}.jsonl": [{"topic": topic, "doc": "a"} for topic in ("7", evil)],
        "foreign.jsonl": [{"topic": evil, "doc": evil}],
        "gold.jsonl": [{"topic": evil, "doc": "a", "start": 0, "end": 3}],
    }


def _on_documents(strange: Path, collection: Path, evil: str) -> Iterator[Command]:
    build = ("collection", "build", strange / "documents", "--out", collection)
    yield Command(build)
    yield Command((*build, "--skip-broken"))
    yield Command((*build, "--skip-broken"))
    yield Command((*build, "--force", "--id", evil))
    yield Command((*build, "--force", "--inline", evil, "--skip-broken"))
    yield Command((*build, "--force", "--skip-broken", "--encoding", evil))
    yield Command(("collection", "build", f"{strange}/{evil}", "--out", folder_of(strange)))
    yield Command(("collection", "info", collection))
    yield Command(("collection", "info", collection, "--format", "json"), True)
    yield Command(("collection", "info", f"{strange}/none{evil}"))
    yield Command(("collection", "show", collection, "c", "--all"))
    yield Command(("collection", "show", collection, evil))
    for path in ("/article[1]/sec[1]", f"/article[1]/{evil}", evil):
        yield Command(("collection", "show", collection, "a", path, "--outline"))
    yield Command(("collection", "show", collection, "d", "/document[1]"), True)
    yield Command(("collection", "show", collection, "d", "--format", "json"), True)


def folder_of(strange: Path) -> Path:
    """A place for output that is not there."""
    return strange / "nowhere" / "collection"


def _on_queries(strange: Path, collection: Path, evil: str) -> Iterator[Command]:
    topics = strange / f"topics{evil}.jsonl"
    yield Command(("topics", topics))
    yield Command(("topics", topics, "--json"), True)
    yield Command(("topics", topics, "--statistics", "--json"), True)
    yield Command(("topics", strange / "unknown.jsonl"))
    for query in (evil, f"//a[about(., {evil})]", f"//a[about(., '{evil}')]//{evil}", f'"{evil}"'):
        yield Command(("nexi", query))
        yield Command(("nexi", query, "--tree", "--collection", collection))
    for name in (evil, f"nxCG@10(ignore={evil})", f"nxCG@{evil}", f"iP[{evil}]", f"MAep({evil}=1)"):
        yield Command(("measures", name))
    for file in (f"nav{evil}.json", "matrix.json", "routes.json", evil):
        yield Command(("navigation", strange / file))
        yield Command(("navigation", strange / file, "--collection", collection, "--doc", evil))


def _on_chunks(strange: Path, evil: str) -> Iterator[Command]:
    inside = _encodable(evil)
    spans = [{"doc": inside, "quote": f"One {inside}"}, {"doc": f"x{inside}", "quote": inside}]
    asked = {"id": inside, "question": inside, "needs": [{"id": inside, "spans": spans}]}
    cut = [{"id": inside, "doc": inside, "text": f"One {inside}", "start": inside}]
    cut += [{"id": inside, "doc": f"x{inside}", "text": f"lost {inside}"}]
    texts = {inside: f"One {inside} two."}
    files: dict[str, list[Any]] = {
        "asked": [asked],
        "cut": cut,
        "unknown-fields": [{inside: inside}],
    }
    for name, records in files.items():
        write_files(strange, {f"{name}.jsonl": "".join(f"{json.dumps(one)}\n" for one in records)})
    write_files(strange, {"texts.json": json.dumps(texts)})
    docs = ("--docs", strange / "texts.json", "--out", strange / f"out{evil}.jsonl")
    for allowed in ("0", "9", evil):
        end = (*docs, "--force", "--max-missing", allowed)
        yield Command(("chunks", "gold", strange / "asked.jsonl", *end))
        yield Command(("chunks", "locate", strange / "cut.jsonl", *end, "--doc-key", "doc"))
    for verb in ("gold", "locate"):
        yield Command(("chunks", verb, strange / "unknown-fields.jsonl", *docs))
        yield Command(("chunks", verb, strange / f"none{evil}.jsonl", *docs))
    yield Command(("chunks", "locate", strange / "cut.jsonl", *docs, "--doc-key", evil))
    yield Command(("chunks", "gold", strange / "asked.jsonl", "--docs", evil, "--out", strange))


def _on_runs(strange: Path, collection: Path, evil: str) -> Iterator[Command]:
    run, qrels = strange / f"run{evil}.jsonl", strange / f"qrels{evil}.jsonl"
    with_collection = ("--collection", collection)
    for file in (qrels, strange / "twice.jsonl", strange / "graded.jsonl", strange / "field.jsonl"):
        yield Command(("assessments", file))
        yield Command(("assessments", file, *with_collection))
        yield Command(("assessments", file, "--pool", evil, "--merge", "union", "--json"), True)
    for file in (run, strange / "elements.jsonl", strange / "bad.run", strange / "field.jsonl"):
        validate = ("validate", file, "--task", "focused", "--statistics")
        yield Command((*validate, "--all"))
        yield Command((*validate, *with_collection))
        yield Command((*validate, "--format", "json"), True)
        yield Command((*validate, "--format", "csv"), True)
    yield Command(("validate", run, "--task", evil))
    yield Command(("validate", run, "--task", "focused", "--fix", strange / f"fixed{evil}.run"))
    scored = (run, f"{evil}={run}", "-a", qrels, "-m", "MAgP")
    yield Command(("evaluate", *scored, "--per-topic", "--per-document"))
    yield Command(("evaluate", *scored, *with_collection))
    for format_ in ("json", "csv", "latex", "trec"):
        yield Command(("evaluate", *scored, "--format", format_, "--per-topic"), True)
    for format_ in ("table", "json", "csv"):
        yield Command(("compare", *scored, "--format", format_), format_ != "table")
        both = ("correlate", *scored, "-m", "MAiP", "--format", format_)
        yield Command(both, format_ != "table")
        yield Command((*both, "--significant"), format_ != "table")
    yield Command(("compare", *scored, "--baseline", evil))
    yield Command(("compare", *scored, "--baseline", evil, "--format", "latex"), True)
    yield Command(("evaluate", *scored, "-m", f"nxCG@10(ignore={evil})"))
    yield Command(("evaluate", *scored, "--preset", evil))
    yield Command(("evaluate", *scored, "--out", strange / f"scores.{evil}"))
    yield Command(("evaluate", *scored, "--compat", "inex_eval-3.1", "--task", "focused"), True)
    for wanted in ("text", "inex", "csv", "jsonl"):
        yield Command(("convert", run, strange / f"{wanted}{evil}", "--to", wanted))
    for wanted in ("qrels", "trec", "highlights", "judgments"):
        yield Command(("convert", qrels, strange / f"{wanted}{evil}", "--to", wanted, "--lossy"))
    yield Command(("convert", qrels, strange / f"again{evil}"))
    page = strange / f"report{evil}.html"
    yield Command(("report", *scored, "--out", page, "--title", evil))
    yield Command(("report", *scored, "--out", page))
    simulated = ("simulate", "-a", qrels, "--system", "perfect", *with_collection)
    yield Command((*simulated, "--out", strange / f"perfect{evil}.run"))
    yield Command((*simulated, "--out", strange / f"perfect{evil}.run", "--quant", evil))


def _on_campaigns(strange: Path, collection: Path, evil: str) -> Iterator[Command]:
    topics, pool = strange / f"asked{evil}.jsonl", strange / f"pool{evil}.jsonl"
    sources = ("--collection", collection, "--topics", topics)
    campaign, inside = strange / f"campaign{evil}", _encodable(evil)
    yield Command(("assess", "init", campaign, *sources, "--pool", strange / "foreign.jsonl"))
    yield Command(("assess", "init", campaign, *sources, "--pool", pool, "--admin", evil))
    yield Command(("assess", "init", campaign, *sources, "--pool", pool))
    yield Command(("assess", "init", campaign, *sources, "--pool", pool, "--database", evil))
    for name in (evil, "ann"):
        yield Command(("assess", "user", "add", campaign, name))
        yield Command(("assess", "user", "disable", campaign, name))
        for topic in (inside, evil, "7", "8"):
            yield Command(("assess", "assign", campaign, topic, name))
    yield Command(("assess", "user", "list", campaign))
    yield Command(("assess", "user", "list", campaign, "--format", "json"), True)
    yield Command(("assess", "status", campaign))
    yield Command(("assess", "status", campaign, "--format", "json"), True)
    yield Command(("assess", "pool", campaign, strange / "foreign.jsonl"))
    yield Command(("assess", "honeypots", campaign, strange / "gold.jsonl"))
    for file in ("gold.jsonl", "foreign.jsonl", f"qrels{evil}.jsonl", evil):
        yield Command(("assess", "import", campaign, strange / file, "--assessor", "ann"))
    for format_ in ("jsonl", "trec", "inex2005", "annotations", "log"):
        out = strange / f"{format_}{evil}"
        yield Command(("assess", "export", campaign, "--format", format_, "--out", out, "--drafts"))
    who = ("--judgments", evil)
    yield Command(("assess", "export", campaign, "--format", "trec", "--out", strange / "x", *who))
    yield Command(("assess", "agreement", campaign, "--topic", inside))
    yield Command(("assess", "adjudicate", campaign, "--by", "union"))
    yield Command(("assess", "close", campaign, inside))
    yield Command(("assess", "verify", campaign))
    yield Command(("assess", "backup", campaign, "--out", strange / f"backup{evil}"))
    yield Command(("assess", "restore", strange / f"backup{evil}", campaign))
    yield Command(("assess", "serve", strange / f"nowhere{evil}"))


def _on_usage(strange: Path, evil: str) -> Iterator[Command]:
    yield Command((evil,))
    yield Command(("evaluate", f"--{evil}"))
    yield Command(("evaluate", evil, "-a", evil, "-m", "MAiP"))
    yield Command(("evaluate", evil, "--order", evil))
    yield Command(("collection", evil))
    yield Command(("collection", "build", evil, "--out", evil, "--jobs", evil))
    yield Command(("demo", "--out", strange))
    yield Command(("convert", evil, strange / f"{evil}.{evil}"))
