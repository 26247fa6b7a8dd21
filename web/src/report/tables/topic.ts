// One topic: what was asked, the scores of the runs, and what they returned.

import { button, choice, element, named } from "../../shared/dom";
import { distinct, item, sum } from "../../shared/lists";
import type { UnitData } from "../../shared/report-types";
import { covered, merged } from "../../shared/spans";
import { capital, counted, score } from "../../shared/words";
import type { DocumentView } from "../data";
import { lazily } from "../lazy";
import type { Page } from "../page";
import { type Columns, dataButton } from "./csv";
import { explainer } from "./explanations";
import { bar, measureScale, sortButton } from "./tables";

export function topicView(page: Page): void {
  const place = document.getElementById("topic-view");
  if (!place || !page.data.topics.length) return;
  let topic = 0;
  const word = page.data.subject.topic;
  const body = element("div", { class: "topic" });
  const names = page.data.topics.map((_topic, at) => page.topicName(at));
  const chosen = choice(capital(word), names, 0, (at) => show(at));
  const step = (by: number): HTMLButtonElement =>
    button(
      { "aria-label": `${by > 0 ? "Next" : "Previous"} ${word}` },
      () => show((topic + by + names.length) % names.length),
      by > 0 ? "→" : "←",
    );
  const heading = element("h3", { tabindex: "-1" });
  const data = dataButton(
    page,
    `this ${word}`,
    () => `${word}-${page.topic(topic).id}`,
    () => columns(page, topic),
  );
  place.replaceChildren(element("div", { class: "tools" }, chosen.label, step(-1), step(1), data), heading, body);
  const show = (at: number): void => {
    topic = at;
    page.address.changed();
    chosen.select.value = String(at);
    const { id, title } = page.topic(at);
    heading.replaceChildren(`${capital(word)} `, named(id), ...(title ? [": ", named(title)] : []));
    body.replaceChildren(...question(page, at), scores(page, at), ...returned(page, at));
  };
  show(0);
  page.onChosen(lazily(place, () => show(topic)));
  page.onTopic((at) => {
    show(at);
    page.address.visit(place);
    heading.focus({ preventScroll: true });
  });
  page.address.keep("topic", {
    words: () => (topic ? [page.topic(topic).id] : null),
    show: (words) => {
      const at = page.data.topics.findIndex(({ id }) => id === words?.[0]);
      if (Math.max(at, 0) !== topic) show(Math.max(at, 0));
    },
  });
}

function question(page: Page, topic: number): Node[] {
  const { query, description } = page.topic(topic);
  const list = element("dl", { class: "asked" });
  if (description) list.append(element("dt", {}, "description"), element("dd", {}, description));
  if (query) list.append(element("dt", {}, "query"), element("dd", {}, element("code", {}, query)));
  return list.childElementCount ? [list] : [];
}

/** The chosen runs by all measures, best by the reference measure first. */
function scores(page: Page, topic: number): HTMLElement {
  const { runs, measures } = page.data;
  const first = item(measures, 0);
  const sign = first.higherIsBetter ? -1 : 1;
  const last = Infinity;
  const key = (run: number): number => {
    const value = item(item(page.data.scores, 0), run)[topic];
    return value === null || value === undefined ? last : sign * value;
  };
  const order = [...page.chosen].sort((a, b) => key(a) - key(b) || a - b);
  const table = element(
    "table",
    { class: "scores" },
    element("caption", {}, `Scores of the chosen ${page.data.subject.run}s`),
  );
  const head = element("tr", {}, element("th", { scope: "col" }, page.data.subject.run));
  table.append(element("thead", {}, head));
  measures.forEach((measure, at) => {
    const cell = element("th", { scope: "col", class: "number" });
    const best = measure.higherIsBetter ? "descending" : "ascending";
    const sort = sortButton(table, cell, best, [named(measure.label)]);
    cell.append(element("div", { class: "head" }, sort, explainer(page, at)));
    if (at === 0) cell.setAttribute("aria-sort", best);
    head.append(cell);
  });
  const scales = measures.map((measure, at) =>
    measureScale(
      measure,
      item(page.data.scores, at).map((values) => values[topic] ?? null),
    ),
  );
  const body = element("tbody", {});
  for (const run of order) {
    const row = element("tr", {}, element("th", { scope: "row" }, named(item(runs, run).name)));
    measures.forEach((_measure, at) => {
      const value = item(item(page.data.scores, at), run)[topic] ?? null;
      const cell = element("td", { class: "number", "data-value": String(value ?? "") }, score(value));
      if (value !== null) cell.append(bar(value, item(scales, at), item(runs, run).colour));
      row.append(cell);
    });
    body.append(row);
  }
  table.append(body);
  return scrolled(table, `Scores of this ${page.data.subject.topic}`);
}

/** A table in a box of its own that scrolls if it is wide. */
export function scrolled(table: HTMLTableElement, label: string): HTMLElement {
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

function columns(page: Page, topic: number): Columns {
  const { runs, measures } = page.data;
  return [
    ["topic", runs.map(() => page.topic(topic).id)],
    ["run", runs.map((run) => run.name)],
    ...measures.map(({ canonical }, at): Columns[number] => [
      canonical,
      item(page.data.scores, at).map((values) => values[topic] ?? null),
    ]),
  ];
}

// What runs returned in the documents that the report has.

/** How many characters of relevant text some results contain. */
export function relevantIn(view: DocumentView, units: UnitData[]): number {
  const relevant: [number, number][] = view.highlights.length
    ? view.highlights
    : view.grades.map(({ start, end }): [number, number] => [start, end]);
  const parts = merged(units.map(([start, end]): [number, number] => [start, end]));
  return sum(merged(relevant), (span) => covered(parts, span));
}

/** The results of a run in a document. */
export function unitsOf(view: DocumentView, run: number): UnitData[] {
  return view.results.find((result) => result.run === run)?.units ?? [];
}

/** The documents of a topic, and at which ranks each chosen run returned parts of them. */
export function returned(page: Page, topic: number): Node[] {
  const views = [...page.data.documents.entries()].filter(([, view]) => view.topic === topic);
  if (!views.length) return [];
  const runs = [...page.chosen]
    .filter((run) => views.some(([, view]) => view.results.some((result) => result.run === run)))
    .sort((a, b) => a - b);
  const head = element("tr", {}, element("th", { scope: "col" }, "document"));
  for (const run of runs) head.append(element("th", { scope: "col" }, named(page.run(run).name)));
  const table = element(
    "table",
    {},
    element("caption", {}, `What the ${page.data.subject.run}s returned in the documents shown below: ranks`),
    element("thead", {}, head),
    element("tbody", {}, ...views.map(([at, view]) => row(page, at, view, runs))),
  );
  return [scrolled(table, `What ${page.data.subject.run}s returned`)];
}

function row(page: Page, at: number, view: DocumentView, runs: number[]): HTMLElement {
  const open = button({ class: "link" }, () => page.openDocument(at, runs.slice(0, 1)), named(view.doc));
  const made = element("tr", {}, element("th", { scope: "row" }, open));
  for (const run of runs) made.append(element("td", {}, ranks(unitsOf(view, run))));
  return made;
}

function ranks(units: UnitData[]): string {
  if (!units.length) return "–";
  const all = distinct(units.map(([, , rank]) => rank));
  const more = all.length - 6;
  return all.slice(0, 6).join(", ") + (more > 0 ? ` and ${counted(more, "more result")}` : "");
}
