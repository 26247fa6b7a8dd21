// Tables with rows or columns for runs: only the chosen ones are shown.

import { all, button, drawn, element, numberIn } from "../../shared/dom";
import { item } from "../../shared/lists";
import type { ReportCell, ReportMeasure } from "../../shared/report-types";
import { lazily } from "../lazy";
import type { Page } from "../page";

/** The leaderboard has its own way. */
const OWN = "table#leaderboard, table.leaderboard";

export function followingTables(page: Page): void {
  for (const table of all<HTMLTableElement>("main table")) {
    if (!table.matches(OWN) && table.querySelector("[data-run]")) follow(page, table);
  }
}

/** Only what belongs to runs that were chosen or left since the last time is touched. */
function follow(page: Page, table: HTMLTableElement): void {
  const byRun = new Map<number, HTMLElement[]>();
  for (const cell of all("[data-run]", table)) {
    const run = numberIn(cell, "data-run");
    const cells = byRun.get(run);
    if (cells) cells.push(cell);
    else byRun.set(run, [cell]);
  }
  const refresh = lazily(table, () => {
    for (const [run, cells] of byRun) {
      const isHidden = !page.chosen.has(run);
      if (item(cells, 0).hidden !== isHidden) for (const cell of cells) cell.hidden = isHidden;
    }
  });
  page.onChosen(refresh);
}

// Sorting tables by their columns.

export type Order = "ascending" | "descending";

/** The value of a cell: a number where there is one, otherwise its text; null if it has none. */
function cellValue(cell: HTMLTableCellElement | undefined): number | string | null {
  if (!cell) return null;
  const given = cell.dataset.value;
  const text = (given ?? cell.textContent ?? "").trim();
  if (text === "") return null;
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  return given === undefined && cell.classList.contains("number") ? null : text;
}

function compared(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

/** Sort the rows of a table by a column; rows without a value come last either way. */
export function sortBy(table: HTMLTableElement, column: number, order: Order): void {
  const body = table.tBodies[0];
  if (!body) return;
  const sign = order === "ascending" ? 1 : -1;
  const keyed = [...body.rows].map((row) => ({ row, value: cellValue(row.cells[column]) }));
  keyed.sort(({ value: a }, { value: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compared(a, b);
  });
  body.append(...keyed.map(({ row }) => row));
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  heads.forEach((head, at) => {
    if (at === column) head.setAttribute("aria-sort", order);
    else head.removeAttribute("aria-sort");
  });
}

/** Give a head cell a button that sorts by its column; pressed again, it turns the order round. */
export function sortButton(
  table: HTMLTableElement,
  head: HTMLTableCellElement,
  first: Order,
  label: Node[],
  sorted: () => void = () => {},
): HTMLButtonElement {
  const other: Order = first === "ascending" ? "descending" : "ascending";
  return button(
    { class: "sort" },
    () => {
      sortBy(table, head.cellIndex, head.getAttribute("aria-sort") === first ? other : first);
      sorted();
    },
    ...label,
    element("span", { class: "arrow", "aria-hidden": "true" }),
  );
}

/** Make every column of a table sortable: numbers from the highest, words from A. */
export function sortable(table: HTMLTableElement): void {
  for (const head of [...(table.tHead?.rows[0]?.cells ?? [])]) {
    if (!head.textContent?.trim() || head.querySelector("button.sort")) continue;
    const isNumber = table.tBodies[0]?.rows[0]?.cells[head.cellIndex]?.classList.contains("number");
    const label = [...head.childNodes];
    const explained = head.querySelector("button.measure");
    const words = explained ? [...explained.childNodes] : label;
    head.replaceChildren(sortButton(table, head, isNumber ? "descending" : "ascending", words));
  }
}

/** Every table that the page marks as sortable. */
export function sortableTables(): void {
  for (const table of all<HTMLTableElement>("table.sortable, table#topics, table.topics")) sortable(table);
}

// Bars beside numbers, with whiskers for their intervals.

export interface Scale {
  low: number;
  high: number;
}

/** A scale that has room for all values, and for zero. */
export function scaleOf(values: (number | null)[]): Scale {
  const known = values.filter((value) => value !== null);
  const low = Math.min(0, ...known);
  const high = Math.max(0, ...known);
  return { low, high: high > low ? high : low + 1 };
}

/** The scale of a measure: its range if it has one, otherwise from zero to the largest value. */
export function measureScale({ lowest, highest }: ReportMeasure, cells: ReportCell[]): Scale {
  if (lowest !== null && highest !== null) return { low: Math.min(0, lowest), high: Math.max(0, highest) };
  return scaleOf(cells.flatMap((cell) => [cell.mean, cell.low, cell.high]));
}

/** A bar from zero to a value, with a whisker from low to high if they are known. */
export function bar(value: number, scale: Scale, colour: string, interval: [number, number] | null = null): SVGElement {
  const at = (each: number): number => ((each - scale.low) / (scale.high - scale.low)) * 100;
  const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
  const parts = [drawn("rect", { x: from, y: 0, width: to - from, height: 6, fill: colour })];
  if (interval) {
    const line = { class: "whisker", "vector-effect": "non-scaling-stroke" };
    const [low, high] = [at(interval[0]), at(interval[1])];
    parts.push(drawn("line", { ...line, x1: low, x2: high, y1: 3, y2: 3 }));
    for (const end of [low, high]) parts.push(drawn("line", { ...line, x1: end, x2: end, y1: 1, y2: 5 }));
  }
  const attributes = { class: "bar", viewBox: "-1 0 102 6", preserveAspectRatio: "none", "aria-hidden": "true" };
  return drawn("svg", attributes, ...parts);
}
