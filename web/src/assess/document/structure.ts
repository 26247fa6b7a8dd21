// Lists and tables as a whole: numbers of items, what a screen reader hears, and large tables.

import type { DisplayRole } from "../../shared/api-types";
import { item } from "../../shared/lists";
import type { Facts } from "./elements";

/** What is known of the elements that are shown; rows are their numbers. */
export interface ShownElements {
  readonly rows: number;
  readonly elements: readonly HTMLElement[];
  role(row: number): DisplayRole;
  facts(row: number): Facts;
  children(row: number): readonly number[];
  /** How the text of an element begins. */
  beginning(row: number): string;
  /** The number of characters in an element. */
  length(row: number): number;
}

/** Tables with more cells than this are laid out row by row, where they can be seen. */
const LARGE_TABLE = 1_500;
/** Columns of large tables are as wide as their longest cell, between these numbers of characters. */
const NARROWEST = 4;
const WIDEST = 32;

/** A bullet or a number at the beginning of an item. */
const LABEL = /^\s*(?:[-*+•–·]|\(?\d{1,4}[.)]|\(?[a-z]{1,4}\))\s/i;

/** Kinds of numbers, by the `type` of HTML's lists. */
const NUMBERING: Record<string, string> = {
  "1": "decimal",
  a: "lower-alpha",
  A: "upper-alpha",
  i: "lower-roman",
  I: "upper-roman",
};

export function arrange(shown: ShownElements): void {
  for (let row = 0; row < shown.rows; row++) {
    const role = shown.role(row);
    if (role === "list" || role === "ordered-list") arrangeList(shown, row);
    else if (role === "table") arrangeTable(shown, row);
  }
}

/** Number the items as their author did; a list of nothing but items is one to a screen reader. */
function arrangeList(shown: ShownElements, row: number): void {
  const list = item(shown.elements, row);
  const children = shown.children(row).filter((child) => !isVoid(shown, child));
  const items = children.filter((child) => shown.role(child) === "item");
  const { numbering, start, reversed } = shown.facts(row);
  if (numbering && NUMBERING[numbering]) list.style.setProperty("--numbering", NUMBERING[numbering]);
  // Where the text has its numbers or bullets, as in Markdown, there are no others.
  if (items.length > 0 && items.every((child) => LABEL.test(shown.beginning(child)))) list.classList.add("labelled");
  const isList = items.length > 0 && items.length === children.length;
  if (isList) list.setAttribute("role", "list");
  items.forEach((child, at) => {
    const made = item(shown.elements, child);
    const first = at === 0 ? (start ?? (reversed ? String(items.length) : undefined)) : undefined;
    const number = shown.facts(child).value ?? first;
    if (isList) made.setAttribute("role", "listitem");
    if (reversed) made.style.setProperty("counter-increment", "list-item -1");
    if (number !== undefined) made.style.setProperty("counter-set", `list-item ${Number(number)}`);
  });
}

/** A table of nothing but rows of cells is one to a screen reader; a large one is laid out in rows. */
function arrangeTable(shown: ShownElements, table: number): void {
  const groups = shown.children(table).filter((child) => shown.role(child) === "head" || shown.role(child) === "body");
  const rows: (readonly number[])[] = [];
  const parts: [number, string][] = [[table, "table"]];
  for (const around of [table, ...groups]) {
    if (around !== table) parts.push([around, "rowgroup"]);
    for (const child of shown.children(around)) {
      if (isVoid(shown, child) || (around === table && groups.includes(child))) continue;
      if (around === table && shown.role(child) === "caption" && shown.children(child).length === 0) continue;
      const cells = shown.children(child);
      if (shown.role(child) !== "row" || !cells.length || !cells.every((cell) => isCell(shown, cell))) return;
      parts.push([child, "row"]);
      for (const cell of cells) parts.push([cell, shown.role(cell) === "header" ? "columnheader" : "cell"]);
      rows.push([child, ...cells]);
    }
  }
  if (rows.length === 0) return;
  for (const [row, role] of parts) item(shown.elements, row).setAttribute("role", role);
  if (parts.length > LARGE_TABLE) layOutInRows(shown, table, groups, rows);
}

/**
 * Lay each row of a large table out by itself, in columns of fixed widths: browsers take many seconds
 * for tables of tens of thousands of cells, but none for rows that are out of sight.
 */
function layOutInRows(
  shown: ShownElements,
  table: number,
  groups: readonly number[],
  rows: readonly (readonly number[])[],
): void {
  const widths: number[] = [];
  const spanned = (cell: number) => Number(shown.facts(cell).colspan ?? 1);
  for (const [, ...cells] of rows) {
    let column = 0;
    for (const cell of cells) {
      if (shown.facts(cell).rowspan !== undefined) return; // rows that hang together
      const each = Math.ceil(shown.length(cell) / spanned(cell));
      for (const end = column + spanned(cell); column < end; column++) {
        widths[column] = Math.min(Math.max(widths[column] ?? NARROWEST, each), WIDEST);
      }
    }
  }
  const made = item(shown.elements, table);
  const least = (width: number, cells: number) => `calc(${width}ch + ${cells} * var(--around-cell))`;
  const total = widths.reduce((sum, width) => sum + width, 0);
  made.classList.add("in-rows");
  made.style.setProperty("--columns", widths.map((width) => `minmax(${least(width, 1)}, ${width}fr)`).join(" "));
  made.style.setProperty("min-width", least(total, widths.length));
  for (const group of groups) item(shown.elements, group).classList.add("in-rows");
  for (const [row = 0, ...cells] of rows) {
    let column = 0;
    let lines = 1;
    for (const cell of cells) {
      const span = spanned(cell);
      const width = widths.slice(column, column + span).reduce((sum, each) => sum + each, 0);
      lines = Math.max(lines, Math.ceil(shown.length(cell) / width));
      if (span > 1) item(shown.elements, cell).style.setProperty("grid-column", `span ${span}`);
      column += span;
    }
    item(shown.elements, row).style.setProperty("--lines", String(lines));
  }
}

function isCell(shown: ShownElements, row: number): boolean {
  const role = shown.role(row);
  return role === "cell" || role === "header";
}

/** Whether an element shows nothing, such as the columns of a table. */
function isVoid(shown: ShownElements, row: number): boolean {
  const role = shown.role(row);
  return shown.length(row) === 0 && (role === "inline" || role === "block");
}
