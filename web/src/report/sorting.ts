// Sorting tables by their columns.

import { all, button, element } from "../shared/dom";

export type Order = "ascending" | "descending";

/** The value of a cell: a number where there is one, otherwise its text; null if it has none. */
function valueOf(cell: HTMLTableCellElement | undefined): number | string | null {
  if (!cell) return null;
  const given = cell.dataset["value"];
  const text = (given ?? cell.textContent ?? "").trim();
  if (text === "") return null;
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  return given === undefined && cell.classList.contains("number") ? null : text;
}

function compared(one: number | string, two: number | string): number {
  if (typeof one === "number" && typeof two === "number") return one - two;
  return String(one).localeCompare(String(two), undefined, { numeric: true });
}

/** Sort the rows of a table by a column; rows without a value come last either way. */
export function sortBy(table: HTMLTableElement, column: number, order: Order): void {
  const body = table.tBodies[0];
  if (!body) return;
  const sign = order === "ascending" ? 1 : -1;
  const keyed = [...body.rows].map((row) => ({ row, value: valueOf(row.cells[column]) }));
  keyed.sort(({ value: one }, { value: two }) => {
    if (one === null || two === null) return Number(one === null) - Number(two === null);
    return sign * compared(one, two);
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
