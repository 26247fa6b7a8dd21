"""LaTeX prints names as they are: a small reader of LaTeX gives them back."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from doxeval.messages import escape
from doxeval.scores import MeasureFacts, RunScores, ScoreTable, as_latex, short_labels

COMMANDS = {
    r"\textbackslash": "\\",
    r"\textasciitilde": "~",
    r"\textasciicircum": "^",
    r"\textless": "<",
    r"\textgreater": ">",
    r"\textbar": "|",
}
LIGATURES = {"--": "–", "``": "“", "''": "”", ",,": "„", "?`": "¿", "!`": "¡"}
TOKEN = re.compile(r"(\\[a-zA-Z]+)(?:\{\}| *)|\\([&%$#_{}])|(\{|\})|(--|``|''|,,|\?`|!`)|(.)", re.S)


def printed(latex: str) -> str:
    """What LaTeX prints for a cell; characters with a meaning of their own are not understood."""
    out = []
    for command, escaped, brace, ligature, plain in TOKEN.findall(latex):
        assert plain not in tuple("\\%$#&_^~\n"), f"{plain!r} has a meaning in LaTeX"
        assert command == "" or command in COMMANDS, command
        out.append(COMMANDS.get(command, "") + escaped + LIGATURES.get(ligature, "") + plain)
        assert brace in ("", "{", "}")
    return "".join(out)


def table_of(run: str, topic: str, label: str) -> ScoreTable:
    scores = RunScores(run, np.array([[0.5]]), np.array([True]))
    return ScoreTable((MeasureFacts(label, label, "a title"),), (topic,), (scores,))


def cells(latex: str) -> tuple[str, str, str, str]:
    """The names in a table with topics: of the measure, the run, the run again, the topic."""
    means, topics = latex.split("\n\n")
    _, _, _, _, header, _, row, *_ = means.split("\n")
    _, _, title, _, again, _, line, *_ = topics.split("\n")
    measure = header.removeprefix("run & ").removesuffix(r" \\")
    assert again.removeprefix("topic & ").removesuffix(r" \\") == measure
    run = title.removeprefix(r"\multicolumn{2}{l}{").removesuffix(r"} \\")
    return measure, row.rpartition(" & ")[0], run, line.rpartition(" & ")[0]


def note_of(latex: str) -> str:
    """The note about the only measure."""
    note, _ = re.findall(r"^\\item (.*)$", latex, re.M)
    return str(note).replace(r"\allowbreak{}", "")


@given(
    st.text(st.one_of(st.sampled_from("\\{}%$#&_^~<>|-'`,?!\n\t [*]\x1b\u202e"), st.characters()))
)
@example(r"\input{x}")
@example("[2cm]")
@example("*")
@example("a--b ---``c'' ?` !`")
@example(r"\end{tabular}\write18{rm}")
@example("\udcff")
@example("nxCG@10(quant=gen,,x)")
@example("(x)")
def test_every_name_is_printed_as_it_is(name: str) -> None:
    latex = as_latex(table_of(name, name, name), per_topic=True).decode()
    measure, *found = cells(latex)
    assert all(printed(cell) == escape(name) for cell in found), found
    (short,) = short_labels([MeasureFacts(name, name, "")])
    assert printed(measure) == escape(short)
    full = "" if short == name else f"{escape(name)}, "
    assert printed(note_of(latex)) == f"{escape(short)}: {full}a title."
    assert not any(cell.startswith(("[", "*")) for cell in found), r"it would belong to the \\"
    assert latex.count("\n") == as_latex(table_of("a", "b", "c"), per_topic=True).count(b"\n")


@pytest.mark.parametrize("name", [r"\input{x}", "50%", "a&b", "x_1", "$#^~"])
def test_a_table_has_its_rows_and_columns_whatever_the_names(name: str) -> None:
    lines = as_latex(table_of(name, name, name)).decode().splitlines()
    assert [line for line in lines if line.startswith("\\") and line.endswith("rule")] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
    ]
    rows = [line for line in lines if line.endswith(r" \\")]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in rows] == [1, 1]
