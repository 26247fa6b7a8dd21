// The first screen: each run by one measure, as a dot with its interval on the scale of the measure.

import { all, button, drawn, element, named, numberIn } from "../shared/dom";
import { item } from "../shared/lists";
import type { ReportCell, ReportMeasure } from "../shared/report-types";
import type { Page } from "./page";
import { explainer } from "./tables/explanations";
import { measureScale, type Scale } from "./tables/tables";

export function overview(page: Page): void {
  const table = document.querySelector<HTMLTableElement>("table#overview");
  if (!table) return;
  const rows = all<HTMLTableRowElement>("tbody tr[data-run]", table);
  table.append(element("tfoot", { "aria-hidden": "true" }, footer(table)));
  let shown = 0;
  const show = (measure: number): void => {
    shown = measure;
    page.address.changed();
    for (const each of buttons) each.setAttribute("aria-pressed", String(numberIn(each, "data-measure") === measure));
    draw(page, table, rows, measure);
  };
  const buttons = page.data.measures.map(({ label }, at) =>
    button({ "data-measure": String(at) }, () => show(at), named(label)),
  );
  const place = document.getElementById("measure-chooser");
  if (place && buttons.length > 1) {
    place.append(element("div", { role: "group", "aria-label": "Measure", class: "measures" }, "Measure:", ...buttons));
  }
  const follow = (): void => {
    for (const row of rows) row.hidden = !page.chosen.has(numberIn(row, "data-run"));
  };
  page.onChosen(follow);
  follow();
  show(0);
  page.address.keep("measure", {
    words: () => (shown ? [page.measure(shown).label] : null),
    show: (words) => {
      const at = page.data.measures.findIndex(({ label }) => label === words?.[0]);
      if (Math.max(at, 0) !== shown) show(Math.max(at, 0));
    },
  });
}

/** A row for the axis, with a cell below each column. */
function footer(table: HTMLTableElement): HTMLTableRowElement {
  const cells = [...(table.tHead?.rows[0]?.cells ?? [])];
  return element("tr", {}, ...cells.map((head) => element("td", { class: head.className })));
}

function draw(page: Page, table: HTMLTableElement, rows: HTMLTableRowElement[], at: number): void {
  const measure = page.measure(at);
  const cells = item(page.data.cells, at);
  const values = cells.flatMap((cell) => [cell.mean, cell.low, cell.high]);
  const scale = measureScale(measure, values);
  const tested = page.data.verdicts[at];
  const reference = tested?.reference ?? page.data.baseline;
  const line = rows.length > 1 ? (item(cells, reference).mean ?? null) : null;
  const sign = measure.higherIsBetter ? -1 : 1;
  const key = (row: HTMLTableRowElement): number => {
    const { mean } = item(cells, numberIn(row, "data-run"));
    return mean === null ? Infinity : sign * mean;
  };
  const order = [...rows].sort((a, b) => key(a) - key(b) || numberIn(a, "data-run") - numberIn(b, "data-run") || 0);
  table.tBodies[0]?.append(...order);
  const means = order.map((row) => item(cells, numberIn(row, "data-run")).mean);
  order.forEach((row, place) => {
    const run = numberIn(row, "data-run");
    const cell = item(cells, run);
    fill(row, ".rank", String(means.indexOf(item(means, place)) + 1));
    fill(row, ".mean", cell.mean === null ? "undefined" : cell.mean.toFixed(measure.digits));
    const verdict = tested?.verdicts[run] ?? (run === reference ? "reference" : "not tested");
    const isBaseline = page.data.hasBaseline;
    const best = cell.mean === null ? "" : "best";
    fill(row, ".compared", verdict === "reference" ? (isBaseline ? "baseline" : best) : verdict);
    row.dataset.verdict = verdict;
    row.querySelector(".dots")?.replaceChildren(dot(cell, scale, line, run === reference), words(cell, measure));
  });
  const title = element("span", { class: "measured" }, named(measure.label), `: ${measure.title}`, explainer(page, at));
  table.tHead?.querySelector(".measured")?.replaceWith(title);
  if (!page.data.hasBaseline) fill(table, ".against", page.run(reference).name);
  table.tFoot?.querySelector(".dots")?.replaceChildren(axis(scale));
}

function fill(within: Element, selector: string, text: string): void {
  const place = within.querySelector(selector);
  if (place) place.textContent = text;
}

/** The interval for those who do not see it. */
function words({ low, high }: ReportCell, { digits }: ReportMeasure): HTMLElement {
  const text = low === null || high === null ? "" : `${low.toFixed(digits)} to ${high.toFixed(digits)}`;
  return element("span", { class: "heard" }, text);
}

const percent = (value: number, { low, high }: Scale): string => `${((value - low) / (high - low)) * 100}%`;

/** The values at which the axis has lines: five at most. */
function ticks({ low, high }: Scale): number[] {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low));
}

function dot(cell: ReportCell, scale: Scale, reference: number | null, isReference: boolean): SVGElement {
  const upright = (value: number, name: string): SVGElement =>
    drawn("line", { class: name, x1: percent(value, scale), x2: percent(value, scale), y1: 0, y2: "100%" });
  const parts = ticks(scale).map((value) => upright(value, "tick"));
  if (reference !== null) parts.push(upright(reference, "reference"));
  if (cell.low !== null && cell.high !== null) {
    const [x1, x2] = [percent(cell.low, scale), percent(cell.high, scale)];
    parts.push(drawn("line", { class: "interval", x1, x2, y1: "50%", y2: "50%" }));
  }
  if (cell.mean !== null) {
    const name = isReference ? "mean is-reference" : "mean";
    parts.push(drawn("circle", { class: name, cx: percent(cell.mean, scale), cy: "50%", r: 5 }));
  }
  return drawn("svg", { "aria-hidden": "true" }, ...parts);
}

function axis(scale: Scale): SVGElement {
  const size = Math.max(Math.abs(scale.low), Math.abs(scale.high));
  const labels = ticks(scale).map((value) => {
    const label = drawn("text", { x: percent(value, scale), y: 12, "text-anchor": "middle" });
    label.textContent = size > 10 ? value.toFixed(0) : String(Number(value.toFixed(2)));
    return label;
  });
  return drawn("svg", {}, ...labels);
}
