"""What earlier versions wrote and later ones must open: a collection, an index, chunks, a campaign.

The files stand for the version that made them, so they are made only once (`--write-stored`). Every
call works on a copy.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from recording.running import Workshop
from recording.worlds import lines

_RUN = b"""301 Q0 fog 1 1 old /article[1]/body[1]/sec[2]
301 Q0 cod 2 .5 old /article[1]/body[1]/sec[2]/p[1]
302 Q0 soundings 1 1 old /article[1]/body[1]
"""
_FILES = {
    "old.run": _RUN,
    "topics.tsv": b"301\tfog signals horn\n302\tdepth sounding lead line\n",
    "pool.txt": b"301 0 fog\n301 0 cod\n302 0 soundings\n",
    "judged.jsonl": lines(
        {"topic": "301", "doc": "fog", "start": 747, "end": 2866},
        {"topic": "301", "doc": "fog", "bep": 747},
        {"topic": "301", "doc": "cod", "judged": True},
        {"topic": "302", "doc": "soundings", "start": 49, "end": 2610},
        {"topic": "302", "doc": "soundings", "bep": 49},
    ),
    "questions.jsonl": lines(
        {"id": "301", "question": "Which horn sounds in fog?", "needs": [{"id": "1", "spans": [
            {"doc": "fog", "start": 747, "end": 2866}]}]},
    ),
}  # fmt: skip
_WHERE = "--collection stored/sea"
CALLS = f"""
collection verify stored/sea
collection info stored/sea --format json
collection list stored/sea --long
collection show stored/sea tides '/article[1]/body[1]/sec[1]' --format json
collection show stored/sea fog --outline --all
collection find stored/sea 'under way in fog'
index info stored/sea --format json
index words stored/sea fog horns tide --format json
search stored/sea --words 'fog horn'
search stored/sea --words 'fog horn' --model bm25 --explain fog '/article[1]/name[1]'
search stored/sea topics.tsv --task thorough --out new.run
evaluate old.run -a judged.jsonl {_WHERE} -m MAiP -m nxCG@10 -m ESRR@10 --per-topic
validate old.run --task focused {_WHERE}
chunks limits stored/chunks.jsonl -g questions.jsonl --docs stored/sea
chunks search stored/chunks.jsonl questions.jsonl --docs stored/sea -k 5 --out new.jsonl
chunks locate stored/chunks.jsonl --docs stored/sea --out new.jsonl
assess status stored/campaign {_WHERE}
assess verify stored/campaign {_WHERE}
assess user list stored/campaign {_WHERE} --format json
assess agreement stored/campaign {_WHERE} --format json
assess export stored/campaign {_WHERE} --format jsonl --judgments ann --out new.jsonl
assess export stored/campaign {_WHERE} --format log --out new.jsonl
assess import stored/campaign {_WHERE} judged.jsonl --assessor bob --replace
assess backup stored/campaign {_WHERE} --out new.jsonl
assess restore stored/backup.jsonl.gz new {_WHERE}
"""


def record_stored(workshop: Workshop, stored: Path) -> dict[str, str]:
    """Return what calls answer that open the stored files."""
    return {"stored/answers.txt": "\n".join(_answers(workshop, stored))}


def _answers(workshop: Workshop, stored: Path) -> Iterator[str]:
    for line in CALLS.strip().splitlines():
        files = {
            f"stored/{path.relative_to(stored).as_posix()}": path.read_bytes()
            for path in sorted(stored.rglob("*"))
            if path.is_file() and path.name != "answers.txt"
        }
        yield workshop.record(line, files | _FILES)


def write_stored(workshop: Workshop, stored: Path) -> None:
    """Make the stored files with this version, from the demo."""
    place = workshop.root / "stored"
    place.mkdir()
    for name, data in _FILES.items():
        (place / name).write_bytes(data)
    articles = "../sea/data/articles"
    workshop.make(f"collection build {articles} --out sea --jobs 1", "stored")
    workshop.make("index build sea --jobs 1", "stored")
    workshop.make("chunks cut sea --by words:100:0 --out cuts", "stored")
    workshop.make(
        "assess init campaign --collection sea --topics topics.tsv --pool pool.txt"
        " --password-stdin <<< 'correct horse battery'",
        "stored",
    )
    for user in ("ann", "bob"):
        add = f"assess user add campaign {user} --password-stdin <<< '{user} likes horses'"
        workshop.make(add, "stored")
        workshop.make(f"assess assign campaign --all-topics {user}", "stored")
    workshop.make("assess import campaign judged.jsonl --assessor ann", "stored")
    with closing(sqlite3.connect(place / "campaign" / "campaign.db")) as database:
        database.execute("UPDATE settings SET value = replace(value, ?, '')", [str(workshop.root)])
        database.commit()
    workshop.make("assess backup campaign --out backup.jsonl.gz", "stored")
    settings = place / "campaign" / "campaign.json"
    text = settings.read_text(encoding="utf-8").replace(str(workshop.root), "")
    settings.write_text(text, encoding="utf-8")
    stored.mkdir(parents=True, exist_ok=True)
    for name in ("sea", "sea.index", "campaign"):
        shutil.rmtree(stored / name, ignore_errors=True)
        shutil.copytree(place / name, stored / name)
    shutil.copy(next((place / "cuts").glob("*.jsonl")), stored / "chunks.jsonl")
    shutil.copy(place / "backup.jsonl.gz", stored)
