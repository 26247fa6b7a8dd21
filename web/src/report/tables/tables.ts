// Tables with rows or columns for runs: only the chosen ones are shown.

import { all, button, drawn, element, numberIn } from "../../shared/dom";
import { item } from "../../shared/lists";
import type { ReportMeasure } from "../../shared/report-types";
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
  table.dispatchEvent(new Event("sorted"));
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

/** What a column is called in the address. */
function columnName(page: Page, head: HTMLTableCellElement): string {
  const run = head.dataset.run;
  const measure = head.dataset.measure;
  if (run !== undefined) return page.run(Number(run)).full;
  if (measure !== undefined) return page.measure(Number(measure)).label;
  return head.textContent?.trim() ?? "";
}

/** Keep the order of a table in the address; `sorted` is told when it changes by that. */
export function keepSorted(page: Page, table: HTMLTableElement, name: string, sorted: () => void = () => {}): void {
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  const heads = (): HTMLTableCellElement[] => [...(table.tHead?.rows[0]?.cells ?? [])];
  const names = heads().map((head) => columnName(page, head));
  const present = (): [number, Order] | null => {
    const column = heads().findIndex((head) => head.hasAttribute("aria-sort"));
    return column < 0 ? null : [column, heads()[column]?.getAttribute("aria-sort") as Order];
  };
  const first = present();
  table.addEventListener("sorted", () => page.address.changed());
  page.address.keep(name, {
    words: () => {
      const now = present();
      return now === null || now.join() === first?.join() ? null : [names[now[0]] ?? "", now[1]];
    },
    show: (words) => {
      const column = names.indexOf(words?.[0] ?? "");
      const order: Order = words?.[1] === "ascending" ? "ascending" : "descending";
      const wanted = column < 0 ? first : ([column, order] as const);
      if (present()?.join() === wanted?.join()) return;
      if (wanted) sortBy(table, ...wanted);
      if (column < 0) table.tBodies[0]?.append(...rows);
      if (!wanted) for (const head of heads()) head.removeAttribute("aria-sort");
      sorted();
    },
  });
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
export function sortableTables(page: Page): void {
  for (const table of all<HTMLTableElement>("table.sortable, table#topics, table.topics")) {
    if (table.matches("main *")) keepSorted(page, table, `sort-${table.id || "topics"}`);
    sortable(table);
    findable(table);
  }
}

/** With more rows than these, a table has a field to find some. */
const MANY_ROWS = 12;

/** A field above a long table that leaves only the rows that have some text. */
export function findable(table: HTMLTableElement): void {
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  if (rows.length <= MANY_ROWS) return;
  const what = `${table.tHead?.rows[0]?.cells[0]?.textContent?.trim() ?? "row"}s`;
  const input = element("input", { type: "search", placeholder: `find ${what}`, "aria-label": `Find ${what}` });
  const count = element("span", { class: "count", role: "status" });
  let texts: string[] | null = null;
  input.addEventListener("input", () => {
    texts ??= rows.map(
      (row) => (row.querySelector("th")?.textContent ?? "") + (row.querySelector(".title")?.textContent ?? ""),
    );
    const sought = input.value.trim().toLowerCase();
    const matches = texts.map((text) => text.toLowerCase().includes(sought));
    rows.forEach((row, at) => row.classList.toggle("unmatched", !matches[at]));
    count.textContent = sought ? `${matches.filter(Boolean).length} of ${rows.length}` : "";
  });
  const place = table.closest(".scroll") ?? table;
  place.before(element("div", { class: "tools find" }, input, count));
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
export function measureScale({ lowest, highest }: ReportMeasure, values: (number | null)[]): Scale {
  if (lowest !== null && highest !== null) return { low: Math.min(0, lowest), high: Math.max(0, highest) };
  return scaleOf(values);
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
