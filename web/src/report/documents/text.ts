// A document's text in blocks, with what is highlighted and what a run returns in it.
//
// The text is cut where anything begins or ends. Drawing adds no space, so that two panes with the
// same text stay level. Only blocks that change are written again.

import { element } from "../../shared/dom";
import { distinct, firstWhere, item } from "../../shared/lists";
import type { DocumentPositions, Result, Spanned } from "./positions";

/** The first and the last piece of something that was drawn. */
export interface Drawn {
  first: HTMLElement;
  last: HTMLElement;
}

export class Text {
  readonly column = element("div", { class: "dv-column" });
  readonly #bodies: HTMLElement[] = [];
  #results: Result[] = [];
  readonly #pieces: { start: number; end: number; node: HTMLElement }[][] = [];
  readonly #begins: Set<number>;
  readonly #ends: Set<number>;
  /** Where chunks begin or end, in order. */
  readonly #boundaries: number[];

  constructor(
    private readonly places: DocumentPositions,
    chunks: Spanned[] = [],
  ) {
    this.#begins = new Set(chunks.map(({ start }) => start));
    this.#ends = new Set(chunks.map(({ end }) => end));
    this.#boundaries = distinct([...this.#begins, ...this.#ends]);
    for (const block of places.blocks) {
      const body = element("p", { class: block.isTitle ? "dv-block dv-title" : "dv-block" });
      this.#bodies.push(body);
      this.#pieces.push([]);
    }
    this.#bodies.forEach((_, at) => this.#write(at));
    this.column.append(...this.#bodies);
  }

  /** Draw these results instead of those before. */
  draw(results: Result[]): void {
    const before = new Set(this.#results);
    const after = new Set(results);
    const changed = [...this.#results, ...results].filter((result) => before.has(result) !== after.has(result));
    this.#results = results;
    this.places.blocks.forEach((block, at) => {
      if (changed.some((result) => overlap(result, block))) this.#write(at);
    });
  }

  /** Where a range is drawn; null if its text is blank. */
  find(range: Spanned): Drawn | null {
    let first: HTMLElement | null = null;
    let last: HTMLElement | null = null;
    this.places.blocks.forEach((block, at) => {
      if (!overlap(block, range)) return;
      for (const piece of item(this.#pieces, at)) {
        if (!overlap(piece, range)) continue;
        first ??= piece.node;
        last = piece.node;
      }
    });
    return first && last ? { first, last } : null;
  }

  /** The piece of text at a height of the window; null if there is none below it. */
  at(height: number): Spanned | null {
    const block = this.#bodies.findIndex((body) => body.getBoundingClientRect().bottom > height);
    const pieces = this.#pieces[block] ?? [];
    return pieces.find(({ node }) => node.getBoundingClientRect().bottom > height) ?? pieces.at(-1) ?? null;
  }

  #write(at: number): void {
    const { start, end } = item(this.places.blocks, at);
    const inside = <Thing extends Spanned>(things: Thing[]) => things.filter((thing) => overlap(thing, { start, end }));
    const highlights = inside(this.places.highlights);
    const results = inside(this.#results);
    const { bep } = this.places;
    const edges = new Set([start, end]);
    for (const thing of [...highlights, ...results, ...inside(this.places.grades), ...inside(this.places.outline)]) {
      edges.add(Math.max(thing.start, start)).add(Math.min(thing.end, end));
    }
    if (bep !== null && start <= bep && bep < end) edges.add(bep);
    const boundary = (limit: number) =>
      firstWhere(this.#boundaries.length, (number) => item(this.#boundaries, number) >= limit);
    for (const position of this.#boundaries.slice(boundary(start), boundary(end))) edges.add(position);
    const positions = distinct(edges);
    const nodes: Node[] = [];
    const pieces = [];
    for (let edge = 0; edge + 1 < positions.length; edge++) {
      const piece = { start: item(positions, edge), end: item(positions, edge + 1) };
      if (piece.start === bep) nodes.push(entryPoint());
      const node = this.#piece(piece, highlights, results);
      nodes.push(node);
      if (node.textContent?.trim()) pieces.push({ ...piece, node });
    }
    this.#pieces[at] = pieces;
    item(this.#bodies, at).replaceChildren(...nodes);
  }

  #piece(piece: Spanned, highlights: Spanned[], results: Result[]): HTMLElement {
    const isMarked = highlights.some((highlight) => overlap(highlight, piece));
    const returning = results.filter((result) => overlap(result, piece));
    const node = element(isMarked ? "mark" : "span", {}, this.places.text.slice(piece.start, piece.end));
    if (returning.length) {
      node.classList.add("dv-returned");
      if (returning.length > 1) node.classList.add("dv-again");
      if (returning.some((result) => result.start === piece.start)) node.classList.add("dv-begins");
      if (returning.some((result) => result.end === piece.end)) node.classList.add("dv-ends");
      node.title = `returned at ${returning.length > 1 ? "ranks" : "rank"} ${ranks(returning)}`;
    }
    if (this.#begins.has(piece.start)) node.classList.add("dv-cut-begins");
    if (this.#ends.has(piece.end)) node.classList.add("dv-cut-ends");
    return node;
  }
}

function entryPoint(): HTMLElement {
  return element("span", { class: "dv-bep" }, "best entry point");
}

/** Ranks in words, the first few of them. */
export function ranks(results: Result[]): string {
  const every = distinct(results.map((result) => result.rank));
  const shown = every.slice(0, 8).join(", ");
  return every.length > 8 ? `${shown} and ${every.length - 8} more` : shown;
}

function overlap(a: Spanned, b: Spanned): boolean {
  return a.start < b.end && b.start < a.end;
}
