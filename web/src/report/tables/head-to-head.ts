// Two runs against each other: on which topics one is better, and whether that may be chance.

import { button, choice, element, named } from "../../shared/dom";
import { item, sum } from "../../shared/lists";
import { capital, counted, probability, score, signed } from "../../shared/words";
import { saveButtons } from "../figures/figures";
import { Plot } from "../figures/plots";
import { titled } from "../figures/specs";
import type { Page } from "../page";
import { type Columns, dataButton } from "./csv";
import { findable, sortable } from "./tables";
import { relevantIn, scrolled, unitsOf } from "./topic";

interface Chosen {
  measure: number;
  first: number;
  second: number;
}

export function headToHead(page: Page): void {
  const place = document.querySelector<HTMLElement>("div#head-to-head, div.head-to-head");
  const { runs, measures, baseline, hasBaseline } = page.data;
  if (!place || runs.length < 2) return;
  const others = hasBaseline && baseline === 0;
  const chosen: Chosen = { measure: 0, first: others ? 1 : 0, second: others ? 0 : baseline || 1 };
  const names = runs.map((run) => run.name);
  const set = (part: keyof Chosen) => (at: number) => {
    chosen[part] = at;
    changed();
  };
  const start = { ...chosen };
  const changed = (): void => {
    first.select.value = String(chosen.first);
    second.select.value = String(chosen.second);
    measure.select.value = String(chosen.measure);
    page.address.changed();
    show();
  };
  const first = choice(capital(page.data.subject.run), names, chosen.first, set("first"));
  const second = choice("against", names, chosen.second, set("second"));
  const measure = choice(
    "by",
    measures.map((each) => each.label),
    0,
    set("measure"),
  );
  const swap = button(
    { "aria-label": `Swap the ${page.data.subject.run}s` },
    () => {
      [chosen.first, chosen.second] = [chosen.second, chosen.first];
      changed();
    },
    "⇄",
  );
  const file = (): string => `${names[chosen.first]}-${names[chosen.second]}`;
  const data = dataButton(page, "this comparison", file, () => columns(page, chosen));
  const about = element("dl", { class: "asked" });
  const verdict = element("p", { class: "verdict", "aria-live": "polite" });
  const source = element("p", { class: "note" });
  const figure = element("div", {
    class: "plot",
    role: "img",
    "aria-label": `Differences by ${page.data.subject.topic}, sorted`,
  });
  const saves = element("div", { class: "saves" });
  const body = element("div", {});
  place.replaceChildren(
    element("div", { class: "tools" }, first.label, swap, second.label, measure.label),
    about,
    element(
      "div",
      { class: "figures" },
      element("figure", { class: "wide" }, saves, element("figcaption", {}, verdict, source), figure),
    ),
    body,
  );
  let plot: Plot | null = null;
  const show = (): void => {
    const differing = differences(page, chosen.measure, chosen.first, chosen.second);
    const shown = [item(names, chosen.first), item(names, chosen.second)];
    about.replaceChildren(...[chosen.first, chosen.second].flatMap((run) => described(page, run)));
    verdict.replaceChildren(...inWords(page, chosen, differing));
    source.replaceChildren(sourceOf(page, chosen));
    const spec = differenceSpec(page, chosen, differing, shown);
    const rows = () =>
      differing.map((each, at) => ({
        topic: page.topic(each.topic).id,
        title: page.topic(each.topic).title ?? "",
        place: at,
        from: at,
        to: at + 1,
        first: each.first,
        second: each.second,
        difference: each.difference,
      }));
    if (plot) plot.show(spec, rows);
    else {
      plot = new Plot(page, figure, spec, rows);
      saves.append(...saveButtons(plot, "this comparison", file), data);
    }
    body.replaceChildren(topics(page, differing, shown), ...documentsThatDiffer(page, chosen));
  };
  show();
  page.address.keep("pair", {
    words: () => {
      const isFirst = chosen.first === start.first && chosen.second === start.second && !chosen.measure;
      const { label } = page.measure(chosen.measure);
      return isFirst ? null : [page.run(chosen.first).full, page.run(chosen.second).full, label];
    },
    show: (words) => {
      const [left, right] = [page.runCalled(words?.[0]), page.runCalled(words?.[1])];
      const by = measures.findIndex(({ label }) => label === words?.[2]);
      const wanted = left < 0 || right < 0 ? start : { first: left, second: right, measure: Math.max(by, 0) };
      const isShown =
        wanted.first === chosen.first && wanted.second === chosen.second && wanted.measure === chosen.measure;
      Object.assign(chosen, wanted);
      if (!isShown) changed();
    },
  });
}

/** What a run is, if the page knows. */
function described(page: Page, at: number): Node[] {
  const { name, what } = page.run(at);
  return what ? [element("dt", {}, named(name)), element("dd", {}, what)] : [];
}

/** What the figure shows, in a sentence. */
function sourceOf(page: Page, { measure, first, second }: Chosen): string {
  const { label, higherIsBetter } = page.measure(measure);
  const [left, right] = [page.run(first).name, page.run(second).name];
  const lower = higherIsBetter ? "" : " (lower is better)";
  return `${label} of each ${page.data.subject.topic}, ${left} minus ${right}${lower}, the largest gain first.`;
}

