"""`doxeval demo`: a whole evaluation on the built-in collection, ending with two reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import click

from doxeval.cli.options import force_option, out_option, refuse_existing_directory
from doxeval.cli.output import block, heading, line, note, open_in_browser, page_width, print_page
from doxeval.cli.output import command as print_command
from doxeval.cli.verb import verb
from doxeval.messages import plural, quoted, wrapped
from doxeval.named import option

# For the focused task, the two in-context tasks, and users who navigate.
_MEASURES = ("MAiP", "iP[.01]", "MAgP", "MAgP(score=bep)", "ESRR@10")
# For the thorough and the focused task; only for systems that return elements.
_ELEMENT_MEASURES = ("MAep", "nxCG@10")
_ELEMENT_RUNS = ("baseline*", "c*", "l*", "marksman")
# Runs that the demo makes itself, by the task that each is for; models are those of the task.
_BASELINES = {"focused": "baseline-lm", "relevant-in-context": "baseline-bm25"}

# Ways to split articles into chunks.
_CHUNKINGS = ("sentences:1:0", "paragraphs", "sections", "words:200:50")

_UNFINISHED = ".unfinished"
_WIDTH = 80  # of prose, where the terminal has it


@dataclass(frozen=True)
class DemoOptions:
    """Where the demo is written, and how much is printed."""

    out: Path = out_option(
        "The directory for the data, the collection and the reports.", Path("doxeval-demo")
    )
    verbose: bool = option(False, "Print every command, to be repeated, and its output.")
    opens: bool = option(False, "Open the reports in a browser.", flags=("--open",))
    force: bool = force_option("an earlier demo")


@verb(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Run a whole evaluation on a small built-in collection.

    The demo builds the collection and an index, makes two baseline runs by searching it, compares
    them with the runs of ten other systems, and writes a report. Then it splits the articles into
    chunks, in several ways, and compares what a search finds in them. With --verbose, the command
    of every step is printed, so that you can repeat it with your own documents, topics,
    assessments and runs.

    \b
    Examples:
      doxeval demo --open
      doxeval demo --force --verbose
    """
    _check_free(options.out, options.force)
    with new_directory(options.out):
        files = _DemoFiles(options.out)
        copy_data(files.data)
        if options.verbose:
            _print_commands(files)
        else:
            _print_summary(files)
    if options.opens:
        open_in_browser(files.report)
        open_in_browser(files.chunks)


class _DemoFiles:
    """What is where in the directory of the demo."""

    def __init__(self, out: Path) -> None:
        self.data, self.collection = out / "data", out / "collection"
        self.runs, self.topics = self.data / "runs", self.data / "topics.xml"
        self.report, self.chunks = out / "report.html", out / "chunks.html"


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


# Commands


@dataclass(frozen=True)
class _Runs:
    """Runs in a directory, in a command: printed as patterns that a shell expands."""

    directory: Path
    patterns: tuple[str, ...] = ("*",)

    def files(self) -> list[str]:
        """Return the files."""
        files = [sorted(self.directory.glob(f"{pattern}.run")) for pattern in self.patterns]
        return [str(file) for several in files for file in several]

    def __str__(self) -> str:
        import shlex

        directory = shlex.quote(str(self.directory))
        return " ".join(f"{directory}/{pattern}.run" for pattern in self.patterns)


Command = Sequence[object]


def run_command(*command: object) -> None:
    """Print a command and carry it out."""
    import shlex

    words = [str(word) if isinstance(word, _Runs) else shlex.quote(str(word)) for word in command]
    print_command("$ doxeval " + " ".join(words))
    _invoke(command)
    line()


def _invoke(command: Command) -> None:
    from doxeval.cli import main

    words = [
        text
        for word in command
        for text in (word.files() if isinstance(word, _Runs) else [str(word)])
    ]
    context = click.get_current_context().find_root()
    called = main.get_command(context, words[0])
    if called is None:
        raise click.UsageError(f"no command {quoted(words[0])}")
    with called.make_context(words[0], words[1:], parent=context) as inner:
        called.invoke(inner)


def _building(files: _DemoFiles) -> list[Command]:
    articles = files.data / "articles"
    return [
        ("collection", "build", articles, "--out", files.collection),
        ("index", "build", files.collection),
    ]


