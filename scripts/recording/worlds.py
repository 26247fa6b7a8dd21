"""The small worlds of the record: files of every format, and what all calls share.

Three documents about tides (`small`), a shop's terms for questions about chunks, and the built-in
demo (`sea`).
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from typing import Any

from recording.running import Workshop


def lines(*records: Any) -> bytes:
    """Return records as JSONL."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def zipped(**members: bytes) -> bytes:
    """Return a zip archive; underscores in names stand for dots, two of them for slashes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(_member(name)), content)
    return data.getvalue()


def tarred(**members: bytes) -> bytes:
    """Return a tar archive, with names as in `zipped`."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(_member(name))
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return data.getvalue()


def _member(name: str) -> str:
    return name.replace("__", "/").replace("_", ".")


def parquet(records: list[dict[str, Any]]) -> bytes:
    """Return records as Parquet."""
    import pyarrow
    import pyarrow.parquet

    data = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), data)
    return data.getvalue()


# Documents

TIDES = (
    b"<article><title>Tides</title><sec><p>The moon pulls the <b>sea</b>.</p><p>Twice a day the "
    b"water rises.</p></sec><sec><p>Spring tides are high.</p></sec></article>"
)
WAVES = "<article><title>Waves</title><p>Wind makes waves 🌊 of all sizes.</p></article>".encode()
SALT = b"<article><title>Salt</title><p>The sea is salty.</p><p>Salt keeps fish.</p></article>"
PAGE = b"""<!doctype html><html><head><meta charset="utf-8"><title>Harbours</title></head><body>
<nav>Home</nav><main><h1>Harbours</h1><p>Ships wait for the tide.</p><h2>Locks</h2>
<p>A lock keeps the water in.</p><script>1</script></main></body></html>"""
MARKDOWN = b"""# Knots\n\nA knot is a speed.\n\n- bowline\n- reef\n\n## Speed\n
> One mile an hour.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"""
PLAIN = b"One knot.\n\nTwo knots of wind.\n\n\nThree\tropes.\n"
RECORDS = (
    b"<dump><r><id>1</id><sec>Low tide</sec></r><r><id>2</id><sec><p>High</p></sec></r></dump>"
)
SMALL = {"tides.xml": TIDES, "waves.xml": WAVES, "salt.xml": SALT}

# Judgments, topics and runs of the small world: T is a path to a paragraph that is relevant.

_T = "/article[1]/sec[1]/p[2]"
_JUDGED: list[dict[str, Any]] = [
    {"topic": "7", "doc": "tides", "start": 28, "end": 56},
    {"topic": "7", "doc": "tides", "bep": 28},
    {"topic": "7", "doc": "waves", "judged": True},
    {"topic": "8", "doc": "salt", "start": 4, "end": 21},
    {"topic": "8", "doc": "salt", "bep": 4},
    {"topic": "8", "doc": "tides", "judged": True},
]
_SIZES = {"tides": 78, "waves": 37, "salt": 37}
_GRADED = [
    {"topic": "7", "doc": "tides", "path": "/article[1]", "e": 2, "s": 1},
    {"topic": "7", "doc": "tides", "path": "/article[1]/sec[1]", "e": 2, "s": 2},
    {"topic": "7", "doc": "tides", "path": _T, "e": 3, "s": 3},
    {"topic": "8", "doc": "salt", "path": "/article[1]/p[1]", "e": 1, "s": 3},
    {"topic": "8", "doc": "waves", "path": "/article[1]", "e": 0, "s": 0},
]
_SECOND = [
    {"topic": "7", "doc": "tides", "start": 5, "end": 28},
    {"topic": "7", "doc": "tides", "bep": 5},
    {"topic": "7", "doc": "waves", "judged": True},
    {"topic": "8", "doc": "salt", "start": 4, "end": 21},
]


