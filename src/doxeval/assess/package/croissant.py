"""Croissant metadata (version 1.0) of a package: what programs of other fields read of data sets.

Each file is a FileObject with its size and SHA-256; topics, documents, judgments and the scores of
baselines are also sets of records with fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.assess.package.readme import authors_of, licence_url
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.assess.package.contents import Package

# The context of Croissant 1.0, as its specification has it.
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_ENCODINGS = {
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".run": "text/plain",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".cff": "application/yaml",
    ".gz": "application/gzip",
    ".parquet": "application/vnd.apache.parquet",
}
_INTEGERS = {"characters", "start", "end", "bep", "docsize"}
_OF_TOPICS = "id title castitle phrasetitle description narrative keywords".split()
_OF_DOCUMENTS = ("id", "characters", "sha256", "text")
_OF_JUDGMENTS = "topic doc start end bep path e s assessor docsize".split()
_RECORDS: dict[str, tuple[str, Sequence[str]]] = {
    "topics": ("the topics", _OF_TOPICS),
    "documents": ("the documents, by id and checksum", _OF_DOCUMENTS),
    "judgments": ("what is relevant for each topic", _OF_JUDGMENTS),
}


def croissant(package: Package, checksums: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """Return the metadata of a package whose files are in a folder, given their checksums."""
    about = package.about
    licence = {} if about.licence is None else {"license": licence_url(about.licence)}
    authors = authors_of(package)
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": about.title,
        "description": (
            f"A test collection for retrieval of parts of documents: "
            f"{plural(len(package.topics), 'topic')}, "
            f"{plural(package.statistics.judged, 'judgment')} of documents."
        ),
        "version": about.version,
        "datePublished": package.date,
        "creator": [_creator(name) for name in authors],
        "citeAs": f"{'; '.join(authors)} ({package.date[:4]}): {about.title}, {about.version}",
        **licence,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{(folder / name).stat().st_size} B",
                "encodingFormat": _ENCODINGS.get(Path(name).suffix, "application/octet-stream"),
                "sha256": checksums[name],
            }
            for name in sorted(checksums)
        ],
        "recordSet": [
            _records(name, text, fields, folder) for name, (text, fields) in _RECORDS.items()
        ],
    }


def _creator(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma:
        return {"@type": "sc:Person", "name": f"{given} {family}"}
    return {"@type": "sc:Organization", "name": name.strip()}


def _records(name: str, text: str, fields: Sequence[str], folder: Path) -> dict[str, Any]:
    """Return a set of records: the fields that lines of a file have."""
    file = f"{name}.jsonl"
    present = set(_names_in(folder / file))
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": text,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{field}",
                "name": f"{name}/{field}",
                "dataType": "sc:Integer" if field in _INTEGERS else "sc:Text",
                "source": {"fileObject": {"@id": file}, "extract": {"column": field}},
            }
            for field in fields
            if field in present
        ],
    }


def _names_in(path: Path) -> Iterator[str]:
    with path.open("rb") as lines:
        for line in lines:
            yield from json.loads(line)
