"""Options that several verbs share, to be fields of their values.

    @dataclass(frozen=True)
    class MergeOptions:
        out: Path = out_option("The directory to create.")
        force: bool = force_option("an existing collection")

What is declared here has the same name, help and meaning wherever it occurs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.verb import refuse
from doxeval.named import REQUIRED, option

if TYPE_CHECKING:
    from doxeval.assessments import Assessments
    from doxeval.documents import Collection
    from doxeval.parallel import Engine
    from doxeval.runs import Run

Offsets = Literal["characters", "bytes"]
Columns = Literal["start-length", "start-end"]
RunFormat = Literal["text", "inex", "jsonl", "csv", "parquet", "msmarco", "ranx", "genomics"]
TableOrJson = Literal["table", "json"]

# The directory or the URL of a collection. It stays a string: as a Path, a URL would lose a slash.
collection_argument = click.argument("directory", metavar="DIR|URL", type=click.Path())


def without_metadata(
    context: click.Context, parameter: click.Parameter, runs: tuple[str, ...]
) -> tuple[str, ...]:
    """Leave out the metadata that stand beside runs, where all files of a folder are given."""
    kept = tuple(name for name in runs if not _is_metadata_of_a_run(name, runs))
    if kept and len(kept) < len(runs):
        from doxeval.cli.output import note
        from doxeval.messages import plural

        note(f"{plural(len(runs) - len(kept), 'file')} of metadata are no runs, and left out")
    return kept or runs


def _is_metadata_of_a_run(name: str, runs: tuple[str, ...]) -> bool:
    whole, _, suffix = name.rpartition(".")
    return suffix in ("yaml", "yml") and whole in runs


runs_argument = click.argument(
    "runs", nargs=-1, required=True, metavar="[NAME=]RUN…", callback=without_metadata
)

# What is written


def out_option(help_text: str, default: Any = REQUIRED, metavar: str | None = None) -> Any:
    """Declare `--out`, a `Path`; it must be given unless there is a default."""
    return option(default, help_text, metavar=metavar)


def force_option(what: str = "an existing file") -> Any:
    """Declare `--force`; see `refuse_existing`."""
    return option(False, f"Replace {what}.")


def refuse_existing(*files: Path | None, force: bool, directories: bool = False) -> None:
    """Refuse to replace what exists without --force, and directories by files at all.

    directories: directories are written, not files.
    """
    from doxeval.errors import OutputError

    for file in files:
        if file is not None and file.is_dir() and not directories:
            raise OutputError(f"{file} is a directory; expected a file")
        if file is not None and file.exists() and not force:
            raise _exists(file)


def refuse_existing_directory(directory: Path, replaced: str = "it", *, force: bool) -> None:
    """Refuse to write into a directory that is not empty without --force, and into files at all.

    replaced: what --force replaces.
    """
    from doxeval.errors import OutputError

    if directory.exists() and not directory.is_dir():
        raise OutputError(f"{directory} is a file; expected a directory")
    if directory.exists() and not force and any(directory.iterdir()):
        raise _exists(directory, replaced)


def _exists(path: Path, replaced: str = "it") -> Exception:
    from doxeval.errors import OutputError

    return OutputError(f"{path} exists; --force replaces {replaced}")


@dataclass(frozen=True)
class MetadataOptions:
    """Where to write what is known of a run, by the schema ir_metadata."""

    metadata: Literal["beside", "inside", "none"] = option(
        "beside",
        "Where to write what the run is (ir_metadata): beside it, into RUN.yaml; inside, as "
        "comments of a text run, which trec_eval rejects; or nowhere.",
    )

    def files_of(self, run: Path | None) -> list[Path | None]:
        """Return the file of a run, and that of its metadata."""
        beside = self.metadata == "beside" and run is not None and not run.is_char_device()
        return [run, Path(f"{run}.yaml")] if beside else [run]

    def write(self, run: Run, path: Path, format: RunFormat | None = None) -> None:
        """Write a run, with what is known of it."""
        from doxeval.runs import write_run

        write_run(run, path, format, metadata=None if self.metadata == "none" else self.metadata)


@dataclass(frozen=True)
class NewMetadataOptions(MetadataOptions):
    """The same for a run that is made here."""

    platform: bool = option(False, "Also write the computer and the versions of libraries.")

    def write(self, run: Run, path: Path, format: RunFormat | None = None) -> None:
        """Write a run, with what is known of it."""
        from doxeval.runs import write_run

        if self.metadata == "none":
            refuse({"platform"}, "goes into metadata, and --metadata none writes none")
            write_run(run, path, format)
        else:
            write_run(run, path, format, metadata=self.metadata, platform=self.platform)


# What is read


def collection_option(help_text: str, default: Any = None) -> Any:
    """Declare `--collection DIR|URL`, a string."""
    return option(default, help_text, metavar="DIR|URL", is_path=True)


def assessments_option(help_text: str, default: Any = REQUIRED) -> Any:
    """Declare `--assessments FILE`, a tuple of strings; given unless there is a default."""
    return option(default, help_text, metavar="FILE", flags=("--assessments", "-a"))


def offsets_option() -> Any:
    """Declare `--offsets`, of type `Offsets`."""
    return option("characters", "The unit of offsets in the files.")


def columns_option() -> Any:
    """Declare `--columns`, of type `Columns`."""
    return option("start-length", "What the last two columns of a text run with passages are.")


def chunks_option(use: str) -> Any:
    """Declare `--chunks FILE`, for some use."""
    return option(None, f"All chunks (JSONL), {use}.", metavar="FILE")


def tokens_option() -> Any:
    """Declare `--tokens NAME`."""
    return option(
        None,
        "What counts as a token: words, an encoding of tiktoken (cl100k_base), a file of "
        "tokenizers (tokenizer.json) or a model that it knows.",
        metavar="NAME",
    )


@dataclass(frozen=True)
class AssessmentOptions:
    """Which judgments to use, and how to read them."""

    pool: str | None = option(None, "Use only the judgments of this pool.", metavar="ID")
    merge: Literal["union", "intersection", "majority"] | None = option(
        None,
        "How to merge several judgments of the same document into one; a majority needs three of "
        "them, or two that agree.",
    )
    whitespace: Literal["keep", "strip"] | None = option(
        None,
        "Whether text points count text nodes that are only white space, where the file does not "
        "say.",
        shown_default="as the collection does",
        flags=("--whitespace-nodes",),
    )
    offsets: Offsets = offsets_option()
    subtopics: bool = option(
        False,
        "The second column of TREC's qrels is the subtopic.",
        shown_default="if a document has several of them",
    )

    def read(self, sources: Sequence[str], collection: Collection | None) -> Assessments:
        """Return the assessments of some files."""
        from doxeval.assessments import read_assessments

        return read_assessments(
            *sources,
            collection=collection,
            pool=self.pool,
            merge=self.merge,
            whitespace=self.whitespace,
            offsets=self.offsets,
            subtopics=self.subtopics,
        )


def open_collection(directory: str | None) -> Collection | None:
    """Return the collection that an option names, if it does."""
    if directory is None:
        return None
    from doxeval.documents import Collection

    return Collection(directory)


# How work is done


def seed_option(help_text: str = "Seed of the random number generator.", default: int = 0) -> Any:
    """Declare `--seed N`."""
    return option(default, help_text, at_least=0)


def max_results_option(
    help_text: str,
    default: int | None,
    metavar: str | None = None,
    shown_default: str | None = None,
) -> Any:
    """Declare `-k`, `--max-results`."""
    return option(
        default,
        help_text,
        at_least=1,
        metavar=metavar,
        flags=("-k", "--max-results"),
        shown_default=shown_default,
    )


def jobs_option() -> Any:
    """Declare `--jobs N`; None stands for all cores."""
    return option(None, "Number of processes.", at_least=1, shown_default="all cores")


@dataclass(frozen=True)
class EngineOptions:
    """Where work is done: on this machine, or on a cluster."""

    engine: str | None = option(
        None,
        "A cluster of dask that does the work (needs the extra `dask`): dask://HOST:PORT, "
        "tls://HOST:PORT with the certificates of dask's own configuration (distributed.comm.tls, "
        "or DASK_DISTRIBUTED__COMM__TLS__… in the environment), or dask:FILE with the scheduler "
        "file. Workers need this version of doxeval, and must see all files at the same paths.",
        metavar="ADDRESS",
    )
    patience: float = option(
        60.0,
        "With --engine: how long the cluster may be without workers.",
        more_than=0,
        metavar="SECONDS",
    )

    def check(self) -> None:
        """Refuse options that have no effect with the engine, or without one."""
        if self.engine is None:
            refuse({"patience"}, "goes with --engine")
        else:
            refuse({"jobs"}, "is for this machine; the workers of --engine are its own")

    @contextmanager
    def opened(self) -> Iterator[Engine | None]:
        """Open the cluster; None stands for this machine."""
        if self.engine is None:
            yield None
            return
        from doxeval.cli.output import note
        from doxeval.parallel import open_engine

        with open_engine(self.engine, patience=self.patience, tell=note) as engine:
            yield engine


# How results are printed


def format_option(help_text: str, default: Any = "table") -> Any:
    """Declare `--format`; the choices are those of its type, such as `TableOrJson`."""
    return option(default, help_text)


def wide_option() -> Any:
    """Declare `--wide`, which `output.table_width` carries out."""
    return option(
        False,
        "All columns of tables, however wide: what a file or a pipe gets. A terminal gets as many "
        "as fit.",
    )


def check_wide(format_: str, tables: str = "table") -> None:
    """Refuse --wide where no table is printed."""
    if format_ != tables:
        refuse({"wide"}, f"is for tables; --format {format_} always has everything")