def _by(assessor: str, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [record | {"assessor": assessor} for record in records]


_TOPICS_2002 = b"""<inex_topic topic_id="07" query_type="CAS" ct_no="9"><title><te>article</te>
<cw>tides</cw><ce>sec</ce></title><description>d</description><narrative>n</narrative>
<keywords>moon, sea</keywords></inex_topic>"""
_TOPICS_2004 = b"""<inex_topic topic_id="76" query_type="CAS" ct_no="1">
<title>//article[about(., tides)]//sec[about(.//p, "spring tide" -neap)]</title>
<description>Why?</description><narrative>n</narrative><keywords>k</keywords></inex_topic>"""
_TOPICS_2006 = b"""<inex_topics><inex_topic topic_id="7" query_type="CO+S" ct_no="3"><title>tides
 "moon pulls" -neap</title><castitle>//article[about(.,+"water rises")]//p</castitle>
<parent>p</parent><description>d</description><narrative>n</narrative>
<ontopic_keywords>k</ontopic_keywords><InitialTopicStatement>i</InitialTopicStatement></inex_topic>
<inex_topic topic_id="8" query_type="CO"><title>salt sea</title></inex_topic></inex_topics>"""
_TOPICS_2009 = b"""<inex-topic-file><topic id="2009001" ct_no="1"><title>tide</title>
<castitle>//article[about(., tide)]</castitle><phrasetitle>"spring tide"</phrasetitle>
<description>d</description><narrative>n</narrative></topic></inex-topic-file>"""

_ELEMENT_RUN = f"""7 Q0 tides 1 0.9 mine {_T}
7 Q0 tides 2 0.8 mine /article[1]/sec[1]
7 Q0 waves 3 0.7 mine /article[1]/p[1]
8 Q0 salt 1 1 mine /article[1]/p[1]
8 Q0 tides 2 0.5 mine /article[1]
""".encode()
_XML_RUN = f"""<inex-submission participant-id="12" run-id="r" task="Focused" query="automatic"
 result-type="element"><topic-fields title="yes" castitle="no"/><description>d</description>
<collections><collection>small</collection></collections><topic topic-id="7">
<result><file>tides</file><path>{_T}</path><rank>1</rank><rsv>0.5</rsv></result>
<result><file>waves</file><path>/article[1]</path><rank>2</rank><rsv>0.4</rsv></result></topic>
<topic topic-id="8"><result><file>salt</file><path>/article[1]/p[2]</path></result></topic>
</inex-submission>""".encode()
_PASSAGE_XML = b"""<inex-submission participant-id="1" run-id="p" task="Focused"
 result-type="passage"><topic topic-id="7"><result><file>tides</file>
<passage start="/article[1]/sec[1]/p[1]/text()[1].4" end="/article[1]/sec[1]/p[2]"/></result>
</topic></inex-submission>"""
_FOL_XML = b"""<inex-submission participant-id="1" run-id="f" task="Focused" result-type="fol">
<topic topic-id="7"><result><file>tides</file><fol offset="28" length="9"/></result></topic>
</inex-submission>"""
_JSONL_RUN = lines(
    {"topic": "7", "doc": "tides", "start": 28, "end": 40, "rank": 1, "score": 0.5, "run": "x"},
    {"topic": "7", "doc": "tides", "nodes": ["/article[1]/sec[1]", "/article[1]/sec[1]/p[2]"]},
    {"topic": "7", "doc": "waves", "path": "/article[1]"},
    {"topic": "8", "doc": "salt", "offset": 4, "tokens": 2},
    {"topic": "8", "doc": "salt", "spans": [[0, 3], [5, 9]]},
    {"topic": "8", "doc": "tides", "start_point": "/article[1]/title[1]", "end_point": _T},
    {"topic": "8", "doc": "tides", "point": "/article[1]/sec[2]"},
    {"topic": "8", "doc": "waves"},
)
_SPANS = [
    {"topic": "7", "doc": "tides", "start": 28, "end": 50, "rank": 1, "score": 2.0},
    {"topic": "8", "doc": "salt", "start": 0, "end": 9, "rank": 1, "score": 1.0},
]
_HIGHLIGHTS_2005 = f"""<assessments pool="1" topic="7" version="2" whitespace-text-node="keep">
<file collection="small" name="tides"><passage start="{_T}/text()[1].0" end="{_T}/text()[1].9"
 size="9"/><element path="{_T}" exhaustivity="2" size="28" rsize="9"/></file>
<file name="waves"/></assessments>""".encode()
_HIGHLIGHTS_2007 = f"""<assessments pool="1" topic="7" version="2" whitespace-text-node="keep">
<file collection="small" name="tides"><best-entry-point path="{_T}/text()[1].0"/>
<passage start="{_T}/text()[1].0" end="{_T}" size="28"/>
<element path="/article[1]" exhaustivity="?" size="78" rsize="28"/></file>
<file name="waves"/></assessments>""".encode()
_GRADES_2003 = f"""<assessments pool="1" topic="7"><file file="tides">
<path path="/article[1]" exhaustiveness="3" specificity="2" inpool="true"/>
<path path="{_T}" exhaustiveness="2" specificity="3" inferred="true"/>
<path path="/article[1]/sec[2]" exhaustiveness="U" specificity="U" inconsistant="true"/>
</file></assessments>""".encode()
_GRADES_2002 = f"""<assessments topic="7"><file file="tides">
<path path="/article[1]" relevance="2" coverage="E"/>
<path path="{_T}" relevance="3" coverage="S"/></file></assessments>""".encode()

# Questions about a shop, in every format that is read; chunks of every shape.

TERMS = "Thirty days. Unused goods only. Ask us first. Unused goods only."
SHOP = {"terms": TERMS, "faq": "Parcels are free. Ask us first."}
_QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": "How long may I keep it?",
        "needs": [
            {"id": "when", "grade": 2, "spans": [{"doc": "terms", "start": 0, "end": 12}]},
            {"spans": [{"doc": "faq", "quote": "Ask us first."},
                       {"doc": "terms", "quote": "Ask us"}]},
        ],
        "tags": ["returns"],
    },
    {"id": "q2", "question": "Do you sell boats?", "answerable": False, "needs": []},
    {"id": "q3", "question": "Are parcels free?", "needs": [{"spans": ["Parcels are free."]}],
     "tags": ["parcels"], "not_relevant": ["terms"], "answers": ["Yes"]},
]  # fmt: skip
_SQUAD = {
    "version": "2.0",
    "data": [
        {
            "title": "Trees",
            "paragraphs": [
                {"context": "Tea is hot. Tea is wet.", "qas": []},
                {
                    "context": "The oak is old, the oak is tall.",
                    "qas": [
                        {"id": "s1", "question": "What is old?",
                         "answers": [{"text": "oak", "answer_start": 4}]},
                        {"id": "s2", "question": "Why?", "is_impossible": True, "answers": []},
                    ],
                },
            ],
        }
    ],
}  # fmt: skip
_QASPER = {
    "1703": {
        "title": "Tides",
        "abstract": "About tides.",
        "full_text": [
            {"section_name": "Method", "paragraphs": ["We measure tides.", "The moon pulls."]}
        ],
        "qas": [
            {"question": "What?", "question_id": "x",
             "answers": [{"answer": {"evidence": ["We measure tides.", "FLOAT SELECTED: 2"]}}]}
        ],
    }
}  # fmt: skip
_HOTPOT = [
    {
        "_id": "h1",
        "question": "Which is older?",
        "type": "comparison",
        "context": [["Oak", ["The oak is old.", " It is tall."]], ["Tea", ["Tea is hot."]]],
        "supporting_facts": [["Oak", 1], ["Tea", 0]],
    }
]
_MUSIQUE = {
    "id": "m",
    "question": "?",
    "paragraphs": [
        {"idx": 0, "title": "Oak", "paragraph_text": "The oak is old.", "is_supporting": True},
        {"idx": 1, "title": "Tea", "paragraph_text": "Tea is hot.", "is_supporting": False},
    ],
}
_NATURAL = {
    "example_id": 77,
    "question_text": "Where?",
    "document_text": "<P> Tea is hot . </P> <P> Tea is wet . </P>",
    "document_url": "//wiki/tea",
    "annotations": [{"long_answer": {"start_token": 6, "end_token": 12},
                     "short_answers": [{"start_token": 9, "end_token": 10}]}],
}  # fmt: skip
_SAMPLE = {
    "user_input": "How long?",
    "retrieved_contexts": ["Unused  goods only.", "Thirty days."],
    "reference_contexts": ["Thirty days.", "Ask us first."],
    "reference": "30 days",
}
_RAG_CHECKER = {
    "results": [
        {"query_id": "q3", "query": "What first?", "retrieved_context": [
            {"doc_id": "faq", "text": "Ask us first."}, {"doc_id": "000", "text": "Thirty days."}]}
    ]
}  # fmt: skip
_CORPUS = [
    {"doc_id": "c1", "contents": "Thirty days.", "path": "raw/terms.md", "start_end_idx": [0, 11]},
    {"doc_id": "c2", "contents": "Ask us first.", "path": "raw/terms.md", "start_end_idx": [0, 0]},
]
_RANGES = lines(
    {"id": "1", "doc": "terms", "start": 0, "end": 12, "tokens": 3},
    {"id": "2", "doc": "terms", "start": 13, "end": 31, "tokens": 3},
    {"id": "3", "doc": "terms", "start": 32, "end": 64, "parent": "2"},
    {"id": "4", "doc": "faq", "spans": [[0, 7], [8, 17]], "metadata": {"note": 1}},
    {"id": "5", "doc": "faq", "start": 18, "end": 31},
)

