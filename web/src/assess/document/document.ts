// The document on the page: neutral elements and text nodes, and where each of them stands.
//
// Nothing of the source becomes HTML. Every source element is a <dx-e> with its tag as data, and all
// text is in text nodes, made of the very text that the server sent. Positions are UTF-16 units
// here; `points` turns them into the code points that the server counts.

import type { ArticleData, DisplayRole } from "../../shared/api-types";
import { firstWhere, item } from "../../shared/lists";
import { Points } from "../../shared/points";

/** Text pieces longer than this are shown in paragraphs, if blank lines divide them. */
const LONG_PIECE = 2_000;
/** Paragraphs longer than this are laid out in parts: browsers take seconds for a million characters. */
const LONGEST_PARAGRAPH = 20_000;
/** Documents longer than this are laid out only where they can be seen. */
const LONG_DOCUMENT = 60_000;
/** About this much text is laid out at once in a long document. */
const LAZY_PART = 6_000;

/** A position as the DOM has it. */
export interface TextPlace {
  node: Text;
  offset: number;
}

export class ShownDocument {
  readonly root = document.createElement("dx-document");
  readonly points: Points;
  readonly text: string;
  /** Start and end of each element, in units. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly parents: number[];
  readonly elements: HTMLElement[] = [];
  /** Where runs of text begin that no block interrupts, in units: paragraphs, headings, cells. */
  readonly runs: number[] = [];
  readonly #nodes: Text[] = [];
  readonly #nodeStarts: number[] = [];
  readonly #startOfNode = new WeakMap<Node, number>();
  readonly #rowOfElement = new WeakMap<Node, number>();
  readonly #endOfChunk = new WeakMap<Node, number>();
  #runBreaks = true;

  constructor(private readonly data: ArticleData) {
    this.text = data.text;
    this.points = new Points(data.text);
    const { start, end, parent } = data.elements;
    this.starts = Uint32Array.from(start, (point) => this.points.unit(point));
    this.ends = Uint32Array.from(end, (point) => this.points.unit(point));
    this.parents = parent;
    this.#startOfNode.set(this.root, 0);
    this.#build();
    if (this.text.length > LONG_DOCUMENT) this.#makeLazy();
  }

  get rows(): number {
    return this.parents.length;
  }

  tag(row: number): string {
    return item(this.data.tags, item(this.data.elements.tag, row));
  }

  role(row: number): DisplayRole {
    return this.data.roles[this.tag(row)] ?? "block";
  }

  /** The last step of an element's path, such as sec[2]. */
  step(row: number): string {
    return `${this.tag(row)}[${item(this.data.elements.ordinal, row)}]`;
  }

  /** The path of an element, such as /article[1]/sec[2]. */
  path(row: number): string {
    return this.lineage(row)
      .map((ancestor) => `/${this.step(ancestor)}`)
      .join("");
  }

  /** An element and its ancestors, outermost first. */
  lineage(row: number): number[] {
    const lineage: number[] = [];
    for (let at = row; at >= 0; at = item(this.parents, at)) lineage.unshift(at);
    return lineage;
  }

  children(row: number): number[] {
    const children: number[] = [];
    for (let at = row + 1; at < this.rows && item(this.parents, at) >= row; at++) {
      if (this.parents[at] === row) children.push(at);
    }
    return children;
  }

  /** The innermost element that a node of the page belongs to; -1 outside the document. */
  rowAt(node: Node | null): number {
    for (let at = node; at && at !== this.root; at = at.parentNode) {
      const row = this.#rowOfElement.get(at);
      if (row !== undefined) return row;
    }
    return -1;
  }

  /** Where a boundary of a DOM range inside the document stands, in units. */
  unitOf(node: Node, offset: number): number {
    const start = this.#startOfNode.get(node) ?? 0;
    if (node.nodeType === Node.TEXT_NODE) return start + offset;
    const child = node.childNodes[offset];
    if (child) return this.#startOfNode.get(child) ?? start;
    return this.#endOf(node);
  }

