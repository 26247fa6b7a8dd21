// The document on the page: neutral elements and text nodes, and where each of them stands.
//
// Nothing of the source becomes HTML. Every source element is a <dx-e> with its tag as data, and all
// text is in text nodes, made of the very text that the server sent. Positions are UTF-16 units
// here; `points` turns them into the code points that the server counts.

import { Points } from "../../shared/points";
import type { ArticleData, Role } from "../data";

/** Text pieces longer than this are shown in paragraphs, if blank lines divide them. */
const LONG_PIECE = 2_000;
/** Paragraphs longer than this are laid out in parts: browsers take seconds for a million characters. */
const LONGEST_PARAGRAPH = 20_000;
/** Documents longer than this are laid out only where they can be seen. */
const LONG_DOCUMENT = 60_000;
/** About this much text is laid out at once in a long document. */
const LAZY_PART = 6_000;

export interface Place {
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
  private readonly nodes: Text[] = [];
  private readonly nodeStarts: number[] = [];
  private readonly startOfNode = new WeakMap<Node, number>();
  private readonly rowOfElement = new WeakMap<Node, number>();
  private readonly endOfChunk = new WeakMap<Node, number>();
  private runBreaks = true;

  constructor(private readonly data: ArticleData) {
    this.text = data.text;
    this.points = new Points(data.text);
    const { start, end, parent } = data.elements;
    this.starts = Uint32Array.from(start, (point) => this.points.unit(point));
    this.ends = Uint32Array.from(end, (point) => this.points.unit(point));
    this.parents = parent;
    this.startOfNode.set(this.root, 0);
    this.build();
    if (this.text.length > LONG_DOCUMENT) this.makeLazy();
  }

  get rows(): number {
    return this.parents.length;
  }

  tag(row: number): string {
    return this.data.tags[this.data.elements.tag[row]!]!;
  }

  role(row: number): Role {
    return this.data.roles[this.tag(row)] ?? "block";
  }

  /** The path of an element, such as /article[1]/sec[2]. */
  path(row: number): string {
    let path = "";
    for (let at = row; at >= 0; at = this.parents[at]!) {
      path = `/${this.tag(at)}[${this.data.elements.ordinal[at]!}]${path}`;
    }
    return path;
  }

  /** An element and its ancestors, outermost first. */
  lineage(row: number): number[] {
    const found: number[] = [];
    for (let at = row; at >= 0; at = this.parents[at]!) found.unshift(at);
    return found;
  }

  children(row: number): number[] {
    const found: number[] = [];
    for (let at = row + 1; at < this.rows && this.parents[at]! >= row; at++) {
      if (this.parents[at] === row) found.push(at);
    }
    return found;
  }

  /** The innermost element that a node of the page belongs to; -1 outside the document. */
  rowAt(node: Node | null): number {
    for (let at = node; at && at !== this.root; at = at.parentNode) {
      const row = this.rowOfElement.get(at);
      if (row !== undefined) return row;
    }
    return -1;
  }

  /** Where a boundary of a DOM range inside the document stands, in units. */
  unitOf(node: Node, offset: number): number {
    const start = this.startOfNode.get(node) ?? 0;
    if (node.nodeType === Node.TEXT_NODE) return start + offset;
    const child = node.childNodes[offset];
    if (child) return this.startOfNode.get(child) ?? start;
    return this.endOf(node);
  }