FILES: dict[str, bytes] = {
    **SMALL,
    "harbours.html": PAGE,
    "knots.md": MARKDOWN,
    "notes.txt": PLAIN,
    "latin.txt": "Caf\u00e9 au port.".encode("latin-1"),
    "broken.xml": b"<a><b></a>",
    "records.xml": RECORDS,
    "docs.jsonl": lines({"id": "one", "text": "One.\n\nTwo."}, {"id": "two", "text": "Three."}),
    "docs.zip": zipped(x__tides_xml=TIDES, notes_txt=PLAIN),
    "docs.tar": tarred(x__tides_xml=TIDES, notes_txt=PLAIN),
    "salt.xml.gz": gzip.compress(SALT, mtime=0),
    "topics2002.xml": _TOPICS_2002,
    "topics2004.xml": _TOPICS_2004,
    "topics2006.xml": _TOPICS_2006,
    "topics2009.xml": _TOPICS_2009,
    "topics.jsonl": lines({"id": "7", "title": "tides", "castitle": "//article[about(., moon)]//p",
                           "description": "Why?"}, {"id": "8", "title": "salt", "narrative": "n"}),
    "topics.tsv": b"7\twater rises\n8\tsalt sea\n",
    "people.csv": b"name,role,e-mail\ncy,,cy@x.example\ndan,organiser,\n",
    "el.run": _ELEMENT_RUN,
    "el2.run": _ELEMENT_RUN.replace(b"mine", b"other").replace(b"/sec[1]/p[2]", b"/sec[2]"),
    "passage.run": b"7 Q0 tides 1 9 p 28 20\n7 Q0 waves 2 8 p 0 9\n8 Q0 salt 1 7 p 4 9\n",
    "ends.run": b"7 Q0 tides 1 9 e 28 48\n8 Q0 salt 1 7 e 4 13\n",
    "points.run": b"7 Q0 tides 1 9 q /article[1]/title[1]/text()[1].1 /article[1]/sec[1]\n",
    "entry.run": b"7 Q0 tides 1 9 b 28\n7 Q0 waves 2 8 b 0\n8 Q0 salt 1 7 b 4\n",
    "whole.run": b"7 Q0 tides 1 9 d\n7 Q0 waves 2 8 d\n8 Q0 salt 1 7 d\n8 Q0 tides 2 6 d\n",
    "once.run": b"7 Q0 tides 2 1 t\n7 Q0 waves 1 1 t\n8 Q0 none 1 1 t\n8 Q0 salt 1 0.5 t\n",
    "ties.run": b"7 Q0 tides 2 1 t\n7 Q0 waves 1 1 t\n7 Q0 tides 3 0.5 t\n8 Q0 none 1 1 t\n",
    "r.xml": _XML_RUN,
    "passages.xml": _PASSAGE_XML,
    "fol.xml": _FOL_XML,
    "all.jsonl": _JSONL_RUN,
    "r.jsonl": lines(*_SPANS),
    "scores.csv": b"run,topic,AP,ms\nlm,7,0.5,9\nlm,8,.25,8\nbm25,7,0.125,4\n"
    b"bm25,8,,5\nbm25,all,.5,4.5\n",
    "r.csv": b"topic,doc,path,rank,score,run\n7,tides,/article[1]/sec[1],1,0.5,\"x \"\"y\"\"\"\n"
    b"8,salt,/article[1],1,,\n",
    "r.parquet": parquet(_SPANS),
    "judged.jsonl": lines(*_JUDGED),
    "sized.jsonl": lines(*(row | {"docsize": _SIZES[str(row["doc"])]} for row in _JUDGED)),
    "two.jsonl": lines(*_by("ann", _JUDGED), *_by("bob", _SECOND)),
    "three.jsonl": lines(*_by("ann", _JUDGED), *_by("bob", _SECOND), *_by("cy", _JUDGED)),
    "second.jsonl": lines(*_SECOND),
    "graded.jsonl": lines(*_GRADED),
    "needs.jsonl": lines({"topic": "7", "doc": "tides", "start": 28, "end": 56, "need": "a",
                          "grade": 2}, {"topic": "7", "doc": "salt", "start": 0, "end": 4}),
    "graded2005.jsonl": lines({"topic": "7", "doc": "tides", "path": _T, "e": 2, "s": "1/3",
                               "scale": "2005"}, {"topic": "7", "doc": "tides", "path":
                               "/article[1]", "e": "?", "size": 78, "rsize": 9, "scale": "2005"}),
    "trees.jsonl": lines({"topic": "7", "doc": "tides", "nodes": [_T], "rel": 0.5}),
    "qrels2008.txt": b"7 Q0 tides 28 78 28 28:28\n7 Q0 waves 0 37\n8 Q0 salt 17 37 4 4:17\n",
    "bytes2008.txt": b"7 Q0 tides 28 78 28 28:28\n7 Q0 waves 0 40\n8 Q0 salt 17 37 4 4:17\n",
    "trec.txt": b"7 0 tides 1\n7 0 waves 0\n8 0 salt 2\n8 0 tides -1\n",
    "highlights2005.xml": _HIGHLIGHTS_2005,
    "highlights2007.xml": _HIGHLIGHTS_2007,
    "grades2003.xml": _GRADES_2003,
    "grades2002.xml": _GRADES_2002,
    "pool.txt": b"7 0 tides\n7 0 waves\n8 0 salt\n8 0 tides\n",
    "more.txt": b"7 0 salt\n8 0 waves\n",
    "pool.xml": b'<pool topic="7"><file file="tides"><path path="/article[1]/sec[1]"/></file>'
    b'<file file="waves"/></pool>',
    "pool.jsonl": lines({"topic": "7", "doc": "tides", "priority": 0.5, "contributors":
                         [["mine", 1]], "elements": [{"path": _T}, {"start": 0, "end": 9}]},
                        {"topic": "8", "doc": "salt"}),
    "display.json": b'{"sec": "heading", "p": "block"}',
    "routes.json": b'{"model": "routes", "partition": "tag", "abandonment": true, "routes": ['
    b'{"doc": "tides", "steps": ["/article[1]", "/article[1]/sec[1]/p[2]"]}]}',
    "summary.json": b'{"model": "summary", "partition": {"sec": "S", "p": "P"}, "other": "P", '
    b'"weights": {"S": {"P": 2, "S": 0.5}, "P": {"S": 1}}, "steady": true, "restart": 0.15}',
    "matrix.json": b'{"model": "matrix", "probabilities": {"tides": {"/article[1]": '
    b'{"/article[1]/sec[1]": 0.53}}}}',
    "named.json": b'{"model": "depth"}',
    "spans.jsonl": lines({"doc": "tides", "start": 0, "end": 28},
                         {"doc": "salt", "start": 4, "end": 21}),
    "shop.jsonl": lines(*({"id": name, "text": text} for name, text in SHOP.items())),
    "shop/terms.md": TERMS.encode(),
    "shop/faq.txt": SHOP["faq"].encode(),
    "questions.jsonl": lines(*_QUESTIONS),
    "judged_gold.jsonl": lines({"topic": "q1", "doc": "terms", "start": 0, "end": 12}),
    "chroma.csv": b"question,references,corpus_id\n\"How, \"\"exactly\"\"?\",\"[{\"\"content\"\": "
    b"\"\"Unused goods only.\"\", \"\"start_index\"\": 13, \"\"end_index\"\": 31}]\",terms\n",
    "legal.json": json.dumps({"tests": [{"query": "How long?", "tags": ["cuad"], "snippets": [
        {"file_path": "corpus/terms.txt", "span": [0, 12], "answer": "Thirty days."}]}]}).encode(),
    "hicbench.jsonl": lines({"input": "?", "answers": ["x"], "facts": ["y"], "_id": "terms",
                             "evidences": ["Thirty days.", "Ask us  first."]}),
    "ragas.jsonl": lines(_SAMPLE),
    "squad.json": json.dumps(_SQUAD).encode(),
    "qasper.json": json.dumps(_QASPER).encode(),
    "hotpot.json": json.dumps(_HOTPOT).encode(),
    "musique.jsonl": lines(_MUSIQUE),
    "trees.json": json.dumps([{"id": "Oak", "text": "The oak is old."},
                              {"id": "Tea", "text": "Tea is hot."}]).encode(),
    "natural.jsonl": lines(_NATURAL),
    "multihop.json": json.dumps([{"query": "?", "question_type": "inference", "evidence_list": [
        {"title": "terms", "url": "u", "fact": "Thirty days."}]}]).encode(),
    "autorag/qa.parquet": parquet([{"qid": "a1", "query": "?", "retrieval_gt": [["c2"], ["c1"]]}]),
    "autorag/corpus.parquet": parquet(_CORPUS),
    "beir/corpus.jsonl": lines(*({"_id": name, "text": text} for name, text in SHOP.items())),
    "beir/queries.jsonl": lines({"_id": "b1", "text": "How long?"}),
    "beir/qrels/test.tsv": b"query-id\tcorpus-id\tscore\nb1\tterms\t2\nb1\tfaq\t0\n",
    "marco/queries.tsv": b"m1\tHow long?\n",
    "marco/qrels.txt": b"m1 0 terms#0_1 3\n",
    "marco/segments.jsonl": lines({"docid": "terms#0_1", "start_char": 0, "end_char": 31,
                                   "segment": TERMS[:31]}),
    "ranges.jsonl": _RANGES,
    "nested.jsonl": lines({"id": "1", "doc": "terms", "start": 0, "end": 31},
                          {"id": "2", "doc": "terms", "start": 13, "end": 31, "parent": "1"},
                          {"id": "4", "doc": "faq", "start": 0, "end": 17}),
    "my.py": b"def split(text):\n    return text.split('. ')\n",
    "texts.jsonl": lines({"id": "1", "doc": "terms", "text": "Thirty  days.", "tokens": 2},
                         {"id": "2", "doc": "terms", "text": "Ask us first.", "parent": "1"},
                         {"id": "3", "text": "Nothing like this at all."}),
    "texts.csv": b"text,source,start_index\nThirty days.,terms.md,0\nAsk us first.,terms.md,3\n",
    "langchain.jsonl": lines({"page_content": "Unused goods only.", "metadata":
                              {"source": "/x/terms.md", "start_index": 46}}),
    "haystack.json": json.dumps([{"content": "Ask us first.", "id": "h", "meta":
                                  {"source_id": "faq", "split_idx_start": 18}}]).encode(),
    "ids.jsonl": lines({"topic": "q1", "chunk": "2", "score": 2}, {"topic": "q1", "chunk": "1"},
                       {"topic": "q3", "chunk": "4"}),
    "ids2.jsonl": lines({"topic": "q1", "chunk": "1", "score": 2}, {"topic": "q3", "chunk": "5"}),
    "ids1.jsonl": lines({"topic": "q1", "chunk": "1"}, {"topic": "q3", "chunk": "4"}),
    "rag.json": json.dumps(_RAG_CHECKER).encode(),
}  # fmt: skip


