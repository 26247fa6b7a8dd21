"""Documents that want to do something: none of it happens, and all of it can be highlighted."""

from __future__ import annotations

from typing import Any

import pytest

from browsing import Browsers, Tab
from doxeval.topics import Topic

TRICK = "<img src=x onerror=owned()><script>owned()</script>"
ESCAPED = TRICK.replace("&", "&amp;").replace("<", "&lt;")
DOCUMENTS = {
    "scripts": (
        "<article><script>owned()</script><script src='/evil.js'/>"
        "<p onclick='owned()' onload='owned()' onfocus='owned()' tabindex='0' autofocus='1' "
        "style='position:fixed;inset:0' id='article' class='told' contenteditable='true'>text</p>"
        "<style>* { display: none !important }</style>"
        "<svg onload='owned()'><animate onbegin='owned()' attributeName='x'/><a href='x'>svg</a>"
        "</svg>"
        "<a href='javascript:owned()'>a link</a><iframe src='javascript:owned()'>frame</iframe>"
        "<form action='/logout' method='post'><input autofocus='1' onfocus='owned()'/>"
        "<button>form</button></form><img src='/x' onerror='owned()'/><base href='//evil'/>"
        "<meta http-equiv='refresh' content='0;url=//evil'/><template>kept</template>"
        "<dialog open='open'>dialog</dialog><dx-e data-role='heading'>ours</dx-e>"
        "<slot>slot</slot><plaintext>plain</plaintext></article>"
    ),
    "texts": (
        f"<article><title>{ESCAPED}</title><p>{ESCAPED} &amp;lt;script&amp;gt; "
        "<![CDATA[</p><script>owned()</script>]]> --&gt; javascript:owned() &#x202e;reversed"
        "&#x202c; zero&#x200b;width</p></article>"
    ),
    "names": (
        "<article xmlns:x='urn:x'><x:script>one</x:script><SCRIPT>two</SCRIPT>"
        "<constructor>three</constructor><__proto__>four</__proto__><toString>five</toString>"
        "</article>"
    ),
}


@pytest.fixture
def tab(serving: Any, browsers: Browsers) -> Tab:
    topics = [Topic("7", title=TRICK, description=TRICK, narrative=TRICK), Topic("8", title="x")]
    tab = browsers.tab(serving(DOCUMENTS, topics=topics, title=TRICK))
    tab.page.add_init_script(
        "window.owned = () => { console.log('owned') };"
        "addEventListener('securitypolicyviolation', e => console.log('policy', e.blockedURI))"
    )
    return tab


@pytest.mark.parametrize("document", DOCUMENTS)
def test_nothing_runs_and_everything_can_be_highlighted(tab: Tab, document: str) -> None:
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.page.on("dialog", lambda dialog: tab.said.append(dialog.message))
    tab.open("7", document)
    names = "[...new Set([...document.querySelectorAll('dx-document *')].map(e => e.localName))]"
    assert set(tab.page.evaluate(names)) <= {"dx-e", "dx-picture"}
    attributes = (
        "[...new Set([...document.querySelectorAll('dx-document *')]"
        ".flatMap(e => e.getAttributeNames()))].sort()"
    )
    known = {"aria-label", "aria-level", "data-role", "data-tag", "data-words", "role"}
    assert set(tab.page.evaluate(attributes)) <= known
    assert tab.page.evaluate("document.querySelector('dx-document').textContent") == tab.text
    tab("dx-document").focus()
    tab.press("Control+a", "h").saved()
    assert tab.slices() == tab.painted() == [tab.text.strip()]
    tab("dx-document").click()
    tab.page.wait_for_timeout(200)
    assert tab.said == []
    assert [url for url in asked if not url.startswith(tab.server.address)] == []
    assert not [url for url in asked if url.endswith(("/x", "evil.js"))]


def test_ids_and_names_from_files_stay_text(tab: Tab) -> None:
    server = tab.server
    for path in ("/", "/queue?topic=7", "/account", "/help"):
        tab.page.goto(server.address + path)
    tab.page.goto(server.url("/queue", topic="7", q=TRICK))
    assert tab("main img, main script").count() == 0
    tab.open("7", "texts")
    assert TRICK in tab("#topic").inner_text()
    tab("#notes textarea").fill(TRICK)
    tab("#keywords summary").click()
    tab("#keywords input[type=text]").fill(f"{TRICK}, .*, (, [a")
    tab("#keywords form button").click()
    tab.saved()
    tab.page.reload()
    tab("dx-document").wait_for()
    assert tab("#notes textarea").input_value() == TRICK
    assert tab("main img, main script").count() == 0
    assert tab.said == []
