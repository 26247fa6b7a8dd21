// A document's text in blocks, with what is highlighted and what a run returns in it.
//
// The text is cut where anything begins or ends. Drawing adds no space, so that two panes with the
// same text stay level. Only blocks that change are written again.

import { element } from "../../shared/dom";
import type { Placed, Places, Result } from "./positions";

/** The first and the last piece of something that was drawn. */
export interface Drawn {
  first: HTMLElement;
  last: HTMLElement;
}

export class Text {
  readonly column = element("div", { class: "dv-column" });
  private readonly bodies: HTMLElement[] = [];
  private results: Result[] = [];
  private readonly pieces: { start: number; end: number; node: HTMLElement }[][] = [];
  private readonly begins: Set<number>;
  private readonly ends: Set<number>;
  /** Where chunks begin or end, in order. */
  private readonly borders: number[];

  constructor(
    private readonly places: Places,
    chunks: Placed[] = [],
  ) {
    this.begins = new Set(chunks.map(({ start }) => start));
    this.ends = new Set(chunks.map(({ end }) => end));
    this.borders = [...new Set([...this.begins, ...this.ends])].sort((one, other) => one - other);
    for (const block of places.blocks) {
      const body = element("p", { class: block.isTitle ? "dv-block dv-title" : "dv-block" });
      this.bodies.push(body);
      this.pieces.push([]);
    }
    this.bodies.forEach((_, at) => this.write(at));
    this.column.append(...this.bodies);
  }

  /** Draw these results instead of those before. */
  draw(results: Result[]): void {
    const before = new Set(this.results);
    const after = new Set(results);
    const changed = [...this.results, ...results].filter((result) => before.has(result) !== after.has(result));
    this.results = results;
    this.places.blocks.forEach((block, at) => {
      if (changed.some((result) => overlap(result, block))) this.write(at);
    });
  }

  /** Where a range is drawn; null if its text is blank. */
  find(range: Placed): Drawn | null {
    let first: HTMLElement | null = null;
    let last: HTMLElement | null = null;
    this.places.blocks.forEach((block, at) => {
      if (!overlap(block, range)) return;
      for (const piece of this.pieces[at]!) {
        if (!overlap(piece, range)) continue;
        first ??= piece.node;
        last = piece.node;
      }
    });
    return first && last ? { first, last } : null;
  }

  /** The piece of text at a height of the window; null if there is none below it. */
  at(height: number): Placed | null {
    const block = this.bodies.findIndex((body) => body.getBoundingClientRect().bottom > height);
    const pieces = this.pieces[block] ?? [];
    return pieces.find(({ node }) => node.getBoundingClientRect().bottom > height) ?? pieces.at(-1) ?? null;
  }

  private write(at: number): void {
    const { start, end } = this.places.blocks[at]!;
    const inside = <Thing extends Placed>(things: Thing[]) => things.filter((thing) => overlap(thing, { start, end }));
    const highlights = inside(this.places.highlights);
    const results = inside(this.results);
    const { bep } = this.places;
    const cuts = new Set([start, end]);
    for (const thing of [...highlights, ...results, ...inside(this.places.grades), ...inside(this.places.outline)]) {
      cuts.add(Math.max(thing.start, start)).add(Math.min(thing.end, end));
    }
    if (bep !== null && start <= bep && bep < end) cuts.add(bep);
    for (let border = firstAfter(this.borders, start); border < this.borders.length; border++) {
      if (this.borders[border]! >= end) break;
      cuts.add(this.borders[border]!);
    }
    const edges = [...cuts].sort((one, other) => one - other);
    const nodes: Node[] = [];
    const pieces = [];
    for (let edge = 0; edge + 1 < edges.length; edge++) {
      const piece = { start: edges[edge]!, end: edges[edge + 1]! };
      if (piece.start === bep) nodes.push(entryPoint());
      const node = this.piece(piece, highlights, results);
      nodes.push(node);
      if (node.textContent!.trim()) pieces.push({ ...piece, node });
    }
    this.pieces[at] = pieces;
    this.bodies[at]!.replaceChildren(...nodes);
  }

  private piece(piece: Placed, highlights: Placed[], results: Result[]): HTMLElement {
    const isMarked = highlights.some((highlight) => overlap(highlight, piece));
    const own = results.filter((result) => overlap(result, piece));
    const node = element(isMarked ? "mark" : "span", {}, this.places.text.slice(piece.start, piece.end));
    if (own.length) {
      node.classList.add("dv-returned");
      if (own.length > 1) node.classList.add("dv-again");
      if (own.some((result) => result.start === piece.start)) node.classList.add("dv-begins");
      if (own.some((result) => result.end === piece.end)) node.classList.add("dv-ends");
      node.title = `returned at ${own.length > 1 ? "ranks" : "rank"} ${ranks(own)}`;
    }
    if (this.begins.has(piece.start)) node.classList.add("dv-cut-begins");
    if (this.ends.has(piece.end)) node.classList.add("dv-cut-ends");
    return node;
  }
}

function entryPoint(): HTMLElement {
  return element("span", { class: "dv-bep" }, "best entry point");
}

/** Ranks in words, the first few of them. */
export function ranks(results: Result[]): string {
  const every = [...new Set(results.map((result) => result.rank))].sort((one, other) => one - other);
  const shown = every.slice(0, 8).join(", ");
  return every.length > 8 ? `${shown} and ${every.length - 8} more` : shown;
}

/** The first of some numbers in order that is greater than another. */
function firstAfter(numbers: number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

function overlap(one: Placed, other: Placed): boolean {
  return one.start < other.end && other.start < one.end;
}
