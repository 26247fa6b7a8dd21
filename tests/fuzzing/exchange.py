"""Readers of topics, runs, assessments and models of navigation, and what is done with each."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from doxeval.assessments import (
    Assessments,
    Judgments,
    elements_from_grades,
    merge_judgments,
    read_aspects,
    read_assessments,
    read_beir_qrels,
    read_inex_text,
    read_inex_xml,
    read_jsonl,
    read_ranx_qrels,
    read_trec_qrels,
    resolve_judgments,
    violations,
)
from doxeval.comparison import compare_all, comparisons_as_latex
from doxeval.compat import (
    InexEvalOptions,
    InexEvalTask,
    TrecEvalOptions,
    inex_eval_lines,
    trec_eval_lines,
)
from doxeval.datasets import CHECKSUMS_FILE, PACKAGE_FILE, packaged_texts, verify_package
from doxeval.errors import DoxevalError
from doxeval.evaluation import is_score_file, read_scores
from doxeval.navigation import parse_navigation
from doxeval.pooling import Pool, read_pool, write_inex_pool, write_jsonl_pool, write_pool
from doxeval.runs import FORMATS as RUN_FORMATS
from doxeval.runs import (
    METADATA,
    Run,
    RunFormat,
    describe_metadata,
    losses,
    metadata_rows,
    parse_metadata,
    read_open_run,
    read_run,
    resolve,
    write_run,
)
from doxeval.scores import FORMATS as SCORE_FORMATS
from doxeval.tasks import TASKS, problems_of
from doxeval.topics import FORMATS as TOPIC_FORMATS
from doxeval.topics import TopicFormat, problems, read_topics, topic_statistics
from fuzzing import good_files as good
from fuzzing.inputs import (
    JUDGMENTS_WORDS,
    NAVIGATION_WORDS,
    RUN_WORDS,
    TOPICS_WORDS,
    XML_JUDGMENTS_WORDS,
    XML_RUN_WORDS,
    json_records,
    words,
)
from fuzzing.target import Broken, Reader, Target, collection, file_of, workplace

METADATA_WORDS = words(
    'tag: method: retrieval: - name k1: 0.4 "tag" {} [] & * &a *a !!set !!binary | > ? : --- ... '
    "ir_metadata.start ir_metadata.end # \\ud800 1e400 .nan 2026-01-01 <<: yes ~"
)
PACKAGE_WORDS = words('.. / \\ topics.jsonl doxeval-package.json "id" "sha256" "a" null [ { 0000')


def topic(name: TopicFormat) -> Reader:
    """A reader of topics, with their checks and their counts."""

    def read(data: bytes) -> object:
        found = list(TOPIC_FORMATS[name].read(io.BytesIO(data), "f"))
        topic_statistics(found)
        return list(problems(found))

    return read


def run(format: RunFormat, ends: bool = False) -> Reader:
    """A reader of runs, with the checks of some task; the run is resolved and written again."""
    tasks = list(TASKS.values())

    def everything(data: bytes) -> object:
        made = read_open_run(io.BytesIO(data), "f", format, ends=ends)
        list(made.results())
        problems_of(made, tasks[len(data) % len(tasks)])
        resolve(made, collection())
        for format_ in ("jsonl", "csv", "text", "inex", "msmarco", "ranx", "genomics"):
            if not losses(made, format_):
                b"".join(RUN_FORMATS[format_].write(made))
        return made

    return everything


def parquet_of(data: bytes) -> object:
    """A run from Parquet whose columns have the types and values that the input describes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        described = json.loads(data)
        columns = {
            str(name): pa.array(values, _arrow_type(kind))
            for name, (kind, values) in described.items()
        }
        out = io.BytesIO()
        pq.write_table(pa.table(columns), out)
    except Exception:  # no such Parquet can be made, so there is nothing to read
        return None
    return RUN_FROM_PARQUET(out.getvalue())


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    if kind.startswith("list:"):
        return pa.list_(_arrow_type(kind[5:]))
    if kind.startswith("dictionary:"):
        return pa.dictionary(pa.int32(), _arrow_type(kind[11:]))
    if kind == "struct":
        return pa.struct([("a", pa.int64())])
    if kind == "decimal":
        return pa.decimal128(38, 3)
    return pa.type_for_alias(kind)


