// The margin beside a text: a line along each thing that is drawn in it, and a badge where it
// begins. Things on the same lines of text get lines beside each other; badges are pushed down, never on top of
// each other.

import type { Placed } from "./document-places";
import type { Text } from "./document-text";
import { element } from "../shared/dom";

export interface Note<Thing extends Placed> {
  thing: Thing;
  /** What the badge says. */
  label: string;
  /** What it says on hover. */
  title: string;
}

interface Measured<Thing extends Placed> {
  notes: Note<Thing>[];
  top: number;
  bottom: number;
  lane: number;
}

const MOST_LANES = 5;
const MOST_LABELS = 2;
/** The height of a badge with the space below it, in pixels. */
const ROW = 21;

export class Margin<Thing extends Placed> {
  readonly layer: HTMLElement;
  private notes: Note<Thing>[] = [];
  private readonly badges = new Map<Thing, HTMLElement>();
  private current: Thing | null = null;

  constructor(
    side: "left" | "right",
    private readonly text: Text,
    private readonly chosen: (thing: Thing) => void = () => {},
  ) {
    this.layer = element("div", { class: `dv-margin dv-${side}`, "aria-hidden": "true" });
  }

  /** Draw these notes, in the order of their importance. */
  draw(notes: Note<Thing>[]): void {
    this.notes = notes;
    this.place();
  }

  /** Put everything where the text is now. */
  place(): void {
    const measured = this.measured();
    this.badges.clear();
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
      nodes.push(this.badge(group, top));
    }
    this.layer.replaceChildren(...nodes);
    this.mark(this.current);
  }

  /** Show which thing is the current one. */
  mark(thing: Thing | null): void {
    if (this.current) this.badges.get(this.current)?.classList.remove("dv-current");
    this.current = thing;
    if (thing) this.badges.get(thing)?.classList.add("dv-current");
  }

  private measured(): Measured<Thing>[] {
    const column = this.text.column.getBoundingClientRect();
    const byPlace = [...this.notes].sort(
      (one, other) => one.thing.start - other.thing.start || other.thing.end - one.thing.end,
    );
    const ends: number[] = [];
    const found: Measured<Thing>[] = [];
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
      found.push({ notes: [note], top, bottom, lane });
    }
    return found;
  }

  /** Badges stay in sight as long as what they stand for is. */
  private badge(group: Measured<Thing>, top: number): HTMLElement {
    const order = new Map(this.notes.map((note, at) => [note, at]));
    const notes = [...group.notes].sort((one, other) => order.get(one)! - order.get(other)!);
    const most = notes.length > MOST_LABELS ? MOST_LABELS - 1 : MOST_LABELS;
    const badge = element("span", { class: "dv-badges", title: notes.map((note) => note.title).join("\n") });
    badge.style.top = `${4 + group.lane * ROW}px`;
    notes.slice(0, most).forEach((note) => {
      const one = element("span", { class: "dv-badge" }, note.label);
      one.addEventListener("click", () => this.chosen(note.thing));
      this.badges.set(note.thing, one);
      badge.append(one);
    });
    if (notes.length > most) {
      const rest = element("span", { class: "dv-badge dv-more" }, `+${notes.length - most}`);
      notes.slice(most).forEach((note) => this.badges.set(note.thing, rest));
      badge.append(rest);
    }
    const along = element("div", { class: "dv-along" }, badge);
    along.style.top = `${top}px`;
    along.style.height = `${Math.max(group.bottom - top, ROW)}px`;
    return along;
  }
}

/** Things that begin on one line share a place. */
function together<Thing extends Placed>(measured: Measured<Thing>[]): Measured<Thing>[] {
  const groups: Measured<Thing>[] = [];
  for (const each of [...measured].sort((one, other) => one.top - other.top)) {
    const last = groups[groups.length - 1];
    if (last && Math.abs(last.top - each.top) < 2) {
      last.notes.push(...each.notes);
      last.bottom = Math.max(last.bottom, each.bottom);
      last.lane = Math.min(last.lane, each.lane);
    } else groups.push({ ...each, notes: [...each.notes] });
  }
  return groups;
}