  /** The text node at a position; with `before`, the one that ends there rather than begins. */
  placeOf(unit: number, before = false): TextPlace {
    const after = firstWhere(this.#nodes.length, (number) => {
      const start = item(this.#nodeStarts, number);
      return before ? start >= unit : start > unit;
    });
    const at = Math.max(after - 1, 0);
    const node = item(this.#nodes, at);
    return { node, offset: Math.min(unit - item(this.#nodeStarts, at), node.length) };
  }

  /** Where the character at a position is seen, in pixels of the window. */
  boxAt(unit: number): DOMRect {
    const { node, offset } = this.placeOf(unit);
    const range = document.createRange();
    range.setStart(node, offset);
    range.setEnd(node, Math.min(offset + 1, node.length));
    return range.getClientRects()[0] ?? (node.parentElement ?? this.root).getBoundingClientRect();
  }

  /** The run of text around a position, in units. */
  runAround(unit: number): [number, number] {
    const after = firstWhere(this.runs.length, (number) => item(this.runs, number) > unit);
    return [this.runs[after - 1] ?? 0, this.runs[after] ?? this.text.length];
  }

  /** How a span of units reads: paragraphs are set apart. At most so many characters of it. */
  readable(start: number, end: number, most: number): string {
    const parts: string[] = [];
    const last = Math.min(end, start + most);
    for (let at = start; at < last; ) {
      const until = Math.min(this.runAround(at)[1], last);
      parts.push(this.text.slice(at, until));
      at = until;
    }
    return parts.join(" ");
  }

  #endOf(node: Node): number {
    const row = this.#rowOfElement.get(node);
    if (row !== undefined) return item(this.ends, row);
    return this.#endOfChunk.get(node) ?? this.text.length;
  }

  #build(): void {
    const open: number[] = [];
    let here: HTMLElement = this.root;
    let done = 0;
    const writeTo = (end: number): void => {
      if (end > done) this.#write(here, done, end);
      done = Math.max(done, end);
    };
    const close = (): void => {
      const row = open.pop() ?? 0;
      writeTo(item(this.ends, row));
      if (this.role(row) !== "inline") this.#runBreaks = true;
      here = here.parentElement ?? this.root;
    };
    for (let row = 0; row < this.rows; row++) {
      while (open.length && open.at(-1) !== this.parents[row]) close();
      writeTo(item(this.starts, row));
      if (this.role(row) !== "inline") this.#runBreaks = true;
      const made = this.#made(row, open.length);
      here.append(made);
      here = made;
      open.push(row);
    }
    while (open.length) close();
    writeTo(this.text.length);
    if (this.#nodes.length === 0) this.#addText(this.root, 0, 0);
  }

  #made(row: number, depth: number): HTMLElement {
    const made = document.createElement("dx-e");
    const role = this.role(row);
    made.dataset.tag = this.tag(row);
    made.dataset.role = role;
    if (role === "heading" && this.text.slice(this.starts[row], this.ends[row]).trim()) {
      made.setAttribute("role", "heading");
      made.setAttribute("aria-level", String(Math.min(Math.max(depth, 2), 6)));
    }
    this.elements[row] = made;
    this.#startOfNode.set(made, item(this.starts, row));
    this.#rowOfElement.set(made, row);
    return made;
  }

  #write(parent: HTMLElement, start: number, end: number): void {
    const isLong = end - start > LONG_PIECE && parent.dataset.role !== "inline";
    const paragraphs = isLong ? blankLines(this.text.slice(start, end)).map((begin) => begin + start) : [];
    const isDivided = paragraphs.length > 0;
    forEachPart([start, ...paragraphs, end], (from, to) => {
      const parts = isLong && to - from > LONGEST_PARAGRAPH ? spaces(this.text, from, to) : [];
      if (isDivided) this.#runBreaks = true;
      if (!isDivided && parts.length === 0) return this.#addText(parent, from, to);
      forEachPart([from, ...parts, to], (first, last) => this.#addChunk(parent, first, last, isDivided));
    });
    if (isDivided) this.#runBreaks = true;
  }

  /** A piece of text that is a block on the page, though it is none in the source. */
  #addChunk(parent: HTMLElement, start: number, end: number, isParagraph: boolean): void {
    const chunk = document.createElement("dx-chunk");
    if (!isParagraph) chunk.className = "part";
    chunk.style.setProperty("--lines", String(Math.ceil((end - start) / 80) + 1));
    this.#startOfNode.set(chunk, start);
    this.#endOfChunk.set(chunk, end);
    parent.append(chunk);
    this.#addText(chunk, start, end);
  }

  #addText(parent: HTMLElement, start: number, end: number): void {
    const node = document.createTextNode(this.text.slice(start, end));
    parent.append(node);
    this.#startOfNode.set(node, start);
    this.#nodes.push(node);
    this.#nodeStarts.push(start);
    if (this.#runBreaks) this.runs.push(start);
    this.#runBreaks = false;
  }

  /** Marks parts of a long document that need no layout while they are out of sight. */
  #makeLazy(): void {
    for (const chunk of this.root.querySelectorAll<HTMLElement>("dx-chunk")) chunk.classList.add("lazy");
    let until = 0;
    for (let row = 0; row < this.rows; row++) {
      if (item(this.starts, row) < until) continue;
      const role = this.role(row);
      const length = item(this.ends, row) - item(this.starts, row);
      if (role === "table") until = item(this.ends, row); // a table is laid out as a whole
      if (role !== "block" && role !== "list") continue;
      if (length > LAZY_PART && this.#hasBlocks(row)) continue;
      const made = item(this.elements, row);
      made.classList.add("lazy");
      made.style.setProperty("--lines", String(Math.ceil(length / 80) + 1));
      until = Math.max(until, item(this.ends, row));
    }
  }

  #hasBlocks(row: number): boolean {
    return this.children(row).some((child) => ["block", "table", "list"].includes(this.role(child)));
  }
}

function forEachPart(edges: number[], use: (start: number, end: number) => void): void {
  for (let at = 0; at + 1 < edges.length; at++) use(item(edges, at), item(edges, at + 1));
}

/** Positions about every LAZY_PART units between two others, each after a space and before a letter. */
function spaces(text: string, start: number, end: number): number[] {
  const positions: number[] = [];
  const space = /[\s。，、](?=[\p{L}\p{N}])/gu;
  for (let at = start + LAZY_PART; at < end - LAZY_PART; at += LAZY_PART) {
    space.lastIndex = at;
    const match = space.exec(text);
    if (!match || match.index >= end - LAZY_PART) break;
    at = match.index + 1;
    positions.push(at);
  }
  return positions;
}

/** Where paragraphs begin after blank lines. */
function blankLines(text: string): number[] {
  const ends = Array.from(text.matchAll(/\n[^\S\n]*\n\s*/g), (match) => match.index + match[0].length);
  return ends.filter((end) => end < text.length);
}
