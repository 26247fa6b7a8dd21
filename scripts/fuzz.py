"""Feed mutated files to every reader: whatever comes, it ends soon, and in an error of ours.

    python scripts/fuzz.py                  200,000 inputs over all readers
    python scripts/fuzz.py --inputs 5000    fewer
    python scripts/fuzz.py --seed 7         the inputs of an earlier run, which printed its seed

Good files of every format are cut, repeated, spliced and sprinkled with bytes that mean something
in some format. A reader may return a value or raise a DoxevalError; anything else, more than a
few seconds or more than 2 GiB of memory is a finding. Findings are kept as files.
"""

from __future__ import annotations

import argparse
import io
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from doxeval.assessments import Assessments
from doxeval.assessments.assessed_elements import elements_from_grades
from doxeval.assessments.consistency import violations
from doxeval.assessments.inex_text import read_inex_text
from doxeval.assessments.inex_xml import read_inex_xml
from doxeval.assessments.jsonl import read_jsonl
from doxeval.assessments.judgment import Judgments
from doxeval.assessments.trec import read_trec_qrels
from doxeval.documents.batch import read_batch
from doxeval.documents.examples import example_collection
from doxeval.documents.limits import Limits
from doxeval.documents.options import BuildOptions, Format
from doxeval.documents.paths import parse_point
from doxeval.documents.patterns import PathPattern
from doxeval.documents.raw import RawDocument
from doxeval.documents.records import read_records
from doxeval.errors import DoxevalError
from doxeval.measures.registry import measure_named
from doxeval.navigation.read import parse_navigation
from doxeval.runs import read_write as runs
from doxeval.tasks import TASKS, problems_of
from doxeval.topics import read_write as topics
from doxeval.topics.nexi import parse_nexi

Reader = Callable[[bytes], object]
SECONDS = 5
MEMORY = 2 << 30

XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article SYSTEM "a.dtd" [<!ENTITY x "caf&#233;">]>
<article id="1"><!-- c --><sec><p>One &x; &amp; &nbsp;<b>two</b></p><![CDATA[<p>]]></sec><br/>
</article>"""
HTML = b"<!doctype html><title>T</title><p>One<b>two<table>x<tr><td>1</table><pre>\n&eacute;"
MARKDOWN = b"# A\n\n- one\n  - two\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n```\n"
JSONL = b'{"id": "a", "text": "One.\\n\\nTwo."}'
TOPICS = b"""<inex_topics><inex_topic topic_id="076" query_type="CO+S" ct_no="3"><title>a "b c" -d
</title><castitle>//article[about(.,+"a b")]//sec</castitle><keywords>k</keywords></inex_topic>
<inex_topic topic_id="2"><title><te>tig</te><cw>QBIC</cw></title></inex_topic></inex_topics>"""
TEXT_RUN = b"7 Q0 a.xml 1 0.9 mine 0 10\n7 Q0 b 2 .8 mine 5 10\n8 Q0 b 1 1e-3 mine 7 0\n"
XML_RUN = b"""<inex-submission run-id="r" task="Focused" result-type="element"><topic topic-id="1">
<result><file>a</file><path>/article[1]/sec[2]</path><rank>1</rank><rsv>0.5</rsv></result>
<result><file>b</file><passage start="/a/text()[1].2" end="/a"/></result>
<result><file>c</file><fol offset="0" length="9"/></result></topic></inex-submission>"""
JSONL_RUN = b"""{"topic": "1", "doc": "a", "start": 0, "end": 9, "rank": 1, "score": 0.5}
{"topic": "1", "doc": "a", "nodes": ["/a[1]", "/a[1]/b[2]"]}
{"topic": "1", "doc": "a", "path": "/a[1]"}\n{"topic": "1", "doc": "b", "offset": 3}"""
XML_ASSESSMENTS = b"""<assessments pool="1" topic="7" whitespace-text-node="keep"><file name="a">
<best-entry-point path="/a"/><passage start="/a/text()[1].2" end="/a" size="9"/>
<element path="/a" exhaustivity="?" size="9" rsize="3"/></file><file file="b">
<path path="/a" exhaustiveness="3" specificity="U" inpool="true"/></file></assessments>"""
JSONL_ASSESSMENTS = b"""{"topic": "7", "doc": "a", "start": 3, "end": 9, "docsize": 60}
{"topic": "7", "doc": "f", "bep": 4, "assessor": "x", "pool": "1"}
{"topic": "7", "doc": "b", "path": "/a[1]/b[2]", "e": 3, "s": 2, "inferred": true}
{"topic": "7", "doc": "b", "path": "/a", "e": 2, "size": 9, "rsize": 3, "scale": "2005"}
{"topic": "7", "doc": "c", "nodes": ["/a[1]"], "rel": 0.5}
{"topic": "7", "doc": "d", "judged": true}
{"topic": "7", "doc": "e", "start_point": "/a/text()[1].2", "end_point": "/a"}
{"topic": "7", "doc": "e", "grade": -1}"""
GRADES_2005 = b"""{"topic": "7", "doc": "b", "path": "/a", "e": "?", "s": "1/3", "scale": "2005"}
{"topic": "7", "doc": "b", "path": "/a[1]/b[3]", "e": 2, "s": 0.25, "scale": "2005"}"""
ROUTES = b"""{"model": "routes", "partition": "tag", "abandonment": true,
 "routes": [{"doc": "a", "steps": ["/s[1]", "/s[1]/p[2]"]}, {"doc": "a.xml", "steps": ["/s"]}]}"""
SUMMARY = b"""{"model": "summary", "partition": {"s": "S", "p": "P"}, "other": "P",
 "weights": {"S": {"P": 2, "S": 0.5}, "P": {"S": 1}}, "steady": true, "restart": 0.15}"""
MATRIX = b"""{"model": "matrix", "probabilities": {"a": {"/s[1]": {"/s[1]/p[1]": 0.53}}}}"""
NEXI = b"//article[(about(.//st, 'IBM +x') and .//yr >= 2000) or about(., \"a b\")]//(sec|p)"

MEANINGFUL = [
    b"<", b">", b"/", b"&", b";", b"&#0;", b"&lt;", b"]]>", b"<!--", b"<![CDATA[",
    b"<!DOCTYPE a [",
    b"<!ENTITY x '&x;&x;'>", b"%", b'"', b"'", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\t",
    b" ", b"-1", b"9" * 25, b"1e999", b"nan", b"{", b"}", b"[", b"]", b":", b",", b"null",
    b"\\ud800",
    b"<a>", b"</a>", b"\n" * 5, b"text()[1].5", b"(" * 30, b"about(", b"\xf0\x9f\x98\x80", b"|",
    b"@",
    b"#", b"- ", b"> ", b"```", b"<table>", b"<p>", b"Q0", b"/p[1]", b"true", b"0x10", b"1_000",
]  # fmt: skip


def document(format_: Format) -> Reader:
    """A reader of documents."""
    options = BuildOptions(limits=Limits(bytes=1 << 20, elements=50_000))
    return lambda data: read_batch([RawDocument("f", "f", format_, data, len(data))], options)


def record(data: bytes) -> object:
    """Records of one file."""
    return list(read_records(io.BytesIO(data), "sec", "f", Limits(elements=50_000)))


def topic(name: topics.TopicFormat) -> Reader:
    """A reader of topics, with their checks."""
    return lambda data: list(topics.problems(list(topics.READERS[name](io.BytesIO(data), "f"))))


def run(name: runs.RunFormat) -> Reader:
    """A reader of runs, with all checks, and everything looked at."""

    def read(data: bytes) -> object:
        made = runs.READERS[name](io.BytesIO(data), "f")
        list(made.results())
        return [problems_of(made, task) for task in TASKS.values()]

    return read


def assessments(read: Callable[[io.BytesIO, str], Judgments]) -> Reader:
    """A reader of assessments, with their rules and their elements."""

    def judge(data: bytes) -> object:
        found = Assessments(*read(io.BytesIO(data), "f"))
        elements_from_grades(found)
        return [violations(judgment) for judgment in found]

    return judge


def queries(data: bytes) -> object:
    """Queries, points and patterns, each in its own right."""
    text = data.decode("utf-8", "replace")
    for parse in (parse_nexi, parse_point, PathPattern.parse):
        try:
            parse(text)
        except DoxevalError:
            continue
    return None


def names(data: bytes) -> object:
    """Names of measures."""
    return str(measure_named(data.decode("utf-8", "replace")))


def navigation(data: bytes) -> object:
    """Models of navigation, in a small collection."""
    return parse_navigation(data, "f").checked(COLLECTION)


COLLECTION = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
READERS: dict[str, tuple[bytes, Reader]] = {
    "XML documents": (XML, document("xml")),
    "HTML documents": (HTML, document("html")),
    "Markdown documents": (MARKDOWN, document("markdown")),
    "text documents": (MARKDOWN, document("text")),
    "JSONL documents": (JSONL, document("jsonl")),
    "records": (XML, record),
    "INEX topics": (TOPICS, topic("inex")),
    "JSONL topics": (b'{"id": "1", "title": "a", "castitle": "//a[about(., b)]"}', topic("jsonl")),
    "tab topics": (b"1\ta b\n2\tc\n", topic("tab")),
    "text runs": (TEXT_RUN, run("text")),
    "INEX runs": (XML_RUN, run("inex")),
    "JSONL runs": (JSONL_RUN, run("jsonl")),
    "CSV runs": (b"topic,doc,start,end,nodes\n1,a,0,9,\n1,b,,,/a[1] /b[1]\n", run("csv")),
    "INEX assessments": (b"7 Q0 a 9 99 0 0:5 50:4\n7 Q0 b 0 9\n", assessments(read_inex_text)),
    "INEX XML assessments": (XML_ASSESSMENTS, assessments(read_inex_xml)),
    "JSONL assessments": (JSONL_ASSESSMENTS, assessments(read_jsonl)),
    "JSONL grades of 2005": (GRADES_2005, assessments(read_jsonl)),
    "TREC qrels": (b"7 0 a 1\n7 0 b -1\n", assessments(read_trec_qrels)),
    "queries, points, patterns": (NEXI, queries),
    "measure names": (b"nxCG@10(base=ideal,quant=spec,ignore=p+b)", names),
    "routes": (ROUTES, navigation),
    "summaries": (SUMMARY, navigation),
    "matrices": (MATRIX, navigation),
}


def mutated(seed: bytes, chance: random.Random) -> bytes:
    """A file with a few things done to it."""
    data = bytearray(seed)
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(data))
        until = min(len(data), at + int(chance.expovariate(1 / 12)))
        action = chance.randrange(6)
        if action == 0:
            data[at:at] = chance.choice(MEANINGFUL)
        elif action == 1:
            del data[at:until]
        elif action == 2:
            data[at:at] = data[at:until] * chance.randint(1, 4)
        elif action == 3 and data:
            data[min(at, len(data) - 1)] = chance.randrange(256)
        elif action == 4:
            data[at:until] = chance.choice(MEANINGFUL)
        else:
            other = chance.choice(list(READERS.values()))[0]
            begin = chance.randint(0, len(other))
            data[at:at] = other[begin : begin + chance.randint(0, 30)]
    return bytes(data)


def main() -> None:
    """Run the readers in turn; exit 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=200_000, help="inputs in all")
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    options = parser.parse_args()
    chosen = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    print(f"seed {chosen}; again: python scripts/fuzz.py --inputs {options.inputs} --seed {chosen}")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_slow)
    chance = random.Random(chosen)
    each = -(-options.inputs // len(READERS))
    findings = 0
    for name, (seed, read) in READERS.items():
        if attempt(read, seed) != "read":
            sys.exit(f"{name}: the good file itself is refused, which would prove nothing")
        started = time.perf_counter()
        refused = 0
        for _ in range(each):
            data = mutated(seed, chance)
            outcome = attempt(read, data)
            refused += outcome == "refused"
            if outcome not in ("read", "refused"):
                findings += 1
                kept = Path(tempfile.gettempdir()) / f"doxeval-fuzz-{findings}.bin"
                kept.write_bytes(data)
                print(f"\n{name}: {kept}\n{outcome}")
        seconds = time.perf_counter() - started
        print(f"{name:<28} {each:>7,} inputs, {refused:>7,} refused, {seconds:6.1f} s", flush=True)
    print(f"{findings} findings")
    sys.exit(1 if findings else 0)


def attempt(read: Reader, data: bytes) -> str:
    """Read once: `read`, `refused`, or the trace of what should not happen."""
    signal.alarm(SECONDS)
    try:
        read(data)
    except DoxevalError:
        return "refused"
    except Exception:
        return traceback.format_exc()
    finally:
        signal.alarm(0)
    return "read"


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds")


if __name__ == "__main__":
    main()