  /** The text node at a position; with `before`, the one that ends there rather than begins. */
  placeOf(unit: number, before = false): Place {
    let low = 0;
    let high = this.nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = this.nodeStarts[middle]!;
      if (before ? start < unit : start <= unit) low = middle + 1;
      else high = middle;
    }
    const at = Math.max(low - 1, 0);
    const node = this.nodes[at]!;
    return { node, offset: Math.min(unit - this.nodeStarts[at]!, node.length) };
  }

  /** The DOM range from one position to another, in units. */
  range(start: number, end: number): Range {
    const range = document.createRange();
    const from = this.placeOf(start);
    const to = this.placeOf(end, true);
    range.setStart(from.node, from.offset);
    if (end > start) range.setEnd(to.node, to.offset);
    return range;
  }

  /** The run of text around a position, in units. */
  runAround(unit: number): [number, number] {
    let low = 0;
    let high = this.runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.runs[middle]! <= unit) low = middle + 1;
      else high = middle;
    }
    return [this.runs[low - 1] ?? 0, this.runs[low] ?? this.text.length];
  }

  /** How a range reads, in units: paragraphs are set apart. At most so many characters of it. */
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

  private endOf(node: Node): number {
    const row = this.rowOfElement.get(node);
    if (row !== undefined) return this.ends[row]!;
    return this.endOfChunk.get(node) ?? this.text.length;
  }

  private build(): void {
    const open: number[] = [];
    let here: HTMLElement = this.root;
    let done = 0;
    const writeTo = (end: number): void => {
      if (end > done) this.write(here, done, end);
      done = Math.max(done, end);
    };
    const close = (): void => {
      const row = open.pop()!;
      writeTo(this.ends[row]!);
      if (this.role(row) !== "inline") this.runBreaks = true;
      here = here.parentElement!;
    };
    for (let row = 0; row < this.rows; row++) {
      while (open.length && open.at(-1) !== this.parents[row]) close();
      writeTo(this.starts[row]!);
      if (this.role(row) !== "inline") this.runBreaks = true;
      const made = this.made(row, open.length);
      here.append(made);
      here = made;
      open.push(row);
    }
    while (open.length) close();
    writeTo(this.text.length);
    if (this.nodes.length === 0) this.addText(this.root, 0, 0);
  }

  private made(row: number, depth: number): HTMLElement {
    const made = document.createElement("dx-e");
    const role = this.role(row);
    made.dataset.tag = this.tag(row);
    made.dataset.role = role;
    if (role === "heading" && this.text.slice(this.starts[row], this.ends[row]).trim()) {
      made.setAttribute("role", "heading");
      made.setAttribute("aria-level", String(Math.min(Math.max(depth, 2), 6)));
    }
    this.elements[row] = made;
    this.startOfNode.set(made, this.starts[row]!);
    this.rowOfElement.set(made, row);
    return made;
  }

  private write(parent: HTMLElement, start: number, end: number): void {
    const isLong = end - start > LONG_PIECE && parent.dataset.role !== "inline";
    const paragraphs = isLong ? blankLines(this.text.slice(start, end)).map((cut) => cut + start) : [];
    const isDivided = paragraphs.length > 0;
    forEachPart([start, ...paragraphs, end], (from, to) => {
      const parts = isLong && to - from > LONGEST_PARAGRAPH ? spaces(this.text, from, to) : [];
      if (isDivided) this.runBreaks = true;
      if (!isDivided && parts.length === 0) return this.addText(parent, from, to);
      forEachPart([from, ...parts, to], (first, last) => this.addChunk(parent, first, last, isDivided));
    });
    if (isDivided) this.runBreaks = true;
  }

  /** A piece of text that is a block on the page, though it is none in the source. */
  private addChunk(parent: HTMLElement, start: number, end: number, isParagraph: boolean): void {
    const chunk = document.createElement("dx-chunk");
    if (!isParagraph) chunk.className = "part";
    chunk.style.setProperty("--lines", String(Math.ceil((end - start) / 80) + 1));
    this.startOfNode.set(chunk, start);
    this.endOfChunk.set(chunk, end);
    parent.append(chunk);
    this.addText(chunk, start, end);
  }

  private addText(parent: HTMLElement, start: number, end: number): void {
    const node = document.createTextNode(this.text.slice(start, end));
    parent.append(node);
    this.startOfNode.set(node, start);
    this.nodes.push(node);
    this.nodeStarts.push(start);
    if (this.runBreaks) this.runs.push(start);
    this.runBreaks = false;
  }

  /** Marks parts of a long document that need no layout while they are out of sight. */
  private makeLazy(): void {
    for (const chunk of this.root.querySelectorAll<HTMLElement>("dx-chunk")) chunk.classList.add("lazy");
    let until = 0;
    for (let row = 0; row < this.rows; row++) {
      if (this.starts[row]! < until) continue;
      const role = this.role(row);
      const length = this.ends[row]! - this.starts[row]!;
      if (role === "table") until = this.ends[row]!; // a table is laid out as a whole
      if (role !== "block" && role !== "list") continue;
      if (length > LAZY_PART && this.hasBlocks(row)) continue;
      const made = this.elements[row]!;
      made.classList.add("lazy");
      made.style.setProperty("--lines", String(Math.ceil(length / 80) + 1));
      until = Math.max(until, this.ends[row]!);
    }
  }

  private hasBlocks(row: number): boolean {
    return this.children(row).some((child) => ["block", "table", "list"].includes(this.role(child)));
  }
}

function forEachPart(edges: number[], use: (start: number, end: number) => void): void {
  for (let at = 0; at + 1 < edges.length; at++) use(edges[at]!, edges[at + 1]!);
}

/** Cuts about every LAZY_PART units between two positions, each after a space and before a letter. */
function spaces(text: string, start: number, end: number): number[] {
  const cuts: number[] = [];
  const next = /[\s。，、](?=[\p{L}\p{N}])/gu;
  for (let at = start + LAZY_PART; at < end - LAZY_PART; at = cuts.at(-1)! + LAZY_PART) {
    next.lastIndex = at;
    const found = next.exec(text);
    if (!found || found.index >= end - LAZY_PART) break;
    cuts.push(found.index + 1);
  }
  return cuts;
}

/** Where paragraphs begin after blank lines. */
function blankLines(text: string): number[] {
  const cuts: number[] = [];
  for (const match of text.matchAll(/\n[^\S\n]*\n\s*/g)) {
    const cut = match.index + match[0].length;
    if (cut < text.length) cuts.push(cut);
  }
  return cuts;
}
