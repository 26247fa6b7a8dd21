"""Good calls of every verb, and the files they use. Mutations start from these."""

from __future__ import annotations

import gzip

from fuzzing import good_files as good
from fuzzing.documents import tarred, zipped
from fuzzing.exchange import good_parquet

# A collection is beside the directory in which each call is made.
COLLECTION = "../collection"
INDEX = "../collection.index"
CAMPAIGN = "../campaign"
FILES: dict[str, bytes] = {
    "a.xml": good.SMALL_XML,
    "b.html": good.HTML,
    "c.md": good.MARKDOWN,
    "d.txt": good.PLAIN,
    "e.jsonl": good.JSONL_DOCUMENTS,
    "f.zip": zipped(good.SMALL_XML),
    "g.tar": tarred(good.SMALL_XML),
    "h.xml.gz": gzip.compress(good.SMALL_XML, mtime=0),
    "records.xml": good.RECORDS,
    "topics.xml": good.XML_TOPICS,
    "topics.jsonl": good.JSONL_TOPICS,
    "topics.tsv": good.TAB_TOPICS,
    "asked.tsv": b"7\ttide\n8\tmoon\n",
    "pool.txt": b"7 0 a\n7 0 b\n8 0 b\n",
    "display.json": b'{"s": "heading", "p": "block"}',
    "t.run": good.TEXT_RUN,
    "u.run": b"7 Q0 b 1 0.9 u 0 3\n7 Q0 a 2 .8 u 5 4\n8 Q0 b 1 1e-3 u 0 4\n",
    "el.run": good.ELEMENT_RUN,
    "el2.run": b"7 Q0 b 1 0.9 el2 /s[1]\n8 Q0 b 1 1 el2 /s[1]/p[1]\n",
    "r.xml": good.XML_RUN.replace(b"<file>c</file>", b"<file>a</file>"),
    "r.jsonl": good.JSONL_RUN,
    "r.csv": good.CSV_RUN,
    "s.csv": good.SCORES,
    "s.tsv": good.WIDE_SCORES,
    "r.parquet": good_parquet(),
    "qrels.txt": good.QRELS,
    "trec.txt": good.TREC_QRELS,
    "judged.jsonl": good.JUDGED,
    "graded.jsonl": good.GRADED,
    "highlights.xml": good.XML_HIGHLIGHTS,
    "grades.xml": good.XML_GRADES,
    "spans.jsonl": b'{"doc": "a", "start": 0, "end": 4}\n{"doc": "b", "start": 2, "end": 9}\n',
    "gold.jsonl": good.QUESTIONS,
    "gold.csv": good.CSV_QUESTIONS,
    "squad.json": good.SQUAD,
    "cut.jsonl": good.CHUNKS,
    "cut.csv": b"text,source,start_index\nOne.,a,0\nTwo.,a,6\n",
    "ranges.jsonl": b'{"id": "1", "doc": "a", "start": 0, "end": 4}\n'
    b'{"id": "2", "doc": "a", "spans": [[5, 7], [8, 9]], "tokens": 2}\n',
    "ids.jsonl": b'{"topic": "1", "chunk": "2", "score": 2}\n{"topic": "1", "chunk": "1"}\n',
    "samples.jsonl": good.SAMPLES,
    "rag.json": good.RAG_RESULTS,
    "nav.json": good.SUMMARY,
    "routes.json": good.ROUTES,
    "matrix.json": good.MATRIX,
}  # fmt: skip
_JUDGED = f"-a judged.jsonl --collection {COLLECTION}"
_GRADED = f"-a graded.jsonl --collection {COLLECTION}"


def _calls(*lines: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in lines)


