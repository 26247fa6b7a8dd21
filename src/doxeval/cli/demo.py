"""`doxeval demo`: a whole evaluation on the built-in collection, ending with a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import click

from doxeval.cli.options import force_option, out_option, refuse_existing_directory
from doxeval.cli.output import heading, line
from doxeval.cli.verb import verb
from doxeval.messages import quoted

# For the focused task, the two in-context tasks, and users who navigate.
_MEASURES = ("MAiP", "iP[.01]", "MAgP", "MAgP(score=bep)", "ESRR@10")
# For the thorough and the focused task; only for systems that return elements.
_ELEMENT_MEASURES = ("MAep", "nxCG@10")
_ELEMENT_RUNS = ("baseline*", "c*", "l*", "marksman")
# Runs that the demo makes itself, by the task that each is for; models are those of the task.
_BASELINES = {"focused": "baseline-lm", "relevant-in-context": "baseline-bm25"}

# Ways to split articles into chunks.
_CHUNKINGS = ("words:50:0", "words:200:50", "sentences:5:1", "paragraphs")

_UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class DemoOptions:
    """Where the demo is written."""

    out: Path = out_option(
        "The directory for the data, the collection and the report.", Path("doxeval-demo")
    )
    force: bool = force_option("an earlier demo")


@verb(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Run a whole evaluation on a small collection that comes with doxeval.

    The demo builds the collection and an index, searches it, makes two baseline runs, then
    validates, evaluates and compares them with the runs of other systems, and writes a report. At
    the end it splits the articles into chunks, in several ways, and compares what a search finds
    in them. The command of every step is printed first, so that you can repeat it with your own
    documents, topics, assessments and runs.
    """
    _check_free(options.out, options.force)
    with new_directory(options.out):
        _do_everything(options.out)


def _check_free(out: Path, force: bool) -> None:
    """Replace only an earlier demo, and that only with --force unless it was never finished."""
    from doxeval.errors import OutputError
    from doxeval.output import is_being_written

    if is_being_written(out):
        raise OutputError(f"{out} is being written by another process")
    if not out.exists() or (out / _UNFINISHED).exists():
        return
    refuse_existing_directory(out, force=force)
    if not (out / "data" / "topics.xml").exists():
        raise OutputError(f"{out} is not an earlier demo, and is not replaced")


@contextmanager
def new_directory(out: Path) -> Iterator[None]:
    """Make a directory; if the demo fails, it is removed, and an earlier one is put back.

    As long as a file says that it is unfinished, the next demo replaces it: this one was killed.
    """
    import shutil

    from doxeval.errors import output_errors
    from doxeval.output import make_parents, temporary_output

    with (
        output_errors(out),
        make_parents(out.absolute().parent),
        temporary_output(out.absolute(), "writing", Path.mkdir) as aside,
    ):
        earlier = aside / "earlier"
        if out.exists():
            out.rename(earlier)
        try:
            out.mkdir()
            (out / _UNFINISHED).touch()
            yield
            (out / _UNFINISHED).unlink()
        except BaseException:
            shutil.rmtree(out, ignore_errors=True)
            if earlier.exists():
                earlier.rename(out)
            raise


def copy_data(data: Path) -> None:
    """Copy the data that come with doxeval."""
    import shutil

    with resources.as_file(resources.files("doxeval") / "demo_data") as source:
        for file in sorted(source.rglob("*")):
            if file.is_file() and file.parent.name != "__pycache__":
                copy = data / file.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)


def _do_everything(out: Path) -> None:
    data, collection = out / "data", out / "collection"
    copy_data(data)
    line("A small library about the sea, questions to it, the answers of ten systems, and two")
    line("baselines, which the demo makes itself.")
    line()
    run_command("collection", "build", data / "articles", "--out", collection)
    _search(collection, data)
    _evaluate(collection, data, out / "report.html")
    _try_chunks(collection, data, out / "chunks.html")
    _say_what_next(out, data, collection)


