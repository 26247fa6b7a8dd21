"""Printed tables and sentences fit the width that there is, and say what they leave out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from doxeval.messages import display_width, wrapped, wrapped_command
from doxeval.scores import TextTable
from levels import examples

NAMES = st.text(alphabet="abcxyz-.é漢", min_size=1, max_size=50)
NUMBERS = st.text(alphabet="0123456789.", min_size=1, max_size=9)


@st.composite
def tables(draw: st.DrawFn) -> TextTable:
    columns = draw(st.integers(1, 12))
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    rows = [[name, *draw(st.lists(NUMBERS, min_size=columns, max_size=columns))] for name in names]
    header = ["run", *(f"m{column}" for column in range(columns))]
    about = draw(st.booleans())
    if about:
        header.append("description")
        rows = [[*row, draw(st.text("ab", max_size=90))] for row in rows]
    best = draw(st.sets(st.tuples(st.integers(0, len(rows) - 1), st.integers(1, columns))))
    to_go = draw(st.permutations(range(1, columns + 1)))[:3]
    left = (0, columns + 1)
    return TextTable(
        header,
        rows,
        longest=None,
        best=best,
        first_to_go=to_go,
        left=left,
        prose="cut" if about else "",
    )


def test_long_names_make_room_for_columns() -> None:
    names = [f"a-long-name-of-a-run-that-nobody-can-read-{n}-with-feedback-{n}" for n in "12"]
    table = TextTable(["run", "P", "R", "F"], [[name, "0.5", "0.25", "0.3"] for name in names])
    lines, left_out = table.fitted(60)
    assert left_out == 0 and lines[1].startswith("a-long-name") and "-1 " in lines[1]
    names = [f"{'a-long-name-' * 4}{n}{'-of-a-run' * 5}" for n in "12"]
    same_ends = table._replace(longest=None, rows=[[name, *"abc"] for name in names])
    assert [line.split()[0] for line in same_ends.fitted(60)[0][1:]] == names


@examples(300)
@given(tables(), st.integers(30, 120))
def test_tables_fit_and_count_what_they_leave_out(table: TextTable, width: int) -> None:
    lines, left_out = table.fitted(width)
    header = lines[0].split()
    assert len(header) + left_out == len(table.header)
    assert header[:2] == list(table.header[:2])
    names = [line[: line.index(" ")] for line in lines[1:]]
    assert len(set(names)) == len(table.rows)  # names that were cut still differ
    if any("…" in name for name in names) or max(map(display_width, names)) <= 12:
        assert max(map(display_width, lines)) <= width
    # Without a width there is everything, and no stars.
    everything, nothing = table.fitted()
    assert nothing == 0 and "*" not in "".join(everything)
    assert all(
        cell in line
        for row, line in zip(table.rows, everything[1:], strict=True)
        for cell in row[:-1]
    )


@examples(300)
@given(st.lists(NAMES, max_size=40).map(" ".join), st.integers(20, 100))
def test_sentences_are_broken_between_words_only(text: str, width: int) -> None:
    lines = wrapped(text, width, "  ")
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    for line in lines:
        assert display_width(line) <= width or len(line.split()) == 1


def test_quotes_and_paths_stay_whole() -> None:
    text = (
        "no run 'the best of all runs' in /a/very/long/path/that/does/not/fit/anywhere; Holm's way"
    )
    lines = wrapped(text, 30)
    assert any("'the best of all runs'" in line for line in lines)
    assert any("/a/very/long/path/that/does/not/fit/anywhere;" in line for line in lines)
    assert wrapped(text, None) == [text]


def test_commands_go_on_after_a_backslash() -> None:
    command = "doxeval evaluate " + " ".join(f"run{number}.txt" for number in range(20))
    lines = wrapped_command(command, 40)
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert max(map(len, lines)) <= 40
    assert " ".join(" ".join(lines).replace("\\", "").split()) == command


def test_lists_go_on_below_themselves() -> None:
    rows = [["nxCG", "how much is gained, in the order in which a user reads"], ["P", "precision"]]
    table = TextTable((), rows, longest=None, left=(0, 1), prose="wrap")
    assert table.lines(width=40) == [
        "nxCG  how much is gained, in the order",
        "      in which a user reads",
        "P     precision",
    ]