/** On how many topics the first run is better and worse, by a measure. */
function winsAndLosses(page: Page, measure: number, differing: Difference[]): [number, number] {
  const sign = page.measure(measure).higherIsBetter ? 1 : -1;
  const count = (side: number): number => differing.filter((each) => side * sign * each.difference > 0).length;
  return [count(1), count(-1)];
}

function meanOf(differing: Difference[]): number {
  return sum(differing, (each) => each.difference) / differing.length;
}

/** Wins, ties and losses, the mean difference, and whether it is significant. */
function inWords(page: Page, chosen: Chosen, differing: Difference[]): Node[] {
  const [left, right] = [page.run(chosen.first).name, page.run(chosen.second).name];
  if (!differing.length)
    return [
      named(left),
      document.createTextNode(" and "),
      named(right),
      document.createTextNode(` have no ${page.data.subject.topic}s in common.`),
    ];
  const [wins, losses] = winsAndLosses(page, chosen.measure, differing);
  const tally = element(
    "span",
    { class: "tally" },
    element("span", { class: "win" }, `better on ${wins}`),
    element("span", { class: "tie" }, `equal on ${differing.length - wins - losses}`),
    element("span", { class: "loss" }, `worse on ${losses}`),
  );
  const words = ` on average over ${counted(differing.length, page.data.subject.topic)}${tested(page, chosen)}.`;
  return [tally, element("strong", {}, signed(meanOf(differing))), document.createTextNode(words)];
}

function tested(page: Page, { measure, first, second }: Chosen): string {
  const comparison = page.data.comparisons.find((each) => each.measure === measure);
  const pair = comparison?.pairs.find(([a, b]) => (a === first && b === second) || (a === second && b === first));
  const corrected = pair?.[4];
  if (!comparison || corrected === null || corrected === undefined) return first === second ? "" : "; not tested";
  const verdict = corrected < comparison.alpha ? "significant" : "not significant";
  return `: ${verdict} (${comparison.test}, ${probability(corrected)} after Holm’s correction, α = ${comparison.alpha})`;
}

function topics(page: Page, differing: Difference[], names: string[]): HTMLElement {
  const words = [page.data.subject.topic, ...(hasTitles(page) ? ["title"] : [])];
  const head = [...words, ...names, "difference"].map((name, at) =>
    element("th", { scope: "col", class: at < words.length ? "" : "number" }, named(name)),
  );
  const table = element(
    "table",
    {},
    element(
      "caption",
      {},
      `${capital(page.data.subject.topic)}s, the largest gain of the first ${page.data.subject.run} on top`,
    ),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...differing.map((each) => row(page, each))),
  );
  sortable(table);
  const box = scrolled(table, `Both ${page.data.subject.run}s by ${page.data.subject.topic}`);
  box.classList.add("tall");
  const whole = element("div", {}, box);
  findable(table);
  return whole;
}

function hasTitles(page: Page): boolean {
  return page.data.topics.some((topic) => topic.title);
}

function row(page: Page, { topic, first, second, difference }: Difference): HTMLElement {
  const { id, title } = page.topic(topic);
  const open = element("button", { type: "button", class: "topic link", "data-topic": String(topic) }, named(id));
  const cell = (value: number, text: string): HTMLElement =>
    element("td", { class: "number", "data-value": String(value) }, text);
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, open),
    hasTitles(page) ? element("td", { class: "title" }, named(title ?? "")) : null,
    cell(first, score(first)),
    cell(second, score(second)),
    cell(difference, signed(difference)),
  );
}

/** The documents in which one run returned much more of the relevant text than the other. */
function documentsThatDiffer(page: Page, { first, second }: Chosen): Node[] {
  const differing = page.data.documents
    .map((view, at) => ({
      at,
      view,
      difference: relevantIn(view, unitsOf(view, first)) - relevantIn(view, unitsOf(view, second)),
    }))
    .filter((each) => each.difference !== 0)
    .sort((left, right) => Math.abs(right.difference) - Math.abs(left.difference))
    .slice(0, 5);
  if (!differing.length) return [];
  const items = differing.map(({ at, view, difference }) =>
    element(
      "li",
      {},
      button({ class: "link" }, () => page.openDocument(at, [first, second]), named(view.doc)),
      ` (${page.data.subject.topic} ${page.topicName(view.topic)}): `,
      named(page.run(difference > 0 ? first : second).name),
      ` returns ${counted(Math.abs(difference), "more relevant character")}`,
    ),
  );
  return [element("h3", {}, "Documents where they differ most"), element("ul", {}, ...items)];
}

function columns(page: Page, { measure, first, second }: Chosen): Columns {
  const differing = differences(page, measure, first, second);
  const topic = differing.map((each) => page.topic(each.topic));
  return [
    ["topic", topic.map((each) => each.id)],
    ["title", topic.map((each) => each.title ?? "")],
    ["measure", differing.map(() => page.measure(measure).canonical)],
    ["first", differing.map(() => page.run(first).full)],
    ["second", differing.map(() => page.run(second).full)],
    ["first_score", differing.map((each) => each.first)],
    ["second_score", differing.map((each) => each.second)],
    ["difference", differing.map((each) => each.difference)],
  ];
}