def _baselines(files: _DemoFiles) -> Iterator[tuple[str, Path, Command]]:
    """Yield the tasks, with the run that is made for each, and the command that makes it."""
    for task, name in _BASELINES.items():
        run = files.runs / f"{name}.run"
        search = ("search", files.collection, files.topics, "--task", task)
        yield task, run, (*search, "--run-id", name, "--out", run)


def _on_runs(name: str, files: _DemoFiles, measures: Sequence[str], *more: object) -> Command:
    """Return a command on all runs and the assessments."""
    words = [word for measure in measures for word in ("-m", measure)]
    judged = ("-a", files.data / "assessments.jsonl", "--collection", files.collection)
    return (name, _Runs(files.runs), *judged, *words, *more)


def _comparing(files: _DemoFiles, *more: object) -> Command:
    return _on_runs("compare", files, _MEASURES[:1], "--baseline", _BASELINES["focused"], *more)


def _reporting(files: _DemoFiles) -> Command:
    known = ("--topics", files.topics, "--baseline", _BASELINES["focused"])
    described = ("--describe", files.data / "descriptions.txt")
    written = ("--out", files.report, "--title", "The demo collection")
    return _on_runs("report", files, _MEASURES, *known, *described, *written)


def _trying_chunks(files: _DemoFiles, *more: object) -> Command:
    chunkings = [word for chunking in _CHUNKINGS for word in ("--by", chunking)]
    tried = ("chunks", "try", files.collection, files.data / "questions.jsonl", *chunkings)
    return (*tried, "--report", files.chunks, *more)


# With every command


def _print_commands(files: _DemoFiles) -> None:
    _print_prose(
        "A small library about the sea, questions to it, the answers of ten systems, and two "
        "baselines, which the demo makes itself."
    )
    line()
    for command in _building(files):
        run_command(*command)
    run_command("search", files.collection, "--words", "fog horn")
    for task, run, command in _baselines(files):
        run_command(*command)
        run_command("validate", run, "--task", task, "--collection", files.collection)
    run_command(*_on_runs("evaluate", files, _MEASURES))
    name, _, *arguments = _on_runs("evaluate", files, _ELEMENT_MEASURES)
    run_command(name, _Runs(files.runs, _ELEMENT_RUNS), *arguments)
    run_command(*_comparing(files))
    run_command(*_reporting(files))
    _print_prose(
        "The same articles split into chunks, and how much of what a question needs is shown by "
        "the first words that a program reads:"
    )
    line()
    run_command(*_trying_chunks(files))
    data, collection = files.data, files.collection
    heading("What next")
    line(f"  open {files.report} and {files.chunks} in a browser")
    scored = f"{data}/runs/*.run -a {data}/assessments.jsonl --collection {collection}"
    for words, purpose in {
        "doxeval measures nxCG": "what a measure means",
        f"doxeval evaluate {scored} --profile esr": "hits, near misses, misses",
        f"doxeval search {collection} --words 'whale oil'": "other words",
        "doxeval models lm": "how search ranks",
        f"doxeval collection show {collection} tides": "an article",
        "doxeval chunks try FOLDER QUESTIONS": "chunks of your own documents",
        "doxeval collection build FOLDER --out my-collection": "your own documents",
    }.items():
        line(f"  # {purpose}")
        print_command(words, "  ")


def _print_prose(text: str) -> None:
    block("\n".join(wrapped(text, _width())))


def _width() -> int:
    return min(page_width() or _WIDTH, _WIDTH)


# In short


class _Checklist:
    """Steps that are ticked off when they are done, and the warnings of their commands."""

    def __init__(self) -> None:
        self.warnings: set[str] = set()

    def do(self, title: str, *commands: Command) -> list[str]:
        """Carry commands out, tick them off, and return what each of them prints."""
        from time import perf_counter

        began = perf_counter()
        printed = [self._output(command) for command in commands]
        line(f"✓ {title:<{_width() - 14}} {perf_counter() - began:5.1f} s")
        return printed

    def _output(self, command: Command) -> str:
        """Return what a command prints. If it fails, what it had to say of that is printed."""
        from contextlib import redirect_stderr, redirect_stdout
        from io import BytesIO, StringIO, TextIOWrapper

        printed, notes = TextIOWrapper(BytesIO(), "utf-8", newline=""), StringIO()
        try:
            with redirect_stdout(printed), redirect_stderr(notes):
                _invoke(command)
        except BaseException:
            for text in notes.getvalue().splitlines():
                note(text)
            raise
        lines = notes.getvalue().splitlines()
        self.warnings |= {text for text in lines if text.startswith("warning: ")}
        printed.seek(0)
        return printed.read()


