// The outline of a document: its elements, how much of each is highlighted, and its grade.

import { button, element, named } from "../../shared/dom";
import { item } from "../../shared/lists";
import type { OutcomeData, ReportRun } from "../../shared/report-types";
import { percent } from "../../shared/words";
import type { DocumentView } from "../data";
import type { DocumentPositions, Spanned } from "./positions";

/** The outline; a click on an element opens its text. */
export function outlineOf(places: DocumentPositions, cut: number, open: (place: Spanned) => void): HTMLDetailsElement {
  const grades = new Map(places.grades.map((grade) => [grade.path, grade.label]));
  const top = Math.min(...places.outline.map((row) => row.depth));
  const rows = places.outline.map((row) => {
    const grade = grades.get(row.path);
    const share = row.share === null ? null : percent(row.share);
    const heat = element("span", { class: "dv-heat" }, grade ?? share ?? "");
    if (!row.share && !grade) heat.classList.add("dv-cold");
    heat.style.setProperty("--share", String(row.share ?? 0));
    const step = row.path.slice(row.path.lastIndexOf("/") + 1);
    const title = `${row.path}${share === null ? "" : `: ${share} highlighted`}${grade ? `, graded ${grade}` : ""}`;
    const item = button(
      { class: "dv-row", title: title },
      () => open(row),
      heat,
      element("code", {}, step),
      element("span", { class: "dv-begins-with" }, row.begins),
    );
    item.style.setProperty("--depth", String(Math.min(row.depth - top, 7)));
    return element("li", {}, item);
  });
  const list = element("ol", { class: "dv-rows" }, ...rows);
  const more = cut
    ? element(
        "p",
        { class: "dv-note" },
        `${cut.toLocaleString("en")} more ${cut === 1 ? "element is" : "elements are"} not listed.`,
      )
    : null;
  return element("details", { class: "dv-outline" }, element("summary", {}, "Outline"), list, more);
}

// What became of each relevant unit: hit, near or missed, as the measures count it.

const SIGNS = { hit: "●", near: "◐", miss: "○" };

/** A table of the relevant units; null if nobody asked about navigation. */
export function outcomesOf(
  view: DocumentView,
  places: DocumentPositions,
  runs: ReportRun[],
  shown: number[],
  open: (place: Spanned) => void,
): HTMLElement | null {
  if (!view.outcomes?.length) return null;
  const head = shown.map((run) => element("th", { scope: "col" }, named(item(runs, run).name)));
  const hasShares = view.outcomes.some((unit) => unit.share !== null);
  const rows = view.outcomes.map((unit) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row" },
        button({ class: "dv-unit" }, () => open(places.range(unit.unit)), element("code", {}, unit.label)),
      ),
      hasShares ? element("td", { class: "number" }, unit.share === null ? "–" : percent(unit.share)) : null,
      ...shown.map((run) => cell(unit.byRun[run] ?? ["miss"])),
    ),
  );
  const table = element(
    "table",
    { class: "dv-outcomes" },
    element("caption", {}, "Relevant units, and what becomes of them"),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "relevant unit"),
        hasShares ? element("th", { scope: "col", class: "number" }, "highlighted") : null,
        ...head,
      ),
    ),
    element("tbody", {}, ...rows),
  );
  const more = view.outcomesCut ? ` ${view.outcomesCut} more units are not listed.` : "";
  return element(
    "div",
    {},
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Relevant units" }, table),
    element(
      "p",
      { class: "dv-note" },
      "Hits, near-misses and misses are counted over all results, as the measures count them. A unit that is " +
        "not hit is near if readers may reach it from a result by the model of navigation ",
      element("strong", {}, view.navigation ?? ""),
      `; the probability and the first rank from which they may are given.${more}`,
    ),
  );
}

function cell(outcome: OutcomeData): HTMLElement {
  return element(
    "td",
    { class: `dv-${outcome[0]}` },
    element("span", { "aria-hidden": "true" }, SIGNS[outcome[0]]),
    ` ${inWords(outcome)}`,
  );
}

function inWords(outcome: OutcomeData): string {
  if (outcome[0] === "hit") return `hit at ${outcome[1]}`;
  if (outcome[0] === "near") return `near, ${percent(outcome[2])} from ${outcome[1]}`;
  return "missed";
}
