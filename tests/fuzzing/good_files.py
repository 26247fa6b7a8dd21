"""Good files of every format: what inputs are made from. A fuzzer that starts from bad files would
only ever see the first check of a reader.
"""

from __future__ import annotations

import hashlib

XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article SYSTEM "a.dtd" [<!ENTITY x "caf&#233;"><!ATTLIST p c CDATA "d">]>
<article id="1"><!-- c --><sec><p>One &x; &amp; &nbsp;<b>two</b></p><![CDATA[<p>]]></sec><br/>
<?pi x?></article>"""
SMALL_XML = b'<s id="k"><p a="1">One. <b>Two</b> three.</p><p>Four.</p></s>'
PLAIN_XML = """\ufeff<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE article SYSTEM "a.dtd"><!-- > -->\r\n<article  id='1/'><title >caf\u00e9 &amp; &#x1F600;
\r\n</title\n><collectionlink a="&lt;" b='"'/>\u5b57<br/> &#65;<p>x</p></article>\n""".encode()
HTML = b"""<!doctype html><meta charset="utf-8"><title>T</title><p>One<b>two<table>x<tr><td>1
</table><pre>\n&eacute;</pre><svg><p>x</svg><template><i>y</template><select><option>z"""
MARKDOWN = b"""# A\n\n- one\n  - two\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n```\n
Two\n---\n\n1. *a* **b** `c` [d](e "f") <b>g</b>\n\n    code\n\n***\n![h][i]\n\n[i]: j\n"""
PLAIN = b"One. Two\nthree.\n\nFour.\n\n\nFive\t six.\n"
JSONL_DOCUMENTS = b'{"id": "a", "text": "One.\\n\\nTwo."}'
QUESTIONS = b"""{"id": "1", "question": "Which?", "needs": [{"id": "n", "grade": 2, "spans": \
[{"doc": "a", "quote": "Two."}, {"doc": "a", "start": 0, "end": 4}]}], "tags": ["t"]}"""
CSV_QUESTIONS = b"""question,references,corpus_id
Which?,"[{""content"": ""Two."", ""start_index"": 6, ""end_index"": 10}]",a
"""
SQUAD = b"""{"data": [{"title": "T", "paragraphs": [{"context": "One or two.", "qas": [{"id": "q", \
"question": "How many?", "answers": [{"text": "two", "answer_start": 7}]}]}]}]}"""
CHUNKS = b"""{"id": "1", "doc": "a", "text": "One.", "start": 0, "end": 4, "tokens": 2}
{"id": "2", "doc": "a", "text": "Two.", "parent": "1", "metadata": {"source": "a"}}
"""
SAMPLES = b"""{"id": "7", "user_input": "One?", "retrieved_contexts": ["One.", "Three."]}
{"id": "8", "user_input": "Two?", "retrieved_contexts": ["Two."], "retrieved_context_ids": ["2"]}
"""
RAG_RESULTS = b"""{"results": [{"query_id": "7", "query": "One?", "retrieved_context":
[{"doc_id": "a", "text": "One."}, {"doc_id": "9", "text": "Two."}]}]}"""
RECORDS = b"<dump><r><id>1</id><sec>x</sec></r><r><id>2</id><sec><p>y</p></sec></r></dump>"

XML_TOPICS = b"""<inex_topics><inex_topic topic_id="076" query_type="CO+S" ct_no="3"><title>a
 "b c" -d</title><castitle>//article[about(.,+"a b")]//sec</castitle><keywords>k</keywords>
<InitialTopicStatement>i</InitialTopicStatement></inex_topic><inex_topic topic_id="2">
<title><te>tig</te><cw>QBIC</cw><ce>bibl</ce></title></inex_topic></inex_topics>"""
XML_TOPICS_2009 = b"""<inex-topic-file><topic id="2009001" ct_no="1"><title>tide</title>
<castitle>//article[about(., tide)]</castitle><phrasetitle>"a b"</phrasetitle>
<description>d</description><narrative>n</narrative></topic></inex-topic-file>"""
JSONL_TOPICS = b"""{"id": "1", "title": "a", "castitle": "//a[about(., b)]"}
{"id": "2", "title": "c", "description": "d", "narrative": "n"}"""
TAB_TOPICS = b"1\ta b\n2\tc\n"

