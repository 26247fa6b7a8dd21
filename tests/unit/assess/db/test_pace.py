"""How a campaign goes on, and when it may end: nothing is promised that cannot be known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from assess_client import browser
from doxeval.assess.db import Campaign, Program
from doxeval.assess.judging import State
from doxeval.pooling import Pool, PooledDocument
from seams import change
from small_campaign import Answer, make_collection, operation

START = datetime.fromisoformat("2026-03-01T12:00:00.000+00:00")


class Calendar:
    """A clock that stands still until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = START
        change(
            monkeypatch,
            campaign_clock=lambda: self.now.isoformat(timespec="milliseconds")[:23] + "Z",
        )

    def days(self, number: float) -> None:
        self.now += timedelta(days=number)


@pytest.fixture
def calendar(monkeypatch: pytest.MonkeyPatch) -> Calendar:
    return Calendar(monkeypatch)


@pytest.fixture
def many(tmp_path: Path, calendar: Calendar, new_campaign: Callable[..., Campaign]) -> Campaign:
    """Ann has forty documents of topic 7, and nobody anything else."""
    texts = {f"d{n}": f"<p>Text {n}.</p>" for n in range(40)}
    collection = make_collection(tmp_path / "many", texts)
    pool = Pool({"7": tuple(PooledDocument(name) for name in texts), "8": (PooledDocument("d0"),)})
    campaign = new_campaign(collection=collection, pool=pool)
    for topic, name in (("7", "bob"), ("8", "ann"), ("8", "bob")):
        campaign.unassign(topic, name)
    return campaign


def judge(campaign: Campaign, numbers: range, name: str = "ann") -> None:
    user = campaign.user(name)
    for number in numbers:
        done = [operation("not-relevant", 0)]
        assert campaign.submit("7", f"d{number}", user.id, user, done).failure is None


def test_nothing_is_known_before_a_day_of_work(many: Campaign, calendar: Calendar) -> None:
    pace = many.pace()
    assert (pace.days, pace.done, pace.total, pace.left, pace.end) == ((), 0, 40, 40, None)
    assert "not yet known" in pace.outlook
    judge(many, range(30))
    calendar.days(0.9)
    assert many.pace().end is None
    assert "not yet known: work has just begun" in many.pace().outlook


def test_an_estimate_from_the_last_week(many: Campaign, calendar: Calendar) -> None:
    judge(many, range(4))
    calendar.days(2)
    judge(many, range(4, 8))
    pace = many.pace()
    assert pace.people[0].per_day == 4  # eight in two days
    assert pace.end == date(2026, 3, 11)  # 32 left, in eight days
    assert "4.0 documents a day in the last 2 days" in pace.outlook
    assert [(each.new, each.done) for each in pace.days] == [(4, 4), (0, 4), (4, 8)]
    calendar.days(5.5)  # the first four are more than a week ago
    pace = many.pace()
    assert pace.people[0].recent == 4
    assert pace.end == (calendar.now + timedelta(days=32 / (4 / 7))).date()
    judge(many, range(8, 40))
    pace = many.pace()
    assert (pace.left, pace.end, pace.outlook) == (0, None, "Nothing is left to do.")


def test_whoever_rests_makes_the_end_unknown(many: Campaign, calendar: Calendar) -> None:
    many.assign("7", "bob")
    judge(many, range(4))
    judge(many, range(2), "bob")
    calendar.days(2)
    assert many.pace().end == (calendar.now + timedelta(days=38)).date()  # bob: one a day
    calendar.days(8)
    judge(many, range(4, 8))
    pace = many.pace()
    assert pace.end is None
    assert "not yet known: bob, who did none in the last 7 days, has documents left" in pace.outlook
    assert "If others took over" in pace.outlook
    many.close_topic("7")
    assert many.pace().left == 0


def test_imports_programs_and_work_that_is_open_again(many: Campaign, calendar: Calendar) -> None:
    done = State(status="validated")
    many.import_judgments([Answer("7", f"d{n}", done) for n in range(10)], "ann")
    many.import_judgments([Answer("7", f"d{n}", done) for n in range(30)], Program("rule"))
    judge(many, range(10, 12))
    calendar.days(1)
    ann = many.user("ann")
    many.submit("7", "d10", ann.id, ann, [operation("reopen", 1)])
    pace = many.pace()
    assert (pace.done, pace.days[-1].done, pace.people[0].recent) == (11, 11, 1)
    many.submit("7", "d10", ann.id, ann, [operation("not-relevant", 2)])
    assert [each.done for each in many.pace().days] == [12, 12]  # done when it was done first


def test_many_days_are_weeks(many: Campaign, calendar: Calendar) -> None:
    judge(many, range(1))
    calendar.days(100)
    judge(many, range(1, 3))
    days = many.pace().days
    assert len(days) == 15
    assert [each.done for each in days] == [*[1] * 14, 3]
    assert sum(each.new for each in days) == 3


def test_the_page_draws_it(many: Campaign, calendar: Calendar) -> None:
    client = browser(many, "organiser")
    assert "<svg" not in client.get("/organise").text
    judge(many, range(10))
    calendar.days(3)
    page = browser(many, "organiser").get("/organise").text
    points = page.partition('points="')[2].partition('"')[0].split()
    assert len(points) == 5
    heights = [float(point.partition(",")[2]) for point in points]
    assert heights[0] > heights[1] == heights[-1]
    assert "10 of 40 documents done" in page and "2026-03-01" in page
    assert "they will be done about 2026-03-13" in page
