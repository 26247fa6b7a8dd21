"""The document view in a browser: what is drawn where, and how readers move about in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from random import Random
from typing import Any

import pytest

from doxeval.assessments import Assessments, Grade2002, GradedElement, Judgment
from doxeval.documents import example_collection
from doxeval.evaluation import Evaluation, Keep
from doxeval.reports import contents_of, page
from doxeval.runs import Kind, Result, Run
from making import ids_may_have_white_space, passage, paths

HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)></p>"
ISLAND = re.compile(
    r'(<script type="application/json" id="report-data">)(.*?)(</script>)', re.DOTALL
)
Open = Callable[..., Any]


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens a page; at the end nothing was said, asked for or loaded."""
    said: list[str] = []
    asked: list[str] = []
    tabs = []

    def opens(html: str, width: int = 1400, scheme: str = "light") -> Any:
        file = tmp_path / "report.html"
        file.write_text(html, encoding="utf-8")
        tab = chromium.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("dialog", lambda dialog: said.append(dialog.message))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(file.as_uri())
        tab.locator("#document-view .dv-text").first.wait_for()
        tabs.append(tab)
        return tab

    yield opens
    for tab in tabs:
        tab.close()
    assert said == []
    assert len(asked) == len(tabs)


def page_of(
    sources: dict[str, str],
    judgments: list[Judgment],
    runs: dict[str, list[Result]],
    *measures: str,
    topic: dict[str, str] | None = None,
) -> str:
    """The page of a report; `topic` is what was asked."""
    wanted = measures or ("P@5",)
    evaluation = Evaluation(
        Assessments(judgments),
        wanted,
        collection=example_collection(sources),
        keep=Keep(results=True),
    )
    table = evaluation.score_all([Run.from_results(found, name) for name, found in runs.items()])
    html = page(contents_of(table, "A title", None, evaluation.truth))
    return html if topic is None else ISLAND.sub(lambda found: _asked(found, topic), html)


def _asked(found: re.Match[str], topic: dict[str, str]) -> str:
    data = json.loads(found[2])
    data["topics"][0] |= topic
    text = json.dumps(data, ensure_ascii=False)
    return found[1] + re.sub("[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", text) + found[3]


SECTIONS = 30
LONG = "<article>{}</article>".format(
    "".join(
        f"<sec><title>Part \U0001f41f {n}</title><p>{f'Words of part {n}. ' * 12}</p>"
        f"<p>{f'More of part {n}. ' * 12}</p></sec>"
        for n in range(1, SECTIONS + 1)
    )
)


def long_page(*measures: str) -> str:
    collection = example_collection({"a": LONG})
    second, last = (
        collection.element("a", f"/article[1]/sec[{n}]/p[1]") for n in (20, SECTIONS - 1)
    )
    judgments = [
        Judgment("7", "a", ((second.start, second.end), (last.start, last.end)), second.start),
        Judgment("7", "b", ((0, 5),)),
    ]
    sections = [f"/article[1]/sec[{n}]" for n in (20, 25, 3)]
    runs = {
        "sections": [
            *paths(*sections[:2], "/article[1]/sec[20]/p[1]", sections[2]),
            *paths("/s[1]", document="b"),
        ],
        "passages": [passage("a", second.start + 5, second.end + 5)],
    }
    sources = {"a": LONG, "b": "<s>Other words.</s>"}
    return page_of(sources, judgments, runs, *measures)


def choose(tab: Any, what: str, name: str) -> None:
    """Choose the first entry of a list that begins with a name."""
    entries = tab.locator(f"select[data-choose={what}] option").all_text_contents()
    (at, *_) = [at for at, entry in enumerate(entries) if entry.startswith(name)]
    tab.locator(f"select[data-choose={what}]").select_option(index=at)


def settle(tab: Any) -> None:
    """Wait until the page has drawn what it was asked to."""
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")


def badges(tab: Any, pane: int = 0) -> list[str]:
    shown: list[str] = (
        tab.locator(".dv-pane").nth(pane).locator(".dv-left .dv-badge").all_inner_texts()
    )
    return shown


def open_long(opened: Open, *measures: str, **options: Any) -> Any:
    tab = opened(long_page(*measures), **options)
    choose(tab, "document", "a")
    choose(tab, "run", "sections")
    return tab


INSIDE = """node => {
  const own = node.closest('.dv-text').getBoundingClientRect(), rect = node.getBoundingClientRect();
  return rect.top >= own.top && rect.top <= own.top + own.height / 2;
}"""


