"""The retrieval tasks of INEX and some of TREC, each as the rules that its runs must satisfy."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted

MAX_RESULTS = 1500
MAX_RESULTS_IN_2002 = 100
MAX_PASSAGES_IN_GENOMICS = 1000


@dataclass(frozen=True)
class Task:
    """A task and its rules.

    may_overlap: results of a topic may share text. together: all results of an article must come
    one after another. one_per_article: an article may have only one result. strict_target: results
    must match the target of the topic's structured query (its castitle). only_elements: results are
    elements or whole documents; before 2007 there was nothing else. only_documents: results are
    whole documents. only_passages: results are passages.

    >>> TASKS["focused"].may_overlap
    False
    """

    name: str
    title: str
    may_overlap: bool = True
    together: bool = False
    one_per_article: bool = False
    strict_target: bool = False
    only_elements: bool = False
    only_documents: bool = False
    only_passages: bool = False
    most_results: int = MAX_RESULTS


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
        Task(
            "documents",
            "whole documents, as in TREC",
            one_per_article=True,
            only_documents=True,
            most_results=sys.maxsize,
        ),
        Task(
            "genomics",
            "passages that answer questions, as in TREC Genomics 2006–07",
            only_passages=True,
            most_results=MAX_PASSAGES_IN_GENOMICS,
        ),
        Task("vvcas", "structure as a hint, for target and support"),
        Task("vscas", "target as a hint, support strict"),
        Task("svcas", "target strict, support as a hint", strict_target=True),
        Task("sscas", "target and support strict", strict_target=True),
        # A run does not say its year, so CO and CAS have the limit of 2003–04, which is higher.
        # CAS of 2002 and SCAS of 2003 took the target strictly; a vague CAS run is called VCAS.
        Task("co", "content-only topics of 2002–04, elements that may overlap", only_elements=True),
        Task(
            "cas",
            "content-and-structure topics of 2002–03, target strict",
            strict_target=True,
            only_elements=True,
        ),
        Task(
            "co-2002",
            "content-only topics of 2002",
            only_elements=True,
            most_results=MAX_RESULTS_IN_2002,
        ),
        Task(
            "cas-2002",
            "content-and-structure topics of 2002, target strict",
            strict_target=True,
            only_elements=True,
            most_results=MAX_RESULTS_IN_2002,
        ),
    )
}
# What every task requires of a run, for runs whose task is not known.
ANY_TASK = Task("any task", "results that exist, none twice", most_results=sys.maxsize)
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
    """Return a task by any of the names that runs use for it.

    >>> task_named("COS.Focussed").name, task_named("Relevant In Context").name
    ('focused', 'relevant-in-context')
    >>> task_named("CO").most_results, task_named("CO 2002").most_results
    (1500, 100)
    """
    plain = name.strip().lower()
    for prefix in ("co.", "co+s.", "cos.", "cas."):
        plain = plain.removeprefix(prefix)
    by_letters = {known.replace("-", ""): known for known in TASKS} | _OTHER_NAMES
    for is_kept in (str.isalnum, str.isalpha):  # Focused2007 is the task focused
        known = by_letters.get("".join(filter(is_kept, plain)))
        if known is not None:
            return TASKS[known]
    raise SyntaxProblem(f"no task {quoted(name)}: expected one of {', '.join(TASKS)}")