def _search(collection: Path, data: Path) -> None:
    """Index the collection, search it for some words, and make the baseline runs."""
    run_command("index", "build", collection)
    run_command("search", collection, "--words", "fog horn")
    for task, name in _BASELINES.items():
        run = data / "runs" / f"{name}.run"
        run_command(
            *("search", collection, data / "topics.xml"),
            *("--task", task, "--run-id", name, "--out", run),
        )
        run_command("validate", run, "--task", task, "--collection", collection)


def _evaluate(collection: Path, data: Path, page: Path) -> None:
    """Score and compare the runs of all systems, and write a report."""
    runs, everything = data / "runs", ("*",)
    given = ["-a", data / "assessments.jsonl", "--collection", collection]
    _run_on("evaluate", runs, everything, *given, *_named(_MEASURES))
    _run_on("evaluate", runs, _ELEMENT_RUNS, *given, *_named(_ELEMENT_MEASURES))
    compared = ("-m", "MAiP", "--baseline", _BASELINES["focused"])
    _run_on("compare", runs, everything, *given, *compared)
    known = ("--topics", data / "topics.xml", "--baseline", _BASELINES["focused"])
    described = ("--describe", data / "descriptions.txt")
    written = ("--out", page, "--title", "The demo collection")
    _run_on("report", runs, everything, *given, *_named(_MEASURES), *known, *described, *written)


def _try_chunks(collection: Path, data: Path, page: Path) -> None:
    """Compare ways to split the articles into chunks, as for a program that answers questions."""
    line("The same articles split into chunks, and how much of what a question needs is shown by")
    line("the first words that a program reads:")
    line()
    chunkings = [word for chunking in _CHUNKINGS for word in ("--by", chunking)]
    questions = data / "questions.jsonl"
    run_command("chunks", "try", collection, questions, *chunkings, "--report", page)


def _say_what_next(out: Path, data: Path, collection: Path) -> None:
    heading("What next")
    line(f"  open {out / 'report.html'} and {out / 'chunks.html'} in a browser")
    line("  doxeval measures nxCG                                 what a measure means")
    line(f"  doxeval evaluate {data}/runs/*.run -a {data}/assessments.jsonl \\")
    line(f"      --collection {collection} --profile esr            hits, near-misses, misses")
    line(f"  doxeval search {collection} --words 'whale oil'    other words")
    line("  doxeval models lm                                     how search ranks")
    line(f"  doxeval collection show {collection} tides       an article")
    line("  doxeval chunks try FOLDER QUESTIONS                   chunks of your own documents")
    line("  doxeval collection build FOLDER --out my-collection   your own documents")


def _named(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("-m", name)]


def _run_on(name: str, runs: Path, patterns: Sequence[str], *arguments: object) -> None:
    """Carry out a command on some runs; they are printed as a pattern that a shell would expand."""
    files = [file for pattern in patterns for file in sorted(runs.glob(f"{pattern}.run"))]
    pattern = patterns[0] if len(patterns) == 1 else f"{{{','.join(patterns)}}}"
    run_command(name, *files, *arguments, shown=[name, runs / f"{pattern}.run", *arguments])


def run_command(*arguments: object, shown: Sequence[object] | None = None) -> None:
    """Print a command and carry it out."""
    import shlex

    from doxeval.cli import main

    words = [str(word) for word in (shown or arguments)]
    # The shell expands patterns of files only if they are not quoted.
    shell_words = [word if "*" in word or "{" in word else shlex.quote(word) for word in words]
    heading("$ doxeval " + " ".join(shell_words))
    words = [str(argument) for argument in arguments]
    context = click.get_current_context().find_root()
    command = main.get_command(context, words[0])
    if command is None:
        raise click.UsageError(f"no command {quoted(words[0])}")
    with command.make_context(words[0], words[1:], parent=context) as inner:
        command.invoke(inner)
    line()