@pytest.mark.parametrize("width", [1400, 390])
def test_a_document_opens_at_its_first_highlight(opened: Open, width: int) -> None:
    tab = open_long(opened, width=width)
    assert tab.locator(".dv-text").evaluate("node => node.scrollTop") > 500
    assert tab.locator(".dv-text mark").first.evaluate(INSIDE)
    assert tab.locator(".dv-bep").inner_text() == "best entry point"
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_ranks_stand_in_the_margin_where_results_begin(opened: Open) -> None:
    tab = open_long(opened)
    assert sorted(badges(tab)) == ["1", "2", "3", "4"]
    tops = tab.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.dv-left .dv-along')].map(
            (along) => [along.textContent, along.getBoundingClientRect().top]))"""
    )
    begins = tab.evaluate(
        """() => [...document.querySelectorAll('.dv-begins')].map((node) =>
            [node.textContent.trim(), node.getClientRects()[0].top])"""
    )
    by_text = {text.split(".")[0]: top for text, top in begins}
    for rank, text in [
        ("1", "Part \U0001f41f 20"),
        ("2", "Part \U0001f41f 25"),
        ("3", "Words of part 20"),
    ]:
        assert tops[rank] == pytest.approx(by_text[text], abs=3)


def test_the_slider_shows_the_first_results(opened: Open) -> None:
    tab = open_long(opened)
    slider = tab.get_by_label("First k results")
    slider.focus()
    returned = tab.locator(".dv-returned")
    everything = returned.all_text_contents()
    tab.keyboard.press("Home")
    settle(tab)
    assert (returned.count(), badges(tab)) == (0, [])
    for shown in (["1"], ["1", "2"], ["1", "2", "3"]):
        tab.keyboard.press("ArrowRight")
        settle(tab)
        assert tab.locator(".dv-depth output").inner_text() == f"k = {shown[-1]}"
        assert sorted(badges(tab)) == shown
    assert tab.locator(".dv-count").inner_text() == "3 of 4 results here"
    tab.keyboard.press("End")
    settle(tab)
    assert tab.locator(".dv-depth output").inner_text() == "all"
    assert returned.all_text_contents() == everything


def test_two_runs_side_by_side(opened: Open) -> None:
    tab = open_long(opened)
    choose(tab, "beside", "passages")
    assert tab.locator(".dv-text").count() == 2
    assert sorted(badges(tab, 0)) == ["1", "2", "3", "4"]
    assert badges(tab, 1) == ["1"]
    for pane in range(2):
        assert tab.locator(".dv-pane").nth(pane).locator("mark").first.evaluate(INSIDE)
    heights = tab.locator(".dv-text").evaluate_all(
        "nodes => nodes.map((node) => node.scrollHeight)"
    )
    assert heights[0] == heights[1]
    tab.locator(".dv-text").first.evaluate("node => { node.scrollTop = 111; }")
    settle(tab)
    tops = tab.locator(".dv-text").evaluate_all("nodes => nodes.map((node) => node.scrollTop)")
    assert tops == [111, 111]
    choose(tab, "beside", "–")
    assert tab.locator(".dv-text").count() == 1


def test_keys_go_to_results_highlights_and_documents(opened: Open) -> None:
    tab = open_long(opened)
    text, status = tab.locator(".dv-text"), tab.locator(".dv-status")
    text.focus()
    for key, said in [
        ("j", "result 1 of 4, rank 1"),
        ("j", "result 2 of 4, rank 2"),
        ("k", "result 1 of 4, rank 1"),
        ("k", "first result"),
        ("h", "highlight 2 of 2"),
        ("h", "last highlight"),
        ("g", "highlight 1 of 2"),
    ]:
        tab.keyboard.press(key)
        assert status.inner_text() == said
    assert tab.locator(".dv-current").inner_text() == "1"
    assert tab.locator("mark.dv-here").count() == 1
    tab.keyboard.press("n")
    assert status.inner_text() == "document 1 of 2: b"
    assert tab.locator(".dv-block").all_inner_texts() == ["Other words."]
    tab.keyboard.press("p")
    assert tab.locator("select[data-choose=document]").input_value() == "1"
    assert tab.evaluate("document.activeElement.matches('.dv-text')")
    before = tab.locator(".dv-text").evaluate("node => node.scrollTop")
    tab.locator("select[data-choose=run]").focus()
    tab.keyboard.press("j")
    assert status.inner_text() == "document 2 of 2: a"
    assert tab.locator(".dv-text").evaluate("node => node.scrollTop") == before


def test_the_outline_opens_an_element(opened: Open) -> None:
    tab = open_long(opened)
    rows = tab.locator(".dv-row")
    assert rows.filter(has_text="sec[20]").first.locator(".dv-heat").inner_text() not in ("", "0%")
    tab.get_by_title("/article[1]/sec[3]: 0% highlighted", exact=True).click()
    found = tab.locator(".dv-title", has_text="Part \U0001f41f 3").first
    assert found.evaluate(INSIDE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_outcomes_name_the_model_of_navigation(opened: Open, scheme: str) -> None:
    tab = open_long(opened, "P@5", "ESRR@10(nav=hierarchical)", scheme=scheme)
    rows = tab.locator(".dv-outcomes tbody tr")
    assert "hit at 3" in rows.first.inner_text()
    assert "hierarchical" in tab.locator("#document-view").inner_text()


def test_nothing_is_said_about_navigation_if_nobody_asked(opened: Open) -> None:
    tab = open_long(opened)
    said = tab.locator("#document-view").inner_text().lower()
    assert not re.search(r"navigat|near|\bhit\b|missed", said)
    assert tab.locator(".dv-outcomes").count() == 0


def test_hostile_texts_stay_texts(opened: Open) -> None:
    source = f"<script><img><onerror>{escape(HOSTILE)}</onerror></img><p>More words.</p></script>"
    name = HOSTILE.replace("/", "")
    judgments = [Judgment("7", name, ((0, 20),))]
    results = [passage(name, 3, 30)]
    topic = {"title": HOSTILE, "query": f"//a[about(., {HOSTILE})]", "description": HOSTILE}
    with ids_may_have_white_space():
        html = page_of({name: source}, judgments, {HOSTILE: results}, "P@5", "ESRR@10", topic=topic)
    tab = opened(html)
    tab.wait_for_timeout(200)
    root = tab.locator("#document-view")
    shown = root.inner_text()
    for text in (HOSTILE, name, topic["query"], "/script[1]"):
        assert text in shown or text in root.inner_html().replace("&lt;", "<")
    assert tab.locator(".dv-block").first.inner_text() == HOSTILE
    assert tab.locator("#document-view :is(script, img, iframe, style, a, [onerror])").count() == 0
    assert tab.locator(".dv-asked h3").inner_text() == f"Topic 7: {HOSTILE}"
    assert tab.locator(".dv-asked code").inner_text() == topic["query"]


def test_graded_elements_are_drawn(opened: Open) -> None:
    grades = tuple(
        GradedElement(path, grade)
        for path, grade in [
            ("/article[1]/sec[2]", Grade2002(3, "E")),
            ("/article[1]/sec[2]/p[1]", Grade2002(2, "S")),
            ("/article[1]/sec[3]", Grade2002(0, "N")),
        ]
    )
    results = {"mine": paths("/article[1]/sec[2]/p[1]")}
    tab = opened(page_of({"a": LONG}, [Judgment("7", "a", grades=grades)], results))
    assert tab.locator(".dv-right .dv-badge").all_inner_texts() == ["3E", "2S"]
    assert tab.locator(".dv-right .dv-line").count() == 2
    heats = tab.locator(".dv-row", has_text="sec[2]").locator(".dv-heat").all_inner_texts()
    assert "3E" in heats
    assert tab.locator("#document-view mark").count() == 0
    assert tab.locator("[aria-label='next highlight']").count() == 0


# Every character


def random_case(random: Random) -> tuple[str, Judgment, list[Result], str]:
    """A document, highlights and overlapping passages, and the document's text."""
    words = ["a", "bb", "\U0001f41f", "ccc.", "é", "<&>"]
    blocks = [" ".join(random.choices(words, k=random.randint(1, 12))) for _ in range(4)]
    source = "<s>" + "".join(f"<p>{escape(block)}</p>" for block in blocks) + "</s>"
    text = "".join(blocks)

    def spans(most: int) -> set[tuple[int, int]]:
        ends = (
            sorted(random.sample(range(len(text) + 1), 2)) for _ in range(random.randint(1, most))
        )
        return {(start, end) for start, end in ends}

    highlights = tuple(spans(3))
    results = [Result("", "", Kind.PASSAGE, start, end) for start, end in sorted(spans(6))]
    random.shuffle(results)
    return source, Judgment("", "", highlights), results, text