def _print_summary(files: _DemoFiles) -> None:
    """Carry out what is needed for the reports, and print what they show."""
    import json

    steps = _Checklist()
    line("A small library about the sea: 17 topics with highlighted passages, 12 systems")
    line()
    articles = sum(1 for _ in (files.data / "articles").iterdir())
    steps.do(f"Collection and index of {articles} articles built", *_building(files))
    steps.do("17 topics searched: two baseline runs", *(made for *_, made in _baselines(files)))
    count = len(_Runs(files.runs).files())
    comparing = _comparing(files, "--format", "json")
    _, compared = steps.do(f"{count} runs compared, report written", _reporting(files), comparing)
    title = f"{len(_CHUNKINGS)} ways to split the articles into chunks compared, report written"
    (tried,) = steps.do(title, _trying_chunks(files, "--format", "json"))
    line()
    comparison = json.loads(compared)["comparisons"][0]
    _print_systems(comparison, files.data / "descriptions.txt")
    line()
    for finding in (_best_system(comparison), _best_chunking(json.loads(tried))):
        _print_prose(finding)
    line()
    warnings = f"; {plural(len(steps.warnings), 'warning')} there" if steps.warnings else ""
    line(f"The runs in detail:       {files.report}{warnings}")
    line(f"The chunkings in detail:  {files.chunks}")
    line("Every command:            doxeval demo --force --verbose")


def _print_systems(comparison: dict[str, Any], descriptions: Path) -> None:
    """Print the runs, best first, with what each is and whether it differs from the baseline."""
    from doxeval.runs import descriptions_of
    from doxeval.scores import TextTable

    means = {run["run"]: run["mean"] for run in comparison["runs"]}
    baseline, known = comparison["baseline"], descriptions_of(descriptions, list(means))
    verdicts = {baseline: "the baseline"}
    for pair in comparison["pairs"]:
        run = pair["first"] if pair["second"] == baseline else pair["second"]
        verdict = "better" if pair["better"] == run else "worse"
        verdicts[run] = verdict if pair["significant"] else "not shown to differ"
    header = ["system", comparison["measure"], f"against {baseline}", "what it is"]
    rows = [[run, f"{mean:.2f}", verdicts[run], known.get(run, "")] for run, mean in means.items()]
    print_page(TextTable(header, rows, longest=None, left=(0, 2, 3), prose="cut"))


def _best_system(comparison: dict[str, Any]) -> str:
    """Say how much better the best run is than the baseline."""
    best, baseline = comparison["runs"][0], comparison["baseline"]
    pair = next(
        pair for pair in comparison["pairs"] if best["run"] in (pair["first"], pair["second"])
    )
    mean = next(run["mean"] for run in comparison["runs"] if run["run"] == baseline)
    low, high = pair["interval"]
    return (
        f"{best['run']} is best: {comparison['measure']} {best['mean']:.2f}, against {mean:.2f} of "
        f"{baseline}. With {best['topics']} topics, the difference is +{low:.2f} to +{high:.2f} "
        "(95% interval)."
    )


def _best_chunking(chunkings: list[dict[str, Any]]) -> str:
    """Say how much of the answers the best chunking shows, and the worst, and what is lost."""
    measure = "bR@1000"
    best, *_, worst = sorted(chunkings, key=lambda row: -row[measure])
    differs = not set(best["letters"]) & set(worst["letters"])
    retrieval, chunking = best["lost by retrieval"], best["lost by chunking"]
    return (
        f"Split by {best['chunking']}, the first 1,000 words that a search returns hold "
        f"{best[measure]:.0%} of the answers; {retrieval:.0%} is lost by retrieval, {chunking:.0%} "
        f"by chunking. Split by {worst['chunking']}, they hold {worst[measure]:.0%}"
        f"{', which is significantly less' if differs else ''}."
    )