# A word with an underscore stands for one argument with spaces.
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "search": _calls(
        f"search {COLLECTION} topics.xml --out new.run --skip-missing",
        f"search {COLLECTION} topics.jsonl --task thorough --model lm(prior=.5) --out new.jsonl",
        f"search {COLLECTION} topics.tsv --task relevant-in-context --keep .3 --out new.xml",
        f"search {COLLECTION} topics.xml --task vvcas --skip-missing --hint .5 --out new.run",
        f"search {COLLECTION} --words one_two --task focused --elements //p --min-words 2",
        f"search {COLLECTION} --words one_two --units windows(3,1) --stop none --max-results 3",
        f"search {COLLECTION} --words one --units passages(words=5) --phrases only",
        f"search {COLLECTION} --words //s[about(.,one)] --task sscas --overlap none",
        f"search {COLLECTION} --words one --units spans.jsonl --task thorough --model bm25",
        f"search {COLLECTION} --words one_two --explain a /s[1]/p[1]",
    ),
    "chunks": _calls(
        "chunks gold gold.jsonl --docs e.jsonl --out new.jsonl --max-missing 50%",
        "chunks questions gold.jsonl --docs e.jsonl --size 9 --by words:9:0 --similar .8",
        "chunks gold squad.json --docs squad.json --out new.jsonl --topics-out new2.jsonl",
        "chunks gold gold.csv --docs e.jsonl --out new.jsonl --copies place --max-missing 9",
        "chunks locate cut.jsonl --docs e.jsonl --out new.jsonl --max-missing 100%",
        "chunks locate cut.csv --docs e.jsonl --order none --min-share .5 --max-missing 9 --out n",
        "chunks try e.jsonl gold.jsonl --by words:2:0 --budget 8 -m hit@2 --tokens words",
        "chunks limits ranges.jsonl -g gold.jsonl --docs e.jsonl --tokens words --format json",
        "chunks evaluate ids.jsonl -g gold.jsonl --docs e.jsonl --chunks ranges.jsonl -m cR@2",
        "chunks retrieved samples.jsonl --docs e.jsonl --chunks ranges.jsonl -k 2 --out new.jsonl",
        "chunks retrieved rag.json --docs e.jsonl --questions gold.jsonl --max-missing 9 --out n",
        "chunks locate cut.jsonl --docs d.txt --doc-key source --max-missing 9 --out new.jsonl",
    ),
    "pool": _calls(
        "pool t.run u.run --depth 2 --out new.jsonl --statistics table",
        f"pool el.run r.jsonl --documents 2 --collection {COLLECTION} --out new.txt",
        "pool t.run r.csv --depth 3 --method rrf --level document --out new --format inex",
        "pool x=t.run u.run --documents 1 --method mtf --judged judged.jsonl --out new.xml",
        "pool t.run u.run --depth 2 --method bandit --judged trec.txt --seed 3 --statistics json",
        "pool el.run --depth 2 --topics topics.xml --out new.jsonl",
    ),
    "index": _calls(
        f"index build {COLLECTION} --out new --jobs 1 --stemmer none",
        f"index info {INDEX} --format json",
        f"index words {INDEX} One two's 東京 --format json",
    ),
    "collection": _calls(
        "collection build a.xml b.html c.md d.txt e.jsonl --out new",
        "collection build f.zip g.tar h.xml.gz --out new --id path --text compressed",
        "collection build records.xml --out new --record r --id //id --skip-broken",
        "collection build a.xml --out new --encoding latin-1 --inline b,i --text none",
        "collection build b.html --out new --root body --drop p>b --drop :not(td) --sections none",
        f"collection merge {COLLECTION} ../other --out new --force",
        f"collection info {COLLECTION} --format json",
        f"collection list {COLLECTION} --long",
        f"collection find {COLLECTION} one --ignore-whitespace --ignore-case --format jsonl",
        f"collection show {COLLECTION} a /s[1]/p[1]",
        "collection cache --format json",
        f"collection show {COLLECTION} b --outline --depth 2 --all",
    ),
    "topics": _calls(
        "topics topics.xml",
        "topics topics.jsonl --json",
        "topics topics.tsv --statistics -a trec.txt --inex-numbers",
    ),
    "nexi": (
        ("nexi", "//s[about(., a) or about(.//p, b)]//p", "--collection", COLLECTION),
        ("nexi", "//s[about(., a) and .//p > 3]", "--tree", "--precedence", "flat"),
        ("nexi", "tide -moon", "--tree"),
        ("nexi", "//s[about(., a)]//p", "--strictness", "vvcas"),
    ),
    "assess": _calls(
        f"assess init new --collection {COLLECTION} --topics asked.tsv --pool pool.txt",
        f"assess init new --collection {COLLECTION} --topics asked.tsv --pool pool.txt --mode 2005"
        " --order random --seed 3 --show-pooled --display display.json --snap words --admin olga",
        f"assess user list {CAMPAIGN} --format json",
        f"assess user password {CAMPAIGN} ann",
        f"assess assign {CAMPAIGN} 7 8 ann --adjudicate",
        f"assess unassign {CAMPAIGN} --all-topics ann --adjudicate",
        f"assess status {CAMPAIGN}",
        f"assess close {CAMPAIGN} 8",
        f"assess reopen {CAMPAIGN} 8",
        f"assess pool {CAMPAIGN} pool.txt",
        f"assess honeypots {CAMPAIGN} judged.jsonl",
        f"assess import {CAMPAIGN} judged.jsonl --assessor ann --replace",
        f"assess export {CAMPAIGN} --format jsonl --out new.jsonl --judgments ann --drafts",
        f"assess export {CAMPAIGN} --format annotations --out new.jsonl --judgments union",
        f"assess export {CAMPAIGN} --format log --out new.jsonl --topic 7",
        f"assess agreement {CAMPAIGN} --format json --topic 7",
        f"assess adjudicate {CAMPAIGN} --by union --replace",
        f"assess backup {CAMPAIGN} --out new.jsonl.gz",
        f"assess verify {CAMPAIGN}",
    ),
    "assessments": _calls(
        f"assessments judged.jsonl --collection {COLLECTION}",
        "assessments qrels.txt --json",
        "assessments graded.jsonl grades.xml --merge union",
        "assessments highlights.xml --pool 1",
    ),
    "validate": _calls(
        "validate t.run --task focused",
        f"validate el.run r.jsonl --collection {COLLECTION} --statistics --format csv",
        f"validate el.run --task thorough --collection {COLLECTION} --fix fixed.run",
        "validate r.xml --task sscas --targets topics.xml --topics topics.xml --all",
        "validate r.csv r.parquet --format json --statistics",
    ),
    "evaluate": _calls(
        f"evaluate t.run {_JUDGED} -m MAiP -m iP[.01]",
        f"evaluate x=el.run el2.run {_JUDGED} -m nxCG@10 --per-topic --format json",
        f"evaluate el.run {_GRADED} -m MAep -m ESRR@10 --navigation nav.json",
        f"evaluate t.run r.parquet {_JUDGED} -m MAgP --per-document --format csv --out s.csv",
        f"evaluate t.run {_JUDGED} -m cF@5 --format latex --out s.tex --per-topic",
        "evaluate t.run -a qrels.txt --compat inex_eval-3.1 --task focused",
        "evaluate t.run -a trec.txt --compat trec_eval-9.0.8 -q -c -J -l 2 -M 5 -m map -m P.5,10",
        f"evaluate t.run {_JUDGED} --preset inex2009-focused --format trec",
        f"evaluate el.run {_JUDGED} -m ESRP@3(nav=depth) --profile esr --curves --format csv",
    ),
    "compare": _calls(
        f"compare t.run u.run {_JUDGED} -m MAiP",
        f"compare el.run el2.run {_JUDGED} -m nxCG@10 --test sign --format json --baseline el.run",
        "compare s.csv --baseline x --format latex",
        "compare s.tsv -m P@5 --lower-is-better P@5",
    ),
    "correlate": _calls(
        f"correlate t.run u.run {_JUDGED} -m MAiP -m iP[.01]",
        f"correlate t.run u.run {_JUDGED} -m MAiP -m cF@5 --significant --format csv",
        "correlate s.tsv",
    ),
    "measures": _calls("measures", "measures nxCG", "measures MAgP(score=F)", "measures --presets"),
    "models": _calls("models", "models lm", "models bm25(k1=1.2)"),
    "navigation": _calls(
        "navigation nav.json",
        f"navigation routes.json --collection {COLLECTION} --doc a",
        f"navigation matrix.json --collection {COLLECTION}",
        f"navigation depth --collection {COLLECTION} --doc b",
    ),
    "convert": _calls(
        "convert t.run out.jsonl",
        "convert r.jsonl out.csv",
        "convert r.csv out.parquet",
        "convert r.xml out.jsonl --from inex",
        f"convert judged.jsonl out.txt --to qrels --collection {COLLECTION} --lossy",
        "convert graded.jsonl out.xml --to grades",
        f"convert judged.jsonl out.xml --to highlights --collection {COLLECTION}",
        "convert qrels.txt out.jsonl --to judgments",
    ),
    "fuse": _calls(
        "fuse el.run el2.run --out out.run",
        f"fuse t.run u.run --task focused --collection {COLLECTION} --out out.jsonl",
        "fuse a=t.run r.parquet --method combmnz(norm=sum) --order rsv -k 3 --out out.csv",
    ),
    "report": _calls(
        f"report t.run u.run {_JUDGED} -m MAiP --out page.html --title T",
        f"report t.run u.run {_JUDGED} -m ESRR@5 --topics topics.xml --baseline u --out page.html",
    ),
    "simulate": _calls(
        f"simulate --system perfect {_JUDGED} --out out.run",
        f"simulate --system all {_GRADED} --out runs --quant gen --max-results 3",
    ),
    "demo": _calls("demo --out demo"),
}