def test_every_character_is_drawn_as_it_is(opened: Open) -> None:
    random = Random(14)
    cases = {f"d{n:02}": random_case(random) for n in range(20)}
    sources = {name: case[0] for name, case in cases.items()}
    judgments = [
        Judgment(str(n), name, case[1].highlights) for n, (name, case) in enumerate(cases.items())
    ]
    results = [
        passage(name, result.start or 0, result.end or 0, topic=str(n))
        for n, (name, case) in enumerate(cases.items())
        for result in case[2]
    ]
    tab = opened(page_of(sources, judgments, {"mine": results}))
    tab.locator(".dv-text").focus()
    seen = set()
    for _ in cases:
        name = tab.locator("select[data-choose=document] option:checked").inner_text()
        seen.add(name)
        _, judgment, found, text = cases[name]
        k = random.randint(0, len(found))
        tab.evaluate(
            """k => { const slider = document.querySelector('.dv-depth input'); slider.value = k;
                slider.dispatchEvent(new Event('input')); }""",
            k,
        )
        settle(tab)
        pieces = tab.evaluate(
            """() => [...document.querySelectorAll('.dv-block > :not(.dv-bep)')].map((node) =>
                [node.textContent, node.matches('mark'), node.matches('.dv-returned')])"""
        )
        drawn = [(sign, marked, own) for piece, marked, own in pieces for sign in piece]
        marked = {at for start, end in judgment.highlights for at in range(start, end)}
        own = {at for one in found[:k] for at in range(one.start or 0, one.end or 0)}
        assert drawn == [(sign, at in marked, at in own) for at, sign in enumerate(text)], name
        tab.keyboard.press("n")
    assert seen == set(cases)
