"""What runs are, by the schema ir_metadata (Breuer, Keller and Schaer, SIGIR 2022).

It stands in a file beside the run, `my.run.yaml` (or `.yml`, or `my.yaml`), or in comments at the
beginning of a text run:

    # ir_metadata.start
    # tag: mine
    # method:
    #   retrieval:
    #   - name: bm25
    #     b: 0.4
    # ir_metadata.end

It is YAML: a tag, and sections about the platform, the research goal, the implementation, the
method, the actor and the data. Whatever else is there is kept. doxeval writes the part of YAML that
is JSON, so its own metadata are read without a library; all else needs PyYAML (extra `metadata`).
Aliases are refused, since a few of them can stand for billions of values, and so are tags, and more
than 256 KiB, 50 levels or 10,000 values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

from doxeval.errors import FormatError, SourceError
from doxeval.files import decode_json, open_input, open_output, read_whole
from doxeval.messages import json_text, quoted, truncate
from doxeval.version import __version__, commit

Metadata = Mapping[str, Any]
SECTIONS = ("platform", "research goal", "implementation", "method", "actor", "data")
SUFFIXES = (".yaml", ".yml")
SCHEMA = "0.1"
_START, _END = "ir_metadata.start", "ir_metadata.end"
_LARGEST = 256 << 10  # bytes
_MOST_VALUES = 10_000
_DEEPEST = 50
_OURS = f"doxeval {__version__}"
_BEGINS, _ENDS = (
    re.compile(rf"^[ \t]*#[ \t]*{re.escape(word)}[ \t]*\r?$\n?", re.MULTILINE)
    for word in (_START, _END)
)
_SAID_OF_A_STAGE = ("name", "method", "params", "interpolates", "ensembles", "reranks", "weight")


class KnownMetadata(NamedTuple):
    """What is known of a run, if anything, and why what is there is left out."""

    metadata: Metadata | None = None
    warnings: tuple[str, ...] = ()


# Reading


def parse_metadata(data: bytes, origin: str) -> dict[str, Any]:
    """Return metadata in YAML.

    >>> parse_metadata(b'{"tag": "mine", "method": {"automatic": true}}', "my.run.yaml")
    {'tag': 'mine', 'method': {'automatic': True}}
    """
    if len(data) > _LARGEST:
        raise FormatError(f"metadata of more than {_LARGEST:,} bytes", origin)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("expected UTF-8 text", origin) from None
    lines = text.split("\n")
    bounds = (_START, _END)  # as some programs write around it, outside of comments
    text = "\n".join("" if line.strip() in bounds else line for line in lines)
    try:
        value = decode_json(text)
    except ValueError:
        value = _parsed_yaml(text, origin)
    plain = _plain(value, origin, [0])
    if not isinstance(plain, dict) or not {_key(name) for name in plain} & {"tag", *SECTIONS}:
        sections = ", ".join(SECTIONS)
        raise FormatError(f"no ir_metadata: expected a tag, or sections ({sections})", origin)
    return plain


def _parsed_yaml(text: str, origin: str) -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        message = "metadata in YAML need the extra metadata: pip install 'doxeval[metadata]'"
        raise FormatError(message, origin) from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        depth = 0
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1
                raise FormatError("aliases (*) are not read in metadata", origin, line)
            depth += isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent)
            depth -= isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent)
            if depth > _DEEPEST:
                raise _too_deep(origin)
        return yaml.load(text, Loader=loader)  # noqa: S506  a safe one
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = truncate(str(error.problem or error.context or "not YAML"))
        raise FormatError(f"{problem}", origin, None if mark is None else mark.line + 1) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise FormatError(f"not YAML: {truncate(str(error))}", origin) from None


def _too_deep(origin: str) -> FormatError:
    return FormatError(f"metadata are nested more than {_DEEPEST} levels deep", origin)


def _plain(value: Any, origin: str, count: list[int], depth: int = 0) -> Any:
    """Return a value of YAML as one of JSON; dates become text."""
    count[0] += 1
    if count[0] > _MOST_VALUES:
        raise FormatError(f"metadata of more than {_MOST_VALUES:,} values", origin)
    if depth > _DEEPEST:
        raise _too_deep(origin)
    if isinstance(value, Mapping):
        return {str(k): _plain(v, origin, count, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry, origin, count, depth + 1) for entry in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)  # which JSON has no word for
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, bytes | set):
        raise FormatError(f"{quoted(value)} in metadata: expected text or a number", origin)
    try:  # two escapes of YAML may stand for one character, as in JSON
        return str(value).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise FormatError(f"{quoted(value)} in metadata: half a character", origin) from None


def _key(name: str) -> str:
    """Return a name as the schema has it; some programs write _ or - for spaces."""
    return re.sub(r"[\s_-]+", " ", name).strip().lower()


def metadata_path(path: str | os.PathLike[str]) -> str:
    """Return where the metadata of a run are written.

    >>> metadata_path("my.run")
    'my.run.yaml'
    """
    return f"{os.fspath(path)}{SUFFIXES[0]}"


def is_metadata_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a name is that of metadata, not of a run.

    >>> is_metadata_file("my.run.yaml"), is_metadata_file("my.run")
    (True, False)
    """
    return os.fspath(path).lower().endswith(SUFFIXES)


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a file of metadata.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run.yaml"
    >>> _ = path.write_text('{"tag": "mine"}')
    >>> read_metadata(path)
    {'tag': 'mine'}
    """
    with open_input(path) as file:
        data = read_whole(file, os.fspath(path), _LARGEST)
    return parse_metadata(data, os.fspath(path))


def metadata_of_file(path: str | os.PathLike[str]) -> KnownMetadata:
    """Return the metadata in a file beside a run; what cannot be read is a warning.

    >>> metadata_of_file("nowhere.run")
    KnownMetadata(metadata=None, warnings=())
    """
    name = os.fspath(path)
    for whole in (name, os.path.splitext(name)[0]):
        for suffix in SUFFIXES:
            if not os.path.isfile(f"{whole}{suffix}"):
                continue
            try:
                return KnownMetadata(read_metadata(f"{whole}{suffix}"))
            except (FormatError, SourceError) as error:
                if whole != name and error.message.startswith("no ir_metadata"):
                    continue  # something else that has the name of the run
                return KnownMetadata(None, (f"metadata of the run are left out: {error}",))
    return KnownMetadata()


def metadata_in_comment(comment: str, origin: str) -> tuple[KnownMetadata, str]:
    """Return the metadata in the comment of a run, and the rest of the comment.

    >>> lines = "# by the title\\n# ir_metadata.start\\n# {'tag': 'x'}\\n# ir_metadata.end\\n"
    >>> found, rest = metadata_in_comment(lines, "my.run")
    >>> found.metadata, rest
    ({'tag': 'x'}, '# by the title\\n')
    """
    begins = _BEGINS.search(comment)
    ends = None if begins is None else _ENDS.search(comment, begins.end())
    if begins is None or ends is None:
        return KnownMetadata(), comment
    rest = comment[: begins.start()] + comment[ends.end() :]
    within = comment[begins.end() : ends.start()]
    # Some programs write a blank at the end of each line.
    text = "\n".join(line.strip().removeprefix("#") for line in within.split("\n"))
    try:
        return KnownMetadata(parse_metadata(text.encode(), origin)), rest
    except FormatError as error:
        return KnownMetadata(None, (f"metadata of the run are left out: {error}",)), rest


# What is written


def made_by_doxeval(**sections: Any) -> dict[str, Any]:
    """Return the metadata of a run that doxeval makes, given sections such as `method`.

    >>> made_by_doxeval(method={"automatic": True})["method"]
    {'automatic': True}
    """
    source = {"lang": ["python"], "version": _OURS}
    return {"schema-version": SCHEMA, "implementation": {"source": source}, **sections}


def retrieval_stage(name: str, model: object, **more: Any) -> dict[str, Any]:
    """Return a stage of retrieval: its name, the model that scores, and its parameters.

    Those that change nothing as they are, such as the details of feedback that is off, are left
    out, if the model says which they are (`without_effect`).

    >>> retrieval_stage("chunks", "mine", reranks="bm25")
    {'name': 'chunks', 'method': 'mine', 'reranks': 'bm25'}
    """
    params = {
        spec.name: value if isinstance(value, bool | int | float | str | None) else str(value)
        for spec in (fields(model) if is_dataclass(model) else ())
        if spec.name not in getattr(model, "without_effect", ())
        for value in [getattr(model, spec.name)]
    }
    stage = {"name": name, "method": str(getattr(model, "name", model))}
    return {**stage, **({"params": params} if params else {}), **more}


@cache
def _commit() -> str | None:
    return commit()


def complete_metadata(metadata: Metadata, tag: str, platform: bool = False) -> dict[str, Any]:
    """Return metadata as they are written: with the run's tag, and which doxeval made it.

    platform: also the computer, and the versions of libraries.

    >>> complete_metadata({"tag": "theirs"}, "mine")
    {'tag': 'mine'}
    """
    complete = {name: value for name, value in metadata.items() if name != "tag"}
    complete = {"tag": tag, **complete}
    if "schema-version" in complete:  # which comes first
        complete = {"schema-version": complete.pop("schema-version"), **complete}
    made = complete.get("implementation")
    source = made.get("source") if isinstance(made, Mapping) else None
    if isinstance(source, Mapping) and source.get("version") == _OURS and _commit() is not None:
        complete["implementation"] = {**made, "source": {**source, "commit": _commit()}}  # type: ignore[dict-item]
    if platform:
        complete["platform"] = _platform()
    return complete


def _platform() -> dict[str, Any]:
    """Return what is known of this computer."""
    import platform
    from importlib.metadata import version

    libraries = [f"{name}=={version(name)}" for name in ("numpy", "scipy", "msgspec")]
    return {
        "hardware": {
            "cpu": {"architecture": platform.machine(), "number of cores": os.cpu_count()},
        },
        "operating system": {
            "kernel": f"{platform.system()} {platform.release()}",
            "distribution": platform.platform(),
        },
        "software": {
            "libraries": {"python": [f"python=={platform.python_version()}", *libraries]},
            "retrieval toolkit": [f"doxeval=={__version__}"],
        },
    }


def write_metadata(metadata: Metadata, path: str | os.PathLike[str]) -> None:
    """Write metadata into a file of their own, complete or not at all.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run.yaml"
    >>> write_metadata({"tag": "mine"}, path)
    >>> print(path.read_text(), end="")
    {
     "tag": "mine"
    }
    """
    with open_output(path) as file:
        file.write(json_text(metadata, 1).encode() + b"\n")


def metadata_comment(metadata: Metadata) -> bytes:
    """Return metadata as the comment at the beginning of a text run.

    >>> print(metadata_comment({"tag": "mine"}).decode(), end="")
    # ir_metadata.start
    # {
    #  "tag": "mine"
    # }
    # ir_metadata.end
    """
    lines = [_START, *json_text(metadata, 1).split("\n"), _END]
    return "".join(f"# {line}\n" for line in lines).encode()


# What is shown


def describe_metadata(metadata: Metadata) -> str:
    """Return in a few words what a run is: its description, or how it retrieves.

    >>> rerank = {"name": "best", "method": "org.example.LTR", "reranks": "bm25"}
    >>> stages = [{"name": "bm25", "k1": 0.9, "b": 0.4}, rerank]
    >>> describe_metadata({"tag": "mine", "method": {"retrieval": stages}})
    'bm25 (k1=0.9, b=0.4); best: LTR, reranks bm25'
    >>> describe_metadata({"tag": "mine"})
    ''
    """
    said = {_key(name): value for name, value in metadata.items()}
    if isinstance(said.get("description"), str):
        return str(said["description"])
    method = said.get("method")
    stages = method.get("retrieval") if isinstance(method, Mapping) else None
    if isinstance(stages, Mapping):
        stages = [stages]
    return "; ".join(_stages(stages)) if isinstance(stages, list) else ""


def _stages(stages: list[Any]) -> Iterator[str]:
    for stage in stages:
        if not isinstance(stage, Mapping):
            yield _shown(stage)
            continue
        name, method = (_shown(stage.get(word)) for word in ("name", "method"))
        if "(" not in method:  # of the name of a class the last part says most
            method = method.rsplit(".", 1)[-1]
        says_more = name and method and name.lower() not in method.lower()
        called = f"{name}: {method}" if says_more else method or name
        params = stage.get("params")
        given = dict(params) if isinstance(params, Mapping) else {}
        given |= {k: v for k, v in stage.items() if k not in _SAID_OF_A_STAGE}
        if given and not called.endswith(")"):
            called += f" ({', '.join(f'{k}={_shown(v)}' for k, v in given.items())})"
        for word in ("interpolates", "ensembles", "reranks", "weight"):
            if word in stage:
                called += f", {word} {_shown(stage[word])}"
        yield called


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown(entry)}" for name, entry in value.items())
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def metadata_rows(metadata: Metadata) -> list[tuple[str, str]]:
    """Return metadata as rows of a name and a text, section by section.

    >>> metadata_rows({"tag": "mine", "method": {"automatic": True, "runs": ["a", "b"]}})
    [('tag', 'mine'), ('method: automatic', 'true'), ('method: runs', 'a, b')]
    """
    return list(_rows(metadata, ""))


def _rows(metadata: Metadata, prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in metadata.items():
        called = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _rows(value, f"{called}: ")
        elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
            for number, entry in enumerate(value, 1):
                entry = entry if isinstance(entry, Mapping) else {"": entry}
                yield from _rows(entry, f"{called} {number}: ")
        else:
            yield called, _shown(value)
