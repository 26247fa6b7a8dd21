"""The retrieval tasks of INEX, each as the rules that its runs must satisfy."""

from __future__ import annotations

from dataclasses import dataclass

from doxeval.errors import SyntaxProblem

MOST_RESULTS = 1500


@dataclass(frozen=True)
class Task:
    """A task and its rules.

    may_overlap: results of a topic may share text. together: all results of an article must come
    one after another. one_per_article: an article may have only one result. strict_target: results
    must match the target of the topic's structured query (its castitle).

    >>> TASKS["focused"].may_overlap
    False
    """

    name: str
    title: str
    may_overlap: bool = True
    together: bool = False
    one_per_article: bool = False
    strict_target: bool = False
    most_results: int = MOST_RESULTS


TASKS = {
    task.name: task
    for task in (
        Task("thorough", "all relevant elements, including nested ones"),
        Task("focused", "the most focused elements, none inside another", may_overlap=False),
        Task(
            "relevant-in-context",
            "articles, each with its relevant parts",
            may_overlap=False,
            together=True,
        ),
        Task("best-in-context", "articles, each with a best entry point", one_per_article=True),
        Task("fetch-browse", "articles, each with its best parts in order", together=True),
        Task("vvcas", "structure as a hint, for target and support"),
        Task("vscas", "target as a hint, support strict"),
        Task("svcas", "target strict, support as a hint", strict_target=True),
        Task("sscas", "target and support strict", strict_target=True),
    )
}
# Other names of the tasks in runs of different years.
_OTHER_NAMES = {
    "focussed": "focused",
    "ric": "relevant-in-context",
    "relevantincontext": "relevant-in-context",
    "allincontext": "relevant-in-context",
    "bic": "best-in-context",
    "bestincontext": "best-in-context",
    "fetchbrowse": "fetch-browse",
    "fetchandbrowse": "fetch-browse",
    "scas": "sscas",
    "vcas": "vvcas",
}


def task_named(name: str) -> Task:
    """A task by any of the names that runs use for it.

    >>> task_named("COS.Focussed").name, task_named("Relevant In Context").name
    ('focused', 'relevant-in-context')
    """
    plain = name.strip().lower()
    for prefix in ("co.", "co+s.", "cos.", "cas."):
        plain = plain.removeprefix(prefix)
    letters = "".join(character for character in plain if character.isalpha())
    for known in TASKS:
        if letters == known.replace("-", ""):
            return TASKS[known]
    if letters in _OTHER_NAMES:
        return TASKS[_OTHER_NAMES[letters]]
    raise SyntaxProblem(f"no task {name!r}: expected one of {', '.join(TASKS)}")