def good_parquet() -> bytes:
    """A run in Parquet, as pyarrow writes it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    columns = {"topic": ["7", "8"], "doc": ["a", "b"], "start": [0, 2], "end": [9, 3]}
    pq.write_table(pa.table(columns), out, compression="none")
    return out.getvalue()


RUN_FROM_PARQUET = run("parquet")


def assessments(read: Callable[[io.BytesIO, str], Judgments]) -> Reader:
    """A reader of assessments: their rules, elements, merging and resolution."""

    def judge(data: bytes) -> object:
        judgments, warnings = read(io.BytesIO(data), "f")
        _each(
            lambda: elements_from_grades(Assessments(judgments, warnings)),
            lambda: [violations(judgment) for judgment in judgments],
            lambda: merge_judgments(judgments, "majority"),
            lambda: resolve_judgments(judgments, collection()),
        )
        return list(judgments)

    return judge


def _each(*steps: Callable[[], object]) -> None:
    """All steps, even if an earlier one refuses the input."""
    for step in steps:
        try:
            step()
        except DoxevalError:
            continue


def recognised(data: bytes) -> object:
    """Assessments whose format is recognised by how the file begins."""
    return read_assessments(file_of("assessments", data))


def recognised_run(data: bytes) -> object:
    """A run whose format is recognised by how the file begins."""
    return list(read_run(file_of("run", data)))


def pooled(data: bytes) -> object:
    """A pool, whose form is recognised by how the file begins; it is written again."""
    pool = read_pool(file_of("pool", data))
    b"".join(write_jsonl_pool(pool))
    _each(
        lambda: write_pool(pool, file_of("pool.txt", b""), "trec"),
        lambda: [
            b"".join(write_inex_pool(Pool({topic: pooled})))
            for topic, pooled in pool.documents.items()
        ],
    )
    return pool


def navigation(data: bytes) -> object:
    """A model of navigation, in a small collection, with its probabilities."""
    import numpy as np

    model, small = parse_navigation(data, "f"), collection()
    warnings = model.checked(small)
    nodes = np.arange(int(small.rows[0]), int(small.rows[1]))
    return model.between(small, 0, nodes, nodes), warnings


def scores(data: bytes) -> object:
    """Scores by topic; they are written again, and compared if there are two runs."""
    file = file_of("scores.csv", data)
    is_score_file(file)
    table = read_scores(file)
    for write in SCORE_FORMATS.values():
        _each(partial(write, table, True))
    _each(lambda: comparisons_as_latex(compare_all(table)))
    return table


def package(data: bytes) -> object:
    """Checksums of a package, and with an empty line between them its documents.jsonl."""
    folder = workplace() / "package"
    folder.mkdir(exist_ok=True)
    checksums, _, documents = data.partition(b"\n\n")
    files = {PACKAGE_FILE: b"{}", "topics.jsonl": good.TOPICS_OF_PACKAGE}
    files |= {CHECKSUMS_FILE: checksums + b"\n", "documents.jsonl": documents}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    _each(lambda: packaged_texts(folder, ["a", "b"]))
    verify_package(folder)
    return read_topics(folder)


def run_metadata(data: bytes) -> object:
    """Metadata of a run, which are shown, written inside a run and read there again."""
    said = parse_metadata(data, "f.yaml")
    metadata_rows(said)
    describe_metadata(said)
    run = replace(Run.from_dict({"7": ["a"]}), facts={METADATA: said})
    file = str(workplace() / "inside.run")
    write_run(run, file, metadata="inside")
    if read_run(file).facts.get(METADATA) != {**said, "tag": "run"}:
        raise Broken("metadata inside a run are not read as they were written")
    return said


def old_program(data: bytes) -> object:
    """Judgments and a run, with an empty line between them, as inex_eval reads them."""
    judgments, _, submission = data.partition(b"\n\n")
    tasks = list(InexEvalTask)
    options = InexEvalOptions(tasks[len(data) % len(tasks)], 500, 0.25, 300, True, True)
    run_file, judged = file_of("old.run", submission), file_of("old.qrels", judgments)
    return list(inex_eval_lines(run_file, [judged], options))


def as_trec_eval(data: bytes) -> object:
    """Qrels and a run, with an empty line between them, as trec_eval reads them."""
    judgments, _, results = data.partition(b"\n\n")
    options = TrecEvalOptions(
        ("all_trec", "yaap"),
        per_topic=True,
        all_topics=len(data) % 2 == 0,
        relevance_level=len(data) % 3,
        judged_only=len(data) % 5 == 0,
        max_results=None if len(data) % 7 else 2,
    )
    run_file, judged = file_of("trec.run", results), file_of("trec.qrels", judgments)
    return list(trec_eval_lines(run_file, judged, options))


_PATHS = ['"/s[1]"', '"/s[1]/p[2]"', '"/s"', '"/s[1]/p[1]/b[1]"', '"/nosuch[1]"']
_POINTS = [*_PATHS, '"/s/p/text()[1].2"', '"/s[1]/text()[1].0"']
_OFFSETS = ["0", "3", "9", "16"]
_RUN_FIELDS: dict[str, list[str]] = {
    "topic": ['"7"', '"8"', "7"],
    "doc": ['"a"', '"b"', '"a.xml"', '"nosuch"'],
    "start": _OFFSETS,
    "end": _OFFSETS,
    "path": _PATHS,
    "nodes": ["[" + ", ".join(_PATHS[:2]) + "]", '["/s[1]"]', "[]", '"/s[1] /s[1]/p[2]"'],
    "offset": _OFFSETS,
    "start_point": _POINTS,
    "end_point": _POINTS,
    "point": _POINTS,
    "rank": ["1", "2", "3"],
    "score": ["0.5", "1", "0.25"],
    "run": ['"mine"', '"other"'],
}
_JUDGMENT_FIELDS: dict[str, list[str]] = {
    **{name: _RUN_FIELDS[name] for name in ("topic", "doc", "start", "end", "path", "nodes")},
    "start_point": _POINTS,
    "end_point": _POINTS,
    "bep": _OFFSETS,
    "e": ["0", "1", "2", "3", '"?"', '"U"', "true", "1.0"],
    "s": ["0", "1", "2", "3", '"1/3"', "0.25", '"U"'],
    "scale": ['"2003"', '"2004"', '"2005"', "2005"],
    "size": _OFFSETS,
    "rsize": _OFFSETS,
    "rel": ["0.5", "1", "0"],
    "grade": ["1", "0", "-1"],
    "judged": ["true", "false"],
    "docsize": ["16", "60"],
    "pool": ['"1"'],
    "assessor": ['"x"', '"y"'],
    "inferred": ["true"],
}
_RUN_RECORDS, _JUDGMENTS = json_records(_RUN_FIELDS), json_records(_JUDGMENT_FIELDS)
_TOPIC_RECORDS = json_records(
    {
        "id": ['"1"', '"2"', "1"],
        "title": ['"a b"', '"//a[about(., b)]"', '"\\"a b\\" -c"'],
        "castitle": ['"//a[about(., b)]//c"', '"//a"'],
        "query_type": ['"CO"', '"CAS"', '"CO+S"'],
        "description": ['"d"'],
    }
)
_COLUMNS = (
    b'{"topic": ["string", ["7", "8"]], "doc": ["string", ["a", "b"]], "start": ["int64", [0, 2]], '
    b'"end": ["int64", [9, 3]]}',
    b'{"topic": ["int64", [7]], "doc": ["dictionary:string", ["a"]], "path": ["string", ["/s"]], '
    b'"rank": ["int8", [1]], "score": ["float32", [0.5]]}',
    b'{"topic": ["string", ["7"]], "doc": ["string", ["a"]], '
    b'"nodes": ["list:string", [["/s[1]", "/s[1]/p[2]"]]]}',
)
_TYPES = words(
    '"string" "large_string" "binary" "int8" "uint64" "int64" "float16" "float64" "bool" "date32" '
    '"timestamp[ns]" "timestamp[us]" "time64[us]" "duration[s]" "null" "struct" "decimal" '
    '"list:int64" "list:list:string" "dictionary:int64" "date64" "month_day_nano_interval"'
)


_NESTED_WORDS = words('{"7": {"a": 1}} "7":{ }} {} , : "a" "\\ud800" NaN 1e400 true null [ ]')


def _text_targets() -> Iterable[Target]:
    files = (good.TEXT_RUN, good.ELEMENT_RUN, good.POINT_RUN, good.POINTS_RUN, good.DOCUMENT_RUN)
    yield Target("text-runs", run("text"), files, RUN_WORDS, share=5)
    ends = run("text", ends=True)
    yield Target("text-runs-with-ends", ends, (b"7 Q0 a 1 0.9 mine 0 10\n",), RUN_WORDS)


TARGETS = (
    Target(
        "inex-topics",
        topic("inex"),
        (good.XML_TOPICS, good.XML_TOPICS_2009),
        TOPICS_WORDS,
        share=3,
    ),
    Target(
        "jsonl-topics", topic("jsonl"), (good.JSONL_TOPICS,), TOPICS_WORDS, _TOPIC_RECORDS, share=2
    ),
    Target("tab-topics", topic("tab"), (good.TAB_TOPICS,), TOPICS_WORDS),
    *_text_targets(),
    Target("msmarco-runs", run("msmarco"), (good.MSMARCO_RUN,), RUN_WORDS, share=2),
    Target("genomics-runs", run("genomics"), (good.GENOMICS_RUN,), RUN_WORDS, share=2),
    Target(
        "ranx-runs",
        run("ranx"),
        (good.RANX_RUN, good.PRINTED_RANX_RUN),
        (*RUN_WORDS, *_NESTED_WORDS),
        share=4,
    ),
    Target(
        "recognised-runs",
        recognised_run,
        (
            *(good.TEXT_RUN, good.MSMARCO_RUN, good.GENOMICS_RUN),
            *(good.RANX_RUN, good.JSONL_RUN, good.CSV_RUN),
        ),
        (*RUN_WORDS, *_NESTED_WORDS, b"<", b"PAR1"),
        share=2,
    ),
    Target("inex-runs", run("inex"), (good.XML_RUN,), XML_RUN_WORDS, share=4),
    Target("jsonl-runs", run("jsonl"), (good.JSONL_RUN,), RUN_WORDS, _RUN_RECORDS, 5),
    Target(
        "csv-runs",
        run("csv"),
        (good.CSV_RUN, good.QUOTED_CSV_RUN),
        RUN_WORDS,
        share=4,
    ),
    Target("parquet-runs", RUN_FROM_PARQUET, (good_parquet(),), RUN_WORDS, share=3),
    Target("parquet-columns", parquet_of, _COLUMNS, (*_TYPES, *RUN_WORDS), share=2),
    Target("qrels", assessments(read_inex_text), (good.QRELS,), JUDGMENTS_WORDS, share=3),
    Target(
        "xml-assessments",
        assessments(read_inex_xml),
        (good.XML_HIGHLIGHTS, good.XML_GRADES, good.XML_COVERAGE),
        XML_JUDGMENTS_WORDS,
        share=4,
    ),
    Target(
        "jsonl-assessments",
        assessments(read_jsonl),
        (good.JSONL_JUDGMENTS, good.JSONL_GRADES_2005, good.JUDGED, good.GRADED),
        JUDGMENTS_WORDS,
        _JUDGMENTS,
        5,
    ),
    Target(
        "pools",
        pooled,
        (good.JSONL_POOL, good.XML_POOL, good.TREC_POOL),
        (*JUDGMENTS_WORDS, *words('"priority" "elements" "contributors" "topics" "runs"')),
        share=2,
    ),
    Target(
        "beir-qrels",
        assessments(read_beir_qrels),
        (good.BEIR_QRELS, good.PLAIN_BEIR_QRELS),
        (*JUDGMENTS_WORDS, b"query-id", b"corpus-id", b"score", b"\t"),
        share=2,
    ),
    Target(
        "ranx-qrels",
        assessments(read_ranx_qrels),
        (good.RANX_QRELS,),
        (*JUDGMENTS_WORDS, *_NESTED_WORDS),
        share=3,
    ),
    Target(
        "gold-passages",
        assessments(read_aspects),
        (good.GOLD_PASSAGES,),
        (*JUDGMENTS_WORDS, b"|", b"\t"),
        share=2,
    ),
    Target("trec-qrels", assessments(read_trec_qrels), (good.TREC_QRELS,), JUDGMENTS_WORDS),
    Target(
        "recognised-assessments",
        recognised,
        (
            *(good.QRELS, good.TREC_QRELS, good.JUDGED, good.XML_GRADES),
            *(good.BEIR_QRELS, good.RANX_QRELS, good.GOLD_PASSAGES),
        ),
        XML_JUDGMENTS_WORDS,
    ),
    Target(
        "navigation",
        navigation,
        (good.ROUTES, good.SUMMARY, good.MATRIX, good.NAMED),
        NAVIGATION_WORDS,
        share=4,
    ),
    Target(
        "scores",
        scores,
        (good.SCORES, good.WIDE_SCORES),
        words(
            'run topic measure value all nan inf x y 7 8 AP P@5 qid doc , ,, ; "" .5 -1 1e400 1_0'
        ),
    ),
    Target("metadata", run_metadata, (good.METADATA, good.JSON_METADATA), METADATA_WORDS, share=2),
    Target("package", package, (good.CHECKSUMS + b"\n\n" + good.TEXTS,), PACKAGE_WORDS),
    Target(
        "trec_eval",
        as_trec_eval,
        (good.TREC_QRELS + b"\n" + b"7 Q0 a 1 0.5 mine\n7 Q0 b 2 0.5 mine\n8 Q0 c 1 -1e3 mine\n",),
        JUDGMENTS_WORDS,
    ),
    Target(
        "inex-eval",
        old_program,
        (good.QRELS + b"\n" + good.TEXT_RUN,),
        (*RUN_WORDS, b"0:5", b"9:4", b"X"),
        share=2,
    ),
)