// The differences of two runs, topic by topic.

/** With more topics than these, the axis counts them and can be zoomed. */
const MANY = 120;
/** The width of the figure where it is saved. */
const WIDTH = 700;

export interface Difference {
  topic: number;
  first: number;
  second: number;
  difference: number;
}

/** The topics for which both runs have scores, the first run's greatest gain first. */
export function differences(page: Page, measure: number, first: number, second: number): Difference[] {
  const [left, right] = [item(item(page.data.scores, measure), first), item(item(page.data.scores, measure), second)];
  const differing = page.data.topics.flatMap((_topic, topic): Difference[] => {
    const [a, b] = [left[topic] ?? null, right[topic] ?? null];
    return a === null || b === null ? [] : [{ topic, first: a, second: b, difference: a - b }];
  });
  const sign = page.measure(measure).higherIsBetter ? 1 : -1;
  return differing.sort((x, y) => sign * (y.difference - x.difference) || x.topic - y.topic);
}

/** What the figure states where it is saved. */
function findingOf(page: Page, chosen: Chosen, differing: Difference[], [left, right]: string[]): string {
  const { topic } = page.data.subject;
  if (!differing.length) return `${left} and ${right} have no ${topic}s in common`;
  const [wins, losses] = winsAndLosses(page, chosen.measure, differing);
  const better = `${left} is better than ${right} on ${wins} of ${counted(differing.length, topic)}`;
  const mean = `${signed(meanOf(differing))} on average${tested(page, chosen)}`;
  return `${better}${losses ? ` and worse on ${losses}` : ""}; ${mean}`;
}

/** Where the axis of differences ends: at zero, or at the largest on either side. */
function endsOf(differing: Difference[]): [number, number] {
  const values = differing.map((each) => each.difference);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  return low < high ? [low, high] : [-1, 1];
}

/** With more topics than these, their ids are not written. */
const MANY_IDS = 60;
/** About how much room a letter of an id needs, in pixels. */
const LETTER = 10;

/** The ids of topics: upright where they have no room side by side, and none where they have none at all. */
function idAxis(page: Page, differing: Difference[]): Record<string, unknown> {
  const longest = Math.max(0, ...differing.map((each) => page.topic(each.topic).id.length));
  const upright = `bandwidth('x') < ${LETTER * Math.min(longest, LETTER)}`;
  return {
    title: `${page.data.subject.topic}s`,
    labelAngle: { expr: `${upright} ? -90 : 0` },
    labelAlign: { expr: `${upright} ? 'right' : 'center'` },
    labelBaseline: { expr: `${upright} ? 'middle' : 'top'` },
    labelLimit: 70,
    grid: false,
    ...(differing.length > MANY_IDS ? { labels: false, ticks: false } : {}),
  };
}

/** A bar for each topic, sorted; the sign decides the colour. */
function differenceSpec(page: Page, chosen: Chosen, differing: Difference[], names: string[]): Record<string, unknown> {
  const { label, higherIsBetter } = page.measure(chosen.measure);
  const { topic } = page.data.subject;
  const topics = differing.length;
  const shown = (field: string, title: string, format = ""): Record<string, unknown> => ({
    field,
    title,
    type: format ? "quantitative" : "nominal",
    ...(format ? { format } : {}),
  });
  const order = { field: "from", type: "quantitative", title: `${topic}s, sorted; scroll and drag to zoom` };
  const zoom = { name: "zoom", select: { type: "interval", encodings: ["x"] }, bind: "scales" };
  return {
    title: titled(findingOf(page, chosen, differing, names), sourceOf(page, chosen), WIDTH),
    width: WIDTH,
    height: 220,
    params: topics > MANY ? [zoom] : [],
    mark: { type: topics > MANY ? "rect" : "bar", cursor: "pointer", clip: true },
    encoding: {
      x:
        topics > MANY
          ? { ...order, scale: { domain: [0, topics], nice: false }, axis: { grid: false, tickMinStep: 1 } }
          : {
              field: "topic",
              type: "nominal",
              sort: { field: "place" },
              axis: idAxis(page, differing),
            },
      ...(topics > MANY ? { x2: { field: "to" }, y2: { datum: 0 } } : {}),
      y: {
        field: "difference",
        type: "quantitative",
        title: `difference in ${label}`,
        scale: { domain: endsOf(differing) },
      },
      color: {
        condition: { test: `datum.difference ${higherIsBetter ? ">" : "<"} 0`, value: "#3b76b8" },
        value: "#e0812a",
      },
      tooltip: [
        shown("topic", topic),
        shown("title", "title"),
        shown("first", item(names, 0), ".4f"),
        shown("second", item(names, 1), ".4f"),
        shown("difference", "difference", "+.4f"),
      ],
    },
  };
}
