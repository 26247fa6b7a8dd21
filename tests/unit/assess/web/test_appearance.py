"""Instructions and colours of campaigns: what organisers write, and what strangers might."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess_client import browser
from doxeval.assess.db import Campaign, CampaignError, Settings
from doxeval.assess.web import ON_DARK, ON_LIGHT, contrast_between, rendered, stylesheet
from levels import examples
from seams import change

CHANNEL = st.integers(0, 255)
STYLES = Path(__file__).parents[4] / "web" / "src"


@given(CHANNEL, CHANNEL, CHANNEL)
@examples(300)
def test_every_colour_can_be_read_in_light_and_dark(red: int, green: int, blue: int) -> None:
    light, dark = stylesheet(f"#{red:02x}{green:02x}{blue:02x}").splitlines()
    for style, backgrounds in ((light, ON_LIGHT), (dark, ON_DARK)):
        (accent,) = re.findall(r"--accent: (#\w{6});", style)
        assert f"--link: {accent};" in style
        for background in backgrounds:
            assert contrast_between(accent, background) >= 4.5


def test_the_backgrounds_are_those_of_the_pages() -> None:
    text = (STYLES / "shared" / "base.css").read_text() + (
        STYLES / "assess" / "site.css"
    ).read_text()
    names = ("paper", "soft", "fair-soft", "bad-soft")
    found = [re.findall(rf"--{name}: (#\w{{6}});", text)[:2] for name in names]
    assert tuple(light for light, _ in found) == ON_LIGHT
    assert (*(dark for _, dark in found), re.findall(r"--on-accent: (#\w+);", text)[1]) == ON_DARK


class Tags(HTMLParser):
    """What is in HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


_BLOCKS = "p h3 h4 h5 h6 ul ol li pre blockquote hr table thead tbody tr th td"
ALLOWED = {*_BLOCKS.split(), "em", "strong", "a", "code", "br"}
PIECES = st.lists(
    st.sampled_from(
        [
            *("<script>", "</p>", "<img src=x onerror=y>", "[a](", "javascript:x", ")", "![", "]("),
            *(
                "https://a.example/",
                "data:text/html,x",
                "&#106;avascript:",
                "\n",
                "\n\n",
                "# ",
                "#### ",
            ),
            *(
                "- ",
                "> ",
                "`",
                "```\n",
                "|a|b|\n|--|--|\n",
                "<!--",
                "&lt;",
                '"',
                "'",
                " style=x",
                "\0",
            ),
            *("<https://b.example>", "<javascript:x>", "[a]: javascript:x\n", "\\", "*", "_", "x"),
        ]
    ),
    max_size=30,
).map("".join)


@given(PIECES)
@examples(300)
def test_nothing_but_text_tables_and_safe_links(text: str) -> None:
    last = 2
    for tag, attributes in Tags(rendered(text)).tags:
        assert tag in ALLOWED
        if tag == "a":
            assert set(attributes) == {"href", "rel"}
            assert re.match("(https?://|mailto:)", attributes["href"] or "", re.IGNORECASE)
        else:
            assert set(attributes) <= {"style", "start", "class"}
        if re.fullmatch("h[3-6]", tag):
            assert int(tag[1]) <= last + 1
            last = int(tag[1])


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "![a](https://a.example/b.png)",
            '!<a href="https://a.example/b.png" rel="noreferrer">a</a>',
        ),
        ("[a](javascript:alert(1))", "[a](javascript:alert(1))"),
        ("[a](/organise)", "[a](/organise)"),
        ("[a](data:image/png;base64,x)", "[a](data:image/png;base64,x)"),
        ('<img src="x">', "&lt;img src=&quot;x&quot;&gt;"),
        (
            "<mailto:a@b.example>",
            '<a href="mailto:a@b.example" rel="noreferrer">mailto:a@b.example</a>',
        ),
        ("# a\n### b\n# c", "<h3>a</h3>\n<h4>b</h4>\n<h3>c</h3>"),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert html in rendered(text)


def test_long_and_deep_markdown_takes_no_time() -> None:
    for text in ("[" * 50_000, "> " * 25_000, "*" * 50_000, "`" * 49_999, "|a" * 25_000):
        assert rendered(text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"colour": "red"},
        {"colour": "#fff"},
        {"colour": "#12345g"},
        {"colour": "#1234567"},
        {"colour": "#123456\n"},
        {"title": "a\nb"},
        {"title": "x" * 201},
        {"title": "a\u202eb"},
        {"instructions": "x" * 50_001},
        {"instructions": "a\0b"},
    ],
)
def test_what_cannot_be_set(campaign: Campaign, wrong: dict[str, str]) -> None:
    with pytest.raises(CampaignError):
        Settings(**wrong)  # type: ignore[arg-type]
    with pytest.raises(CampaignError):
        campaign.change_settings(wrong)
    assert campaign.settings == Settings()
    if "\n" not in next(iter(wrong.values())):
        sent = {"title": "", "instructions": "", "colour": ""} | wrong
        answer = browser(campaign, "organiser").post("/organise/settings", data=sent)
        assert answer.status_code in (400, 422)


def test_organisers_change_how_a_campaign_looks(campaign: Campaign) -> None:
    client = browser(campaign, "organiser")
    form = {
        "title": "Tides & <b>",
        "instructions": "# Read\r\n\r\n*All* of it.",
        "colour": "#Ffe000",
    }
    done = client.post("/organise/settings", data=form)
    assert done.headers["location"] == "/organise?done=settings#settings"
    page = browser(campaign, "ann").get("/").text
    assert "Tides &amp; &lt;b&gt;" in page
    assert "<h3>Read</h3>\n<p><em>All</em> of it.</p>" in page
    assert "<em>All</em>" in browser(campaign, "ann").get("/help").text
    (style,) = re.findall(r'href="(/colour.css\?of=\w+)"', page)
    answer = browser(campaign).get(style)
    assert answer.headers["content-type"].startswith("text/css")
    assert "--accent: #786900" in answer.text
    for wrong in ("", "red", "ffe00", "ffe0000", "FFE000", "ffe000;}"):
        assert browser(campaign).get("/colour.css", params={"of": wrong}).status_code == 404
    client.post("/organise/settings", data={"title": "", "instructions": "", "colour": ""})
    assert campaign.settings == Settings()
    what = [event.what for event in campaign.events()]
    assert what.count("settings changed") == 2


def test_what_decides_about_judgments_stays(campaign: Campaign) -> None:
    with pytest.raises(CampaignError, match="mode cannot be changed"):
        campaign.change_settings({"mode": "2005"})


def test_a_running_server_sees_what_another_process_changes(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(campaign, "ann")
    with Campaign.open(campaign.directory) as other:
        other.change_settings({"title": "A new title"})
    assert "A new title" not in client.get("/").text
    change(monkeypatch, settings_kept=-1)
    with Campaign.open(campaign.directory) as again:
        assert "A new title" in browser(again, "ann").get("/").text
        with Campaign.open(campaign.directory) as other:
            other.change_settings({"title": "Another one"})
        assert "Another one" in browser(again, "ann").get("/").text
