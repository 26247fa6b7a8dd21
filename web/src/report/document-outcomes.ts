// What became of each relevant unit: hit, near or missed, as the measures count it.

import type { DocumentView, Outcome } from "./document-data";
import { percent } from "./document-outline";
import type { Placed, Places } from "./document-places";
import { button, element, named } from "../shared/dom";
import type { Run } from "./data";

const SIGNS = { hit: "●", near: "◐", miss: "○" };

/** A table of the relevant units; null if nobody asked about navigation. */
export function outcomesOf(
  view: DocumentView,
  places: Places,
  runs: Run[],
  shown: number[],
  open: (place: Placed) => void,
): HTMLElement | null {
  if (!view.outcomes?.length) return null;
  const head = shown.map((run) => element("th", { scope: "col" }, named(runs[run]!.name)));
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

function cell(outcome: Outcome): HTMLElement {
  return element(
    "td",
    { class: `dv-${outcome[0]}` },
    element("span", { "aria-hidden": "true" }, SIGNS[outcome[0]]),
    ` ${inWords(outcome)}`,
  );
}

function inWords(outcome: Outcome): string {
  if (outcome[0] === "hit") return `hit at ${outcome[1]}`;
  if (outcome[0] === "near") return `near, ${percent(outcome[2])} from ${outcome[1]}`;
  return "missed";
}
