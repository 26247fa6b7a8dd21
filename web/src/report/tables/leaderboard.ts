// The leaderboard: sorted by any measure, with bars, and only the chosen runs.

import { all, button, element, named, numberIn } from "../../shared/dom";
import { item } from "../../shared/lists";
import type { Page } from "../page";
import { type Columns, dataButton } from "./csv";
import { explainer } from "./explanations";
import { bar, keepSorted, measureScale, sortButton } from "./tables";

export function leaderboard(page: Page): void {
  const table = document.querySelector<HTMLTableElement>("table#leaderboard, table.leaderboard");
  if (!table) return;
  const rows = all<HTMLTableRowElement>("tbody tr[data-run]", table);
  heads(page, table);
  for (const row of rows) bars(page, table, row);
  const tools = element("div", { class: "tools" });
  (table.closest(".scroll") ?? table).after(tools);
  const refresh = follow(page, table, rows, tools);
  tools.append(
    dataButton(
      page,
      "the leaderboard",
      () => "leaderboard",
      () => columns(page),
    ),
  );
  page.onChosen(refresh);
  refresh();
  keepSorted(page, table, "sort", () => renumber(page, table));
}

/** Names of measures sort; a question mark beside each explains it. */
function heads(page: Page, table: HTMLTableElement): void {
  for (const head of all<HTMLTableCellElement>("thead th[data-measure]", table)) {
    const at = numberIn(head, "data-measure");
    const measure = page.data.measures[at];
    if (!measure) continue;
    const given = head.querySelector("button.measure");
    const label = given ? [...given.childNodes] : [document.createTextNode(measure.label)];
    const first = measure.higherIsBetter ? "descending" : "ascending";
    const sort = sortButton(table, head, first, label, () => renumber(page, table));
    const both = element("div", { class: "head" }, sort, explainer(page, at));
    if (given) given.replaceWith(both);
    else head.prepend(both);
    if (at === 0) head.setAttribute("aria-sort", first);
  }
}

/** Count the rows, and name what they are sorted by; rows with the same mean share a number. */
function renumber(page: Page, table: HTMLTableElement): void {
  const head = table.querySelector<HTMLTableCellElement>("th[aria-sort]");
  const measure = head ? page.measure(numberIn(head, "data-measure")) : null;
  if (!head || !measure) return;
  const rows = all<HTMLTableRowElement>("tbody tr", table);
  const values = rows.map((row) => row.cells[head.cellIndex]?.dataset.value);
  rows.forEach((row, at) => {
    const cell = row.querySelector(".rank");
    if (cell) cell.textContent = String(values.indexOf(values[at]) + 1);
  });
  table.caption?.querySelector(".sorted-by")?.replaceChildren(named(measure.label));
}

function bars(page: Page, table: HTMLTableElement, row: HTMLTableRowElement): void {
  const run = page.data.runs[numberIn(row, "data-run")];
  for (const head of all<HTMLTableCellElement>("thead th[data-measure]", table)) {
    const cells = page.data.cells[numberIn(head, "data-measure")];
    const cell = cells?.[numberIn(row, "data-run")];
    const place = row.cells[head.cellIndex];
    if (!run || !cells || !cell || cell.mean === null || !place) continue;
    const values = cells.flatMap((each) => [each.mean, each.low, each.high]);
    const scale = measureScale(page.measure(numberIn(head, "data-measure")), values);
    const interval: [number, number] | null = cell.low !== null && cell.high !== null ? [cell.low, cell.high] : null;
    place.append(bar(cell.mean, scale, run.colour, interval));
  }
}

/** Hide the rows of other runs, unless all are wanted; the function that does so. */
function follow(page: Page, table: HTMLTableElement, rows: HTMLTableRowElement[], tools: HTMLElement): () => void {
  let showsAll = false;
  const more = button({ class: "more" }, () => {
    showsAll = !showsAll;
    refresh();
  });
  tools.append(more);
  const refresh = (): void => {
    for (const row of rows) {
      const isChosen = page.chosen.has(numberIn(row, "data-run"));
      row.hidden = !isChosen && !showsAll;
      row.classList.toggle("unchosen", !isChosen);
    }
    const others = rows.length - page.chosen.size;
    more.hidden = others === 0;
    const runs = `${page.data.subject.run}${others === 1 ? " that is" : "s that are"}`;
    more.textContent = `${showsAll ? "hide" : "show"} ${others} ${runs} not chosen`;
    table.classList.toggle("is-empty", !showsAll && page.chosen.size === 0);
  };
  return refresh;
}

function columns(page: Page): Columns {
  const { runs, measures, cells, subject } = page.data;
  const result: Columns = [["run", runs.map((run) => run.name)]];
  measures.forEach(({ canonical }, at) => {
    result.push(
      [canonical, item(cells, at).map((cell) => cell.mean)],
      [`${canonical} low`, item(cells, at).map((cell) => cell.low)],
      [`${canonical} high`, item(cells, at).map((cell) => cell.high)],
      [`${canonical} ${subject.topic}s`, item(cells, at).map((cell) => cell.topics)],
    );
  });
  return result;
}
