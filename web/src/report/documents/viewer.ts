// Documents: what was asked, what is relevant, and what one run or two return.

import { button, choice, element, named } from "../../shared/dom";
import { distinct, item } from "../../shared/lists";
import type { ReportSubject, RunResultsData, UnitData } from "../../shared/report-types";
import { capital, percent } from "../../shared/words";
import type { DocumentView, ReportData } from "../data";
import { lazily } from "../lazy";
import type { Page } from "../page";
import { relevantIn } from "../tables/topic";
import { outcomesOf, outlineOf } from "./outline";
import { Pane } from "./pane";
import { type DocumentPositions, positionsIn, type Spanned } from "./positions";

/** Fill the page's place for documents when it is seen, and open what other parts ask for. */
export function documents(page: Page): void {
  const root = document.getElementById("document-view");
  if (!root || !page.data.documents.length) return;
  let made: Viewer | null = null;
  const viewer = () => {
    made ??= new Viewer(root, page);
    return made;
  };
  lazily(root, viewer);
  page.onDocument((number, runs) => {
    viewer().show(number, runs);
    page.address.visit(root);
  });
  page.address.keep("document", {
    words: () => made?.words() ?? null,
    show: (words) => {
      const at = page.data.documents.findIndex(
        ({ topic, doc }) => page.topic(topic).id === words?.[0] && doc === words?.[1],
      );
      const runs = (words ?? []).slice(2).map((name) => page.runCalled(name));
      if (at >= 0 && runs.every((run) => run >= 0)) viewer().show(at, runs);
      else if (made?.words()) made.reset();
    },
  });
}

class Viewer {
  #number = 0;
  /** The document that is shown at first: one of which something relevant is shown. */
  #first = 0;
  /** The run at the left, and the one at the right if there are two. */
  #runs: [number] | [number, number] = [0];
  #isChosen = false;
  /** How many results of each list are drawn. */
  #k = Infinity;
  /** The budget until which results are read, by its number; -1 if there is none. */
  #budget = -1;
  #view!: DocumentView;
  #places!: DocumentPositions;
  #panes: Pane[] = [];
  #active = 0;
  #highlight = -1;
  #ranks: number[] = [];