TEXT_RUN = b"7 Q0 a.xml 1 0.9 mine 0 10\n7 Q0 b 2 .8 mine 5 10\n8 Q0 b 1 1e-3 mine 7 0\n"
ELEMENT_RUN = b"7 Q0 a 1 0.9 mine /s[1]/p[2]\n7 Q0 a 2 0.8 mine /s[1]\n8 Q0 b 1 1 mine /s\n"
POINT_RUN = b"7 Q0 a 1 0.9 mine 3\n7 Q0 b 2 0.8 mine 0\n"
POINTS_RUN = b"7 Q0 a 1 0.9 mine /s[1]/p[1]/text()[1].2 /s[1]/p[2]\n"
MSMARCO_RUN = b"7\ta\t1\n7\tb.xml\t2\n8 a 1\n"
GENOMICS_RUN = b"7 b 2 0 9 mine\n7\ta.xml\t1\t3\t5\tmine\n8 a 1 0 5\n8 b 1 0 5 mine and more\n"
RANX_RUN = b'{"7": {"a": 0.9, "b": 2},\n "8": {}, "9": {"a": -1e-3}}'
PRINTED_RANX_RUN = b'{\n  "7": {\n    "a": 0.9,\n    "b:1": 0.5\n  }\n}\n'
DOCUMENT_RUN = b"7 Q0 a 1 0.9 mine\n7 Q0 b 2 0.8 mine\n8 Q0 a 1 2 mine\n"
XML_RUN = b"""<inex-submission participant-id="1" run-id="r" task="Focused" result-type="element">
<topic-fields title="yes"/><description>d</description><collections><collection>wikipedia
</collection></collections><topic topic-id="7">
<result><file>a</file><path>/s[1]/p[2]</path><rank>1</rank><rsv>0.5</rsv></result>
<result><file>b</file><passage start="/s/text()[1].2" end="/s"/></result>
<result><file>c</file><fol offset="0" length="9"/></result></topic></inex-submission>"""
JSONL_RUN = b"""{"topic": "7", "doc": "a", "start": 0, "end": 9, "rank": 1, "score": 0.5}
{"topic": "7", "doc": "a", "nodes": ["/s[1]", "/s[1]/p[2]"]}
{"topic": "7", "doc": "a", "path": "/s[1]"}\n{"topic": "8", "doc": "b", "offset": 3, "run": "x"}
{"topic": "8", "doc": "b", "start_point": "/s/text()[1].2", "end_point": "/s"}
{"topic": "8", "doc": "b", "point": "/s/p[1]"}"""
CSV_RUN = b"topic,doc,start,end,nodes\n7,a,0,9,\n7,b,,,/s[1] /s[1]/p[1]\n"
QUOTED_CSV_RUN = b'topic,doc,path,rank,score,run\n7,"a",/s[1],1,0.5,"x ""y"""\n8,b,/s,1,,\n'
SCORES = b"run,topic,measure,value\nx,7,AP,0.5\nx,8,AP,\ny,7,AP,.25\ny,8,AP,1\ny,all,AP,0.625\n"
WIDE_SCORES = b'"system"\tqid\tAP\tP@5\n"x"\t7\t1\t.5\ny\t7\tnan\t1e-3\n'

