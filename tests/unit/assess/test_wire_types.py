"""The types of the page's script are those of the records that the server sends and reads."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from wire_types import FILES, SHARED, type_of, typescript


@pytest.mark.parametrize(("name", "module"), FILES.items())
def test_committed_types_are_those_of_the_records(name: str, module: str) -> None:
    written = typescript(import_module(module))
    assert (SHARED / name).read_text("utf-8") == written, "run: python scripts/wire_types.py"


RECORDS = """
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

MAX_SPANS = 9
Colour = Literal["red", "green"]


class Sent(Struct, rename="camel"):
    'What is sent.'

    is_new: bool
    count: Annotated[int, Meta(ge=0)]
    colour: Colour | None = None
    note: str | UnsetType = UNSET


class Read(Sent, forbid_unknown_fields=True):
    'What is read.'

    spans: list[tuple[int, int]] = []
"""

TYPES = """export const MAX_SPANS = 9;

export type Colour = "red" | "green";

/** What is sent. */
export interface Sent {
  isNew: boolean;
  count: number;
  colour: Colour | null;
  note?: string;
}

/** What is read. */
export interface Read extends Sent {
  spans?: [number, number][];
}
"""


def test_fields_that_may_be_missing_are_optional_and_null_is_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "records_of_a_test.py").write_text(RECORDS, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    written = typescript(import_module("records_of_a_test"))
    assert written.split("\n\n", 1)[1] == TYPES


def test_a_type_without_counterpart_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"for set\[int\]"):
        type_of(ast.parse("set[int]", mode="eval").body)
