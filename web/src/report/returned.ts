// What runs returned in the documents that the report has.

import type { DocumentView, Unit } from "./document-data";
import { button, element, named } from "../shared/dom";
import { counted } from "./numbers";
import type { Page } from "./page";
import { scrolled } from "./topic";

/** How many characters of relevant text some results contain. */
export function relevantIn(view: DocumentView, units: Unit[]): number {
  const relevant: [number, number][] = view.highlights.length
    ? view.highlights
    : view.grades.map(({ start, end }): [number, number] => [start, end]);
  const parts = merged(units.map(([start, end]): [number, number] => [start, end]));
  let sum = 0;
  for (const [from, to] of merged(relevant))
    for (const [start, end] of parts) sum += Math.max(0, Math.min(to, end) - Math.max(from, start));
  return sum;
}

function merged(ranges: [number, number][]): [number, number][] {
  const found: [number, number][] = [];
  for (const [start, end] of [...ranges].sort((one, two) => one[0] - two[0])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** The results of a run in a document. */
export function unitsOf(view: DocumentView, run: number): Unit[] {
  return view.results.find((result) => result.run === run)?.units ?? [];
}

/** The documents of a topic, and at which ranks each chosen run returned parts of them. */
export function returned(page: Page, topic: number): Node[] {
  const views = [...page.data.documents.entries()].filter(([, view]) => view.topic === topic);
  if (!views.length) return [];
  const runs = [...page.chosen]
    .filter((run) => views.some(([, view]) => view.results.some((result) => result.run === run)))
    .sort((one, two) => one - two);
  const head = element("tr", {}, element("th", { scope: "col" }, "document"));
  for (const run of runs) head.append(element("th", { scope: "col" }, named(page.data.runs[run]!.name)));
  const table = element(
    "table",
    {},
    element("caption", {}, "What the runs returned in the documents shown below: ranks"),
    element("thead", {}, head),
    element("tbody", {}, ...views.map(([at, view]) => row(page, at, view, runs))),
  );
  return [scrolled(table, "What runs returned")];
}

function row(page: Page, at: number, view: DocumentView, runs: number[]): HTMLElement {
  const open = button({ class: "link" }, () => page.openDocument(at, runs.slice(0, 1)), named(view.doc));
  const made = element("tr", {}, element("th", { scope: "row" }, open));
  for (const run of runs) made.append(element("td", {}, ranks(unitsOf(view, run))));
  return made;
}

function ranks(units: Unit[]): string {
  if (!units.length) return "–";
  const found = [...new Set(units.map(([, , rank]) => rank))].sort((one, two) => one - two);
  const more = found.length - 6;
  return found.slice(0, 6).join(", ") + (more > 0 ? ` and ${counted(more, "more result")}` : "");
}