QRELS = b"7 Q0 a 9 16 0 0:5 9:4\n7 Q0 b 0 9\n8 Q0 a 3 16 2 1:3\n"
BEIR_QRELS = b"query-id\tcorpus-id\tscore\n7\ta\t1\n7\tb c\t-1\n8\ta\t2\n"
PLAIN_BEIR_QRELS = b"query-id corpus-id score\n7 a 1\n8 a 0\n"
RANX_QRELS = b'{"7": {"a": 1, "b": 0},\n "8": {"a": -1}}'
GOLD_PASSAGES = b"7\ta\t3\t5\tx|y z\n7\ta.xml\t0\t9\tx\n8\tb\t0\t2\t\n"
TREC_QRELS = b"7 0 a 1\n7 0 b -1\n8 0 a 2\n"
XML_HIGHLIGHTS = b"""<assessments pool="1" topic="7" version="2" whitespace-text-node="keep">
<inex_topic topic_id="7"/><file collection="c" name="a"><best-entry-point path="/s"/>
<passage start="/s/p[1]/text()[1].2" end="/s" size="9"/>
<element path="/s" exhaustivity="?" size="9" rsize="3"/></file><file name="b"/></assessments>"""
XML_GRADES = b"""<assessments pool="1" topic="7"><file file="a">
<path path="/s[1]" exhaustiveness="3" specificity="2" inpool="true"/>
<path path="/s[1]/p[1]" exhaustiveness="2" specificity="3" inferred="true"/>
<path path="/s[1]/p[2]" exhaustiveness="U" specificity="U" inconsistant="true"/>
</file></assessments>"""
XML_COVERAGE = b"""<assessments topic="7"><file file="a">
<path path="/s[1]" relevance="2" coverage="E"/>
<path path="/s[1]/p[1]" relevance="0" cov="N"/></file></assessments>"""
JSONL_JUDGMENTS = b"""{"topic": "7", "doc": "a", "start": 3, "end": 9, "docsize": 16}
{"topic": "7", "doc": "f", "bep": 4, "assessor": "x", "pool": "1"}
{"topic": "7", "doc": "b", "path": "/a[1]/b[2]", "e": 3, "s": 2, "inferred": true}
{"topic": "7", "doc": "b", "path": "/a", "e": 2, "size": 9, "rsize": 3, "scale": "2005"}
{"topic": "7", "doc": "c", "nodes": ["/a[1]"], "rel": 0.5}
{"topic": "7", "doc": "d", "judged": true}
{"topic": "7", "doc": "e", "start_point": "/a/text()[1].2", "end_point": "/a"}
{"topic": "7", "doc": "e", "grade": -1}"""
JSONL_GRADES_2005 = b"""
{"topic": "7", "doc": "b", "path": "/a", "e": "?", "s": "1/3", "scale": "2005"}
{"topic": "7", "doc": "b", "path": "/a[1]/b[3]", "e": 2, "s": 0.25, "scale": "2005"}"""
# What measures can score against the collection of `shared.collection`.
JUDGED = b"""{"topic": "7", "doc": "a", "start": 5, "end": 14}
{"topic": "7", "doc": "b", "judged": true}\n{"topic": "8", "doc": "b", "start": 0, "end": 4}"""
GRADED = b"""{"topic": "7", "doc": "a", "path": "/s[1]", "e": 2, "s": 1}
{"topic": "7", "doc": "a", "path": "/s[1]/p[1]", "e": 2, "s": 3}
{"topic": "8", "doc": "b", "path": "/s[1]/p[1]", "e": 1, "s": 3}"""

JSONL_POOL = (
    b"""{"pool": 1, "method": "depth", "depth": 2, "documents": null, "level": "element",
 "seed": 0}""".replace(b"\n", b"")
    + b"""
{"topic": "7", "doc": "a", "priority": 0.5, "elements": [{"path": "/s[1]"}, {"start": 0, "end": 9}]}
{"topic": "8", "doc": "b", "contributors": [["mine", 1]]}
"""
)
XML_POOL = (
    b"""<pool topic="7"><file file="a"><path path="/s[1]/p[1]"/></file><file file="b"/></pool>"""
)
TREC_POOL = b"7 0 a\n7 Q0 b -1\n8 a\n"

ROUTES = b"""{"model": "routes", "partition": "tag", "abandonment": true,
 "routes": [{"doc": "a", "steps": ["/s[1]", "/s[1]/p[2]"]}, {"doc": "a.xml", "steps": ["/s"]}]}"""
SUMMARY = b"""{"model": "summary", "partition": {"s": "S", "p": "P"}, "other": "P",
 "weights": {"S": {"P": 2, "S": 0.5}, "P": {"S": 1}}, "steady": true, "restart": 0.15}"""
MATRIX = b"""{"model": "matrix", "probabilities": {"a": {"/s[1]": {"/s[1]/p[1]": 0.53}}}}"""
NAMED = b'{"model": "depth"}'

QUERY = b"//article[(about(.//st, 'IBM +x') and .//yr >= 2000) or about(., \"a b\")]//(sec|p)"
CONTENT = b'tide -moon +"tide gauge" l\'eau'

# A package, whose topics have the first of the checksums.
TOPICS_OF_PACKAGE = b'{"id": "7", "title": "tides"}\n'
CHECKSUMS = b"%s  topics.jsonl\n%s  doxeval-package.json" % (
    hashlib.sha256(TOPICS_OF_PACKAGE).hexdigest().encode(),
    hashlib.sha256(b"{}").hexdigest().encode(),
)
TEXTS = b'{"id": "a", "characters": 4, "sha256": "70277bfc"}'

METADATA = b"""ir_metadata.start
schema-version: 0.1
tag: mine
method:
  automatic: true
  retrieval:
  - name: bm25
    params: {k1: 0.9, b: [0.4, 'x']}
  - name: LTR
    reranks: bm25
data: {test collection: {name: sea}}
ir_metadata.end
"""
JSON_METADATA = b'{"tag": "mine", "method": {"retrieval": [{"name": "bm25", "k": 1e-5}]}}'
