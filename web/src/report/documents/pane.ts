// One run in one document: the text, scrolling by itself, with the results in its margin.

import { element, named } from "../../shared/dom";
import type { ReportRun } from "../../shared/report-types";
import type { DocumentPositions, Grade, Result, Spanned } from "./positions";
import { Text } from "./text";

/** Where in a pane a place is brought to, as a share of its height. */
const NEAR_TOP = 0.2;

export class Pane {
  readonly root: HTMLElement;
  readonly scroller: HTMLElement;
  /** All results of the run in this document, best first. */
  readonly results: Result[];
  readonly #text: Text;
  readonly #left: Margin<Result>;
  readonly #right: Margin<Grade>;
  readonly #count = element("span", { class: "dv-count" });
  #shown: Result[] = [];
  readonly #resized: ResizeObserver;
  #emphasised: HTMLElement | null = null;
  current: Result | null = null;

  constructor(
    private readonly places: DocumentPositions,
    readonly run: number,
    { name, textColour }: ReportRun,
    cut: { characters: number; results: number },
  ) {
    const { shown, hidden } = places.results(run);
    this.results = shown;
    this.#text = new Text(places, places.chunks(run));
    this.#left = new Margin<Result>("left", this.#text, (result) => this.show(result));
    this.#right = new Margin<Grade>("right", this.#text);
    this.#text.column.append(this.#left.layer, this.#right.layer);
    if (places.grades.length) this.#text.column.classList.add("dv-graded");
    this.scroller = element(
      "div",
      { class: "dv-text", tabindex: "0", role: "region", "aria-label": `Text, with what ${name} returns` },
      this.#text.column,
    );
    if (cut.characters) {
      const more = `The last ${cut.characters.toLocaleString("en")} characters are left out of this page.`;
      this.scroller.append(element("p", { class: "dv-note" }, more));
    }
    const notes = [
      hidden ? `${hidden} more in the part that is left out` : "",
      cut.results ? `${cut.results} more are left out` : "",
    ];
    const head = element(
      "p",
      { class: "dv-head" },
      element("i", { class: "dv-swatch" }),
      named(name),
      " ",
      this.#count,
    );
    this.root = element("div", { class: "dv-pane" }, head, this.scroller);
    this.root.style.setProperty("--run", textColour);
    this.#rest = notes.filter(Boolean).join("; ");
    this.#resized = new ResizeObserver(() => this.place());
    this.#resized.observe(this.scroller);
    this.#right.draw(
      places.grades.map((grade) => ({ thing: grade, label: grade.label, title: `${grade.label} ${grade.path}` })),
    );
  }

  readonly #rest: string;

  /** Draw the results among the first k of the list, as far as they are read until a budget (-1: all). */
  draw(k: number, budget = -1): void {
    const read = budget < 0 ? this.results : this.places.read(this.run, budget);
    this.#shown = read.filter((result) => result.rank <= k);
    this.#text.draw(this.#shown);
    this.#left.draw(
      this.#shown.map((result) => ({
        thing: result,
        label: String(result.rank),
        title: `rank ${result.rank}${result.whole ? ", read up to the budget" : ""}`,
      })),
    );
    const part = `${this.#shown.length}${budget < 0 ? "" : " within the budget"} of ${this.results.length}`;
    const here = this.results.length
      ? `${this.#shown.length === this.results.length ? this.results.length : part} ${this.results.length === 1 ? "result" : "results"} here`
      : "nothing returned here";
    this.#count.textContent = this.#rest ? `${here}; ${this.#rest}` : here;
    if (this.current && !this.#shown.includes(this.current)) this.show(null);
  }

  place(): void {
    this.#left.place();
    this.#right.place();
  }

  /** Make a result the current one, and scroll to it. */
  show(result: Result | null): void {
    this.current = result;
    this.#left.mark(result);
    if (result) this.jump(result);
  }

  /** The results that are drawn, best first. */
  get drawn(): Result[] {
    return this.#shown;
  }

  /** The place of the text that is near the top of the pane. */
  get here(): Spanned | null {
    const box = this.scroller.getBoundingClientRect();
    return this.#text.at(box.top + box.height * NEAR_TOP);
  }

  /** Bring a place of the text near the top of the pane, and outline where it begins. */
  jump(place: Spanned): void {
    this.scrollTo(place);
    this.#emphasise(place);
  }

  /** Bring a place of the text near the top of the pane; the page itself does not move. */
  scrollTo(place: Spanned): void {
    const first = this.#text.find(place)?.first;
    if (!first) return;
    const rect = first.getClientRects()[0] ?? first.getBoundingClientRect();
    const box = this.scroller.getBoundingClientRect();
    this.scroller.scrollTop += rect.top - box.top - box.height * NEAR_TOP;
  }

  #emphasise(place: Spanned): void {
    this.#emphasised?.classList.remove("dv-here");
    this.#emphasised = this.#text.find(place)?.first ?? null;
    this.#emphasised?.classList.add("dv-here");
  }

  remove(): void {
    this.#resized.disconnect();
    this.root.remove();
  }
}