PEOPLE = {"ann": "assessor", "bob": "assessor", "olga": "organiser", "adj": "adjudicator"}


def prepare(workshop: Workshop) -> None:
    """Make the small collection and its index, the demo, and campaigns with some judgments."""
    small = workshop.root / "small"
    (small / "sources").mkdir(parents=True)
    for name, data in SMALL.items():
        (small / "sources" / name).write_bytes(data)
    for name in ("topics.tsv", "pool.txt", "judged.jsonl", "second.jsonl", "graded2005.jsonl"):
        (workshop.root / name).write_bytes(FILES[name])
    workshop.make("collection build sources --out collection --jobs 1", "small")
    workshop.make("index build collection --jobs 1", "small")
    (workshop.root / "other").mkdir()
    (workshop.root / "other" / "fog.xml").write_bytes(
        b"<article><p>Fog over the sea.</p></article>"
    )
    workshop.make("collection build fog.xml --out collection --jobs 1", "other")
    workshop.make("index build collection --jobs 1", "other")
    for name, mode in (("campaign", "2006"), ("campaign2005", "2005"), ("campaign2003", "2003")):
        workshop.make(
            f"assess init {name} --collection small/collection --topics topics.tsv --pool pool.txt"
            f" --mode {mode} --password-stdin <<< 'correct horse battery'"
        )
        if name == "campaign":
            for user, role in PEOPLE.items():
                workshop.make(
                    f"assess user add {name} {user} --role {role} --password-stdin"
                    f" <<< '{user} likes horses'"
                )
            workshop.make(f"assess assign {name} 7 8 bob")
        workshop.make(f"assess assign {name} 7 8 {'ann' if name == 'campaign' else 'admin'}")
    workshop.make("assess import campaign judged.jsonl --assessor ann")
    workshop.make("assess import campaign second.jsonl --assessor bob")
    workshop.make("assess assign campaign 7 adj --adjudicate")


def prepare_demo(workshop: Workshop) -> str:
    """Make the demo in the directory `sea`, in place of an earlier one; return its record."""
    earlier = workshop.root / "sea" / "data" / "topics.xml"
    earlier.parent.mkdir(parents=True)
    earlier.touch()
    return workshop.record_at("demo --out sea --force", "sea")