  readonly #statement = element("div", { class: "dv-asked" });
  readonly #facts = element("p", { class: "dv-note" });
  readonly #chooser = element("div", { class: "dv-controls" });
  readonly #outline = element("div", { class: "dv-side" });
  readonly #texts = element("div", { class: "dv-panes" });
  readonly #units = element("div", {});
  readonly #status = element("p", { class: "dv-status", role: "status" });
  readonly #slider = element("input", { type: "range", min: "0", step: "1" });
  readonly #depth = element("output", {});
  #moves: Move[];
  #waiting = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly page: Page,
  ) {
    const { data } = page;
    this.#moves = [
      { what: "result", next: "j", back: "k", go: (by) => this.#toResult(by) },
      { what: this.#marked, next: "h", back: "g", go: (by) => this.#toHighlight(by) },
      { what: "document", next: "n", back: "p", go: (by) => this.#toDocument(by) },
    ];
    if (!this.#hasHighlights) this.#moves = this.#moves.filter(({ next }) => next !== "h");
    const depth = element(
      "label",
      { class: "dv-depth" },
      element("span", {}, "First k results"),
      this.#slider,
      this.#depth,
    );
    this.#budget = budgetOf(data);
    root.classList.add("dv");
    root.replaceChildren(
      this.#chooser,
      this.#statement,
      this.#facts,
      element("div", { class: "dv-bar" }, depth, ...this.#moves.map(moveButtons), this.#status),
      element("div", { class: "dv-body" }, this.#outline, this.#texts),
      legend(
        this.#moves,
        this.#hasHighlights ? data.subject : null,
        data.documents.some((view) => view.grades.length > 0),
        data.documents.some((view) => view.cuts?.length),
      ),
      this.#units,
    );
    this.#slider.addEventListener("input", () => this.#slid());
    root.addEventListener("keydown", (event) => this.#pressed(event));
    this.#first = Math.max(
      data.documents.findIndex((view) => this.#showing(view) < Infinity),
      0,
    );
    this.show(this.#first);
  }

  /** The document and the runs that are shown, as the address has them; null as it was at first. */
  words(): string[] | null {
    if (this.#number === this.#first && !this.#isChosen) return null;
    const runs = this.#isChosen ? this.#runs.map((run) => this.page.run(run).full) : [];
    return [this.page.topic(this.#view.topic).id, this.#view.doc, ...runs];
  }

  /** Show what was shown at first. */
  reset(): void {
    this.#isChosen = false;
    this.show(this.#first);
  }

  show(number: number, runs: number[] = []): void {
    const view = this.page.data.documents[number];
    if (!view) return;
    this.#number = number;
    this.#view = view;
    this.#places = positionsIn(view);
    this.#highlight = -1;
    this.#active = 0;
    this.page.address.changed();
    const [first, second] = runs.filter((run) => run in this.page.data.runs);
    if (first !== undefined) {
      this.#isChosen = true;
      this.#runs = second === undefined || second === first ? [first] : [first, second];
    } else if (!this.#isChosen) {
      this.#runs = [this.#tellingRun()];
    }
    this.#drawEverything();
    this.#open();
  }

  /** The best run that shows relevant text here, or else returns something. */
  #tellingRun(): number {
    const runs = this.#view.results.map((result) => result.run);
    return Math.min(
      this.#showing(this.#view),
      ...(this.#showing(this.#view) < Infinity ? [] : runs),
      this.page.data.runs.length - 1,
    );
  }

  /** The best run that shows relevant text of a document, as far as it is read; Infinity if none does. */
  #showing(view: DocumentView): number {
    const runs = view.results.filter((result) => relevantIn(view, unitsRead(result, this.#budget)) > 0);
    return Math.min(...runs.map((result) => result.run));
  }

  #drawEverything(): void {
    this.#drawChoosers();
    this.#statement.replaceChildren(...this.#question());
    this.#facts.textContent = this.#aboutDocument();
    const isOpen = this.#outline.querySelector("details")?.open ?? !matchMedia("(max-width: 72rem)").matches;
    const outline = outlineOf(this.#places, this.#view.outlineCut, (place) => this.#jump(place));
    outline.open = isOpen;
    this.#outline.replaceChildren(outline);
    this.#outline.hidden = !this.#places.outline.length;
    this.#drawRuns();
  }

  #drawRuns(): void {
    this.#panes.forEach((pane) => pane.remove());
    this.#panes = this.#runs.map((run) => {
      const results = this.#view.results.find((result) => result.run === run)?.cut ?? 0;
      return new Pane(this.#places, run, this.page.run(run), { characters: this.#view.cut, results });
    });
    this.#texts.replaceChildren(...this.#panes.map((pane) => pane.root));
    this.#texts.classList.toggle("dv-two", this.#panes.length > 1);
    this.#panes.forEach((pane, at) => {
      pane.root.addEventListener("focusin", () => (this.#active = at));
      pane.root.addEventListener("pointerdown", () => (this.#active = at));
      pane.scroller.addEventListener("scroll", () => this.#follow(pane), { passive: true });
    });
    const every = this.#panes.flatMap((pane) => pane.results.map((result) => result.rank));
    this.#ranks = distinct(every);
    this.#slider.max = String(this.#ranks.length);
    this.#slider.disabled = !this.#ranks.length;
    this.#slider.value = String(this.#ranks.filter((rank) => rank <= this.#k).length);
    this.#drawResults();
    const table = outcomesOf(this.#view, this.#places, this.page.data.runs, this.#runs, (place) => this.#jump(place));
    this.#units.replaceChildren(...(table ? [table] : []));
  }

  #drawResults(): void {
    this.#panes.forEach((pane) => pane.draw(this.#k, this.#budget));
    const words = !this.#ranks.length ? "none here" : this.#k === Infinity ? "all" : `k = ${this.#k}`;
    this.#depth.textContent = words;
    this.#slider.setAttribute("aria-valuetext", words);
  }

  /** The slider stops at the ranks that stand in this document, and at none and all. */
  #slid(): void {
    const stop = Number(this.#slider.value);
    this.#k = stop >= this.#ranks.length ? Infinity : (this.#ranks[stop - 1] ?? 0);
    cancelAnimationFrame(this.#waiting);
    this.#waiting = requestAnimationFrame(() => this.#drawResults());
  }

  /** The text opens at the first highlight that is shown, or else the first of all; where there is none, at what else was assessed. */
  #open(): void {
    const { highlights, grades, bep } = this.#places;
    const entry = bep === null ? undefined : { start: bep, end: bep + 1 };
    const shown = this.#panes.flatMap((pane) => pane.drawn);
    const seen = highlights.findIndex((each) => shown.some(({ start, end }) => start < each.end && each.start < end));
    const first = highlights[Math.max(seen, 0)] ?? entry ?? grades[0] ?? this.#panes[0]?.results[0];
    if (first) this.#panes.forEach((pane) => pane.scrollTo(first));
    if (highlights.length) this.#highlight = Math.max(seen, 0);
    this.#status.textContent = "";
  }

  #jump(place: Spanned): void {
    this.#panes.forEach((pane) => pane.jump(place));
  }

  /** The other pane goes to the same place. */
  #follow(pane: Pane): void {
    for (const other of this.#panes) {
      if (other !== pane && Math.abs(other.scroller.scrollTop - pane.scroller.scrollTop) > 1) {
        other.scroller.scrollTop = pane.scroller.scrollTop;
      }
    }
  }

  // What is shown above the text

  /** The list that was used keeps the focus. */
  #drawChoosers(): void {
    const { activeElement } = document;
    const used = activeElement instanceof HTMLSelectElement ? activeElement.dataset.choose : undefined;
    this.#chooser.replaceChildren(...this.#choosers());
    if (used) this.#chooser.querySelector<HTMLElement>(`[data-choose="${CSS.escape(used)}"]`)?.focus();
  }

  #choosers(): Node[] {
    const { documents, runs } = this.page.data;
    const withDocuments = [...new Set(documents.map((view) => view.topic))];
    const ofTopic = documents.flatMap((view, at) => (view.topic === this.#view.topic ? [at] : []));
    const topic = choice(
      capital(this.page.data.subject.topic),
      withDocuments.map((at) => this.page.topicName(at)),
      withDocuments.indexOf(this.#view.topic),
      (at) =>
        this.show(
          documents.findIndex((view) => view.topic === withDocuments[at]),
          [],
        ),
    );
    const chosen = choice(
      "Document",
      ofTopic.map((at) => item(documents, at).doc),
      ofTopic.indexOf(this.#number),
      (at) => this.show(item(ofTopic, at), []),
    );
    const counts = new Map(this.#view.results.map(({ run, units }) => [run, units.length]));
    const names = runs.map(({ name }, run) => `${name} (${counts.get(run) ?? 0} here)`);
    const [first, second] = this.#runs;
    const left = choice(capital(this.page.data.subject.run), names, first, (run) =>
      this.#choose(second === undefined ? [run] : [run, second]),
    );
    const right = choice(
      "Beside it",
      [`– one ${this.page.data.subject.run} only –`, ...names],
      second === undefined ? 0 : second + 1,
      (at) => this.#choose(at ? [this.#runs[0], at - 1] : [this.#runs[0]]),
    );
    const choices: [string, { label: HTMLLabelElement; select: HTMLSelectElement }][] = [
      ["topic", topic],
      ["document", chosen],
      ["run", left],
      ["beside", right],
    ];
    const budgets = this.#view.budgets ?? [];
    if (budgets.length) {
      const read = choice("Read until", ["the end of the list", ...budgets], this.#budget + 1, (at) => {
        this.#budget = at - 1;
        this.#drawResults();
      });
      choices.push(["budget", read]);
    }
    return choices.map(([name, { label, select }]) => {
      select.dataset.choose = name;
      return label;
    });
  }

  #choose(runs: [number] | [number, number]): void {
    const here = this.#panes[0]?.here;
    this.#isChosen = true;
    this.page.address.changed();
    this.#runs = runs;
    this.#active = 0;
    this.#drawChoosers();
    this.#drawRuns();
    if (here) this.#panes.forEach((pane) => pane.scrollTo(here));
  }

  #question(): Node[] {
    const topic = this.page.topic(this.#view.topic);
    const title = element(
      "h3",
      {},
      `${capital(this.page.data.subject.topic)} `,
      named(topic.id),
      topic.title ? ": " : "",
      topic.title ? named(topic.title) : null,
    );
    const query =
      topic.query && topic.query !== topic.title ? element("p", {}, element("code", {}, topic.query)) : null;
    const description = topic.description ? element("p", {}, topic.description) : null;
    return [title, description, query].filter((node) => node !== null);
  }

  #aboutDocument(): string {
    const { text, highlights, cut, why } = this.#view;
    const length = [...text].length + cut;
    const marked = highlights.reduce((sum, [start, end]) => sum + end - start, 0);
    const share = highlights.length
      ? `, ${percent(marked / Math.max(length, 1))} of it ${this.page.data.subject.text}`
      : "";
    return `Document ${this.#view.doc}: ${length.toLocaleString("en")} characters${share}. ${why}`;
  }

  get #marked(): string {
    return this.page.data.subject.text === "evidence" ? "evidence" : "highlight";
  }

  get #hasHighlights(): boolean {
    return this.page.data.documents.some((view) => view.highlights.length > 0);
  }

  // Moving about

  #pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
    const move = this.#moves.find(({ next, back }) => event.key === next || event.key === back);
    if (!move) return;
    event.preventDefault();
    move.go(event.key === move.next ? 1 : -1);
  }

  #toResult(by: number): void {
    const pane = this.#panes[this.#active] ?? this.#panes[0];
    if (!pane) return;
    const { drawn, current } = pane;
    const at = current ? drawn.indexOf(current) + by : by > 0 ? 0 : drawn.length - 1;
    const result = drawn[at];
    if (!result) {
      this.#status.textContent = drawn.length ? (by > 0 ? "last result" : "first result") : "no results";
      return;
    }
    pane.show(result);
    this.#status.textContent = `result ${at + 1} of ${drawn.length}, rank ${result.rank}`;
  }

  #toHighlight(by: number): void {
    const { highlights } = this.#places;
    const at = this.#highlight + by;
    const highlight = highlights[at];
    if (!highlight) {
      this.#status.textContent = highlights.length
        ? `${by > 0 ? "last" : "first"} ${this.#marked}`
        : `no ${this.#marked}`;
      return;
    }
    this.#highlight = at;
    this.#jump(highlight);
    this.#status.textContent = `${this.#marked} ${at + 1} of ${highlights.length}`;
  }

  #toDocument(by: number): void {
    const count = this.page.data.documents.length;
    const focused = this.root.contains(document.activeElement) ? document.activeElement : null;
    this.show((this.#number + by + count) % count, []);
    this.#status.textContent = `document ${this.#number + 1} of ${count}: ${this.#view.doc}`;
    if (focused && !focused.isConnected) this.#panes[0]?.scroller.focus({ preventScroll: true });
  }
}

/** The results of a run as far as they are read until a budget. */
function unitsRead({ units, read }: RunResultsData, budget: number): UnitData[] {
  const ends = read?.[budget];
  if (!ends) return units;
  return units.map(([start, end, rank], at): UnitData => [start, Math.min(end, ends[at] ?? start), rank]);
}

/** The budget of the reference measure; the largest if it has none, -1 if there are no budgets. */
function budgetOf({ documents, measures }: ReportData): number {
  const budgets = documents[0]?.budgets ?? [];
  const ofTopic = /^bR@(\d+)/.exec(measures[0]?.canonical ?? "")?.[1];
  const at = budgets.findIndex((budget) => budget.replace(/\D/g, "") === ofTopic);
  return at < 0 ? budgets.length - 1 : at;
}

// Buttons and keys to move about in documents, and what the drawing means.

/** A way to the next and the previous of something: by buttons, and by keys in this part of the page. */
export interface Move {
  what: string;
  next: string;
  back: string;
  go: (by: 1 | -1) => void;
}

export function moveButtons({ what, next, back, go }: Move): HTMLElement {
  const move = (name: string, key: string, by: 1 | -1, sign: string) =>
    button({ "aria-label": name, "aria-keyshortcuts": key, title: `${name} (${key})` }, () => go(by), sign);
  return element(
    "span",
    { class: "dv-move", role: "group", "aria-label": what },
    move(`previous ${what}`, back, -1, "‹"),
    element("span", {}, what),
    move(`next ${what}`, next, 1, "›"),
  );
}

export function legend(
  moves: Move[],
  subject: ReportSubject | null,
  hasGrades: boolean,
  hasChunks: boolean,
): HTMLElement {
  return element(
    "p",
    { class: "dv-legend" },
    subject ? element("mark", {}, markedAs(subject)) : null,
    key("dv-key-returned", "returned, with its rank in the margin; lines show where each result begins and ends"),
    hasChunks ? key("dv-key-cut", "border of a chunk") : null,
    hasGrades ? key("dv-key-graded", "graded element, with its grade at the right") : null,
    element("span", {}, "Keys: ", ...moves.flatMap(keysOf)),
  );
}

/** What is marked in the text: by assessors, or as the gold of a question. */
function markedAs({ topic, text }: ReportSubject): string {
  return text === "evidence" ? `evidence for the ${topic}` : "highlighted by the assessor";
}

function key(kind: string, words: string): HTMLElement {
  return element("span", {}, element("i", { class: kind }), words);
}

function keysOf({ what, next, back }: Move, at: number): (Node | string)[] {
  return [at ? "; " : "", element("kbd", {}, next), " ", element("kbd", {}, back), ` next, previous ${what}`];
}