// The margin beside a text: a line along each thing that is drawn in it, and a badge where it
// begins. Things on the same lines of text get lines beside each other; badges are pushed down, never on top of
// each other.

export interface Note<Thing extends Spanned> {
  thing: Thing;
  /** What the badge says. */
  label: string;
  /** What it says on hover. */
  title: string;
}

interface Measured<Thing extends Spanned> {
  notes: Note<Thing>[];
  top: number;
  bottom: number;
  lane: number;
}

const MOST_LANES = 5;
const MOST_LABELS = 2;
/** The height of a badge with the space below it, in pixels. */
const ROW = 21;

export class Margin<Thing extends Spanned> {
  readonly layer: HTMLElement;
  #notes: Note<Thing>[] = [];
  readonly #badges = new Map<Thing, HTMLElement>();
  #current: Thing | null = null;

  constructor(
    side: "left" | "right",
    private readonly text: Text,
    private readonly chosen: (thing: Thing) => void = () => {},
  ) {
    this.layer = element("div", { class: `dv-margin dv-${side}`, "aria-hidden": "true" });
  }

  /** Draw these notes, in the order of their importance. */
  draw(notes: Note<Thing>[]): void {
    this.#notes = notes;
    this.place();
  }

  /** Put everything where the text is now. */
  place(): void {
    const measured = this.#measured();
    this.#badges.clear();
    const nodes: Node[] = [];
    let free = -Infinity;
    for (const each of measured) {
      const line = element("i", { class: "dv-line" });
      line.style.setProperty("--lane", String(each.lane));
      line.style.top = `${each.top}px`;
      line.style.height = `${Math.max(each.bottom - each.top, 4)}px`;
      nodes.push(line);
    }
    for (const group of together(measured)) {
      const top = Math.max(group.top, free);
      free = top + ROW;
      nodes.push(this.#badge(group, top));
    }
    this.layer.replaceChildren(...nodes);
    this.mark(this.#current);
  }

  /** Show which thing is the current one. */
  mark(thing: Thing | null): void {
    if (this.#current) this.#badges.get(this.#current)?.classList.remove("dv-current");
    this.#current = thing;
    if (thing) this.#badges.get(thing)?.classList.add("dv-current");
  }

  #measured(): Measured<Thing>[] {
    const column = this.text.column.getBoundingClientRect();
    const byPlace = [...this.#notes].sort((a, b) => a.thing.start - b.thing.start || b.thing.end - a.thing.end);
    const ends: number[] = [];
    const measured: Measured<Thing>[] = [];
    for (const note of byPlace) {
      const drawn = this.text.find(note.thing);
      const first = drawn?.first.getClientRects()[0];
      const lasts = drawn?.last.getClientRects();
      const last = lasts?.[lasts.length - 1];
      if (!first || !last) continue;
      const [top, bottom] = [first.top - column.top, last.bottom - column.top];
      const free = ends.findIndex((end) => end <= top + 1);
      const lane = free < 0 ? Math.min(ends.length, MOST_LANES - 1) : free;
      ends[lane] = Math.max(bottom, ends[lane] ?? 0);
      measured.push({ notes: [note], top, bottom, lane });
    }
    return measured;
  }

  /** Badges stay in sight as long as what they stand for is. */
  #badge(group: Measured<Thing>, top: number): HTMLElement {
    const order = new Map(this.#notes.map((note, at) => [note, at]));
    const notes = [...group.notes].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    const most = notes.length > MOST_LABELS ? MOST_LABELS - 1 : MOST_LABELS;
    const badge = element("span", { class: "dv-badges", title: notes.map((note) => note.title).join("\n") });
    badge.style.top = `${4 + group.lane * ROW}px`;
    notes.slice(0, most).forEach((note) => {
      const label = element("span", { class: "dv-badge" }, note.label);
      label.addEventListener("click", () => this.chosen(note.thing));
      this.#badges.set(note.thing, label);
      badge.append(label);
    });
    if (notes.length > most) {
      const rest = element("span", { class: "dv-badge dv-more" }, `+${notes.length - most}`);
      notes.slice(most).forEach((note) => this.#badges.set(note.thing, rest));
      badge.append(rest);
    }
    const along = element("div", { class: "dv-along" }, badge);
    along.style.top = `${top}px`;
    along.style.height = `${Math.max(group.bottom - top, ROW)}px`;
    return along;
  }
}

/** Things that begin on one line share a place. */
function together<Thing extends Spanned>(measured: Measured<Thing>[]): Measured<Thing>[] {
  const groups: Measured<Thing>[] = [];
  for (const each of [...measured].sort((a, b) => a.top - b.top)) {
    const last = groups[groups.length - 1];
    if (last && Math.abs(last.top - each.top) < 2) {
      last.notes.push(...each.notes);
      last.bottom = Math.max(last.bottom, each.bottom);
      last.lane = Math.min(last.lane, each.lane);
    } else groups.push({ ...each, notes: [...each.notes] });
  }
  return groups;
}
