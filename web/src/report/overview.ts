// The first screen: each run by one measure, as a dot with its interval on the scale of the measure.

import { all, button, drawn, element, named, numberIn } from "../shared/dom";
import { item } from "../shared/lists";
import type { ReportCell, ReportMeasure } from "../shared/report-types";
import { counted } from "../shared/words";
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
  const note = element("p", { class: "note", role: "status" });
  table.closest(".scroll")?.after(note);
  const follow = (): void => {
    for (const row of rows) row.hidden = !page.chosen.has(numberIn(row, "data-run"));
    const others = rows.length - page.chosen.size;
    const { run } = page.data.subject;
    note.textContent = others ? `${counted(others, run)} not chosen ${others === 1 ? "is" : "are"} not shown.` : "";
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
  const scale = rounded(measureScale(measure, values));
  const tested = page.data.verdicts[at];
  const reference = tested?.reference ?? page.data.baseline;
  const isBaseline = page.data.hasBaseline;
  const isTie = rows.length > 1 && cells.every(({ mean }) => mean === cells[0]?.mean);
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
    const best = cell.mean === null ? "" : "best";
    const is = verdict === "reference" ? (isBaseline ? "baseline" : best) : verdict;
    fill(row, ".compared", isTie && is !== "baseline" && cell.mean !== null ? "same mean" : is);
    row.dataset.verdict = verdict;
    const marks = dot(cell, scale, line, isBaseline, run === reference);
    row.querySelector(".dots")?.replaceChildren(marks, words(cell, measure));
  });
  const title = element("span", { class: "measured" }, named(measure.label), `: ${measure.title}`, explainer(page, at));
  table.tHead?.querySelector(".measured")?.replaceWith(title);
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

/** The distance of the lines of an axis: the smallest round number of which four cover the scale. */
function step({ low, high }: Scale): number {
  const least = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 2.5, 5].find((each) => each * power >= least * (1 - 1e-9)) ?? 10);
}

/** A scale that ends at lines of its axis. */
function rounded(scale: Scale): Scale {
  const size = step(scale);
  return { low: Math.floor(scale.low / size) * size, high: Math.ceil(scale.high / size - 1e-9) * size };
}

/** The values at which the axis has lines. */
function ticks(scale: Scale): number[] {
  const size = step(scale);
  const count = Math.round((scale.high - scale.low) / size);
  return Array.from({ length: count + 1 }, (_, at) => scale.low + at * size);
}

function dot(
  cell: ReportCell,
  scale: Scale,
  reference: number | null,
  isBaseline: boolean,
  isReference: boolean,
): SVGElement {
  const upright = (value: number, name: string): SVGElement =>
    drawn("line", { class: name, x1: percent(value, scale), x2: percent(value, scale), y1: 0, y2: "100%" });
  const parts = ticks(scale).map((value) => upright(value, "tick"));
  if (reference !== null) parts.push(upright(reference, isBaseline ? "reference" : "reference of-best"));
  if (cell.low !== null && cell.high !== null) {
    const [x1, x2] = [percent(cell.low, scale), percent(cell.high, scale)];
    parts.push(drawn("line", { class: "interval", x1, x2, y1: "50%", y2: "50%" }));
  }
  if (cell.mean !== null) {
    const name = isBaseline && isReference ? "mean is-baseline" : "mean";
    parts.push(drawn("circle", { class: name, cx: percent(cell.mean, scale), cy: "50%", r: 5 }));
  }
  return drawn("svg", { "aria-hidden": "true" }, ...parts);
}

function axis(scale: Scale): SVGElement {
  const labels = ticks(scale).map((value) => {
    const label = drawn("text", { x: percent(value, scale), y: 12, "text-anchor": "middle" });
    label.textContent = String(Number(value.toPrecision(3)));
    return label;
  });
  return drawn("svg", {}, ...labels);
}
