// The document on the page: neutral elements and text nodes, and where each of them stands.
//
// Nothing of the source becomes HTML: elements are made by their roles (elements.ts), and all text is
// in text nodes, made of the very text that the server sent. Positions are UTF-16 units here; `points`
// turns them into the code points that the server counts.

import type { ArticleData, DisplayRole, PictureData, Span } from "../../shared/api-types";
import { firstWhere, item } from "../../shared/lists";
import { Points } from "../../shared/points";
import { pictureAddress } from "../judgment/api";
import type { Facts } from "./elements";
import * as elements from "./elements";
import { arrange } from "./structure";

/** Text pieces longer than this are shown in paragraphs, if blank lines divide them. */
const LONG_PIECE = 2_000;
/** Paragraphs longer than this are laid out in parts: browsers take seconds for a million characters. */
const LONGEST_PARAGRAPH = 20_000;
/** Documents longer than this are laid out only where they can be seen. */
const LONG_DOCUMENT = 60_000;
/** About this much text is laid out at once in a long document. */
const LAZY_PART = 6_000;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** The first letter that has a direction; a group if it is from right to left. */
const FIRST_STRONG = new RegExp(`(${RIGHT_TO_LEFT.source})|\\p{L}`, "u");
const NO_FACTS: Facts = {};
/** What is laid out by itself in a long document. */
const LAZY: ReadonlySet<DisplayRole> = new Set<DisplayRole>([
  "block",
  "paragraph",
  "preformatted",
  "list",
  "ordered-list",
  "definition-list",
  "quote",
]);

/** A position as the DOM has it. */
export interface TextPlace {
  node: Text;
  offset: number;
}
/** What may have a direction of its own. */
const DIRECTED: ReadonlySet<DisplayRole> = new Set<DisplayRole>([
  ...(["heading-1", "heading-2", "heading-3", "heading-4", "heading-5", "heading-6"] as const),
  ...(["block", "paragraph", "list", "ordered-list", "definition-list", "quote"] as const),
  ...(["footnote", "caption", "figure", "table"] as const),
]);

export class ShownDocument {
  readonly root = document.createElement("dx-document");
  readonly points: Points;
  readonly text: string;
  /** Start and end of each element, in units. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly parents: number[];
  readonly elements: HTMLElement[] = [];
  readonly #children: number[][] = [];
  readonly #facts: ReadonlyMap<number, Facts>;
  readonly #pictures = new Map<number, PictureData[]>();
  /** Outermost elements whose white space is seen as it is, and text that is not seen, in units. */
  readonly #preformatted: Span[] = [];
  readonly #hidden: Span[] = [];
  /** Where runs of text begin that no block interrupts, in units: paragraphs, headings, cells. */
  readonly runs: number[] = [];
  readonly #nodes: Text[] = [];
  readonly #nodeStarts: number[] = [];
  // The document stays as long as the page, and the collector of garbage is slow with weak maps.
  readonly #startOfNode = new Map<Node, number>();
  readonly #rowOfElement = new Map<Node, number>();
  readonly #endOfChunk = new Map<Node, number>();
  #runBreaks = true;

  constructor(private readonly data: ArticleData) {
    this.text = data.text;
    this.points = new Points(data.text);
    const { start, end, parent } = data.elements;
    this.starts = Uint32Array.from(start, (point) => this.points.unit(point));
    this.ends = Uint32Array.from(end, (point) => this.points.unit(point));
    this.parents = parent;
    this.#facts = elements.factsOf(data.facts);
    for (const picture of data.pictures) {
      this.#pictures.set(picture.element, [...(this.#pictures.get(picture.element) ?? []), picture]);
    }
    for (let row = 0; row < parent.length; row++) {
      this.#children.push([]);
      if (row > 0) item(this.#children, item(parent, row)).push(row);
    }
    this.#startOfNode.set(this.root, 0);
    this.#build();
    if (RIGHT_TO_LEFT.test(this.text)) this.#direct();
    arrange(this);
    if (this.text.length > LONG_DOCUMENT) this.#makeLazy();
  }

  get rows(): number {
    return this.parents.length;
  }

  tag(row: number): string {
    return item(this.data.tags, item(this.data.elements.tag, row));
  }

  role(row: number): DisplayRole {
    return item(this.data.roles, item(this.data.elements.role, row));
  }

  facts(row: number): Facts {
    return this.#facts.get(row) ?? NO_FACTS;
  }

  length(row: number): number {
    return item(this.ends, row) - item(this.starts, row);
  }

  beginning(row: number): string {
    const start = item(this.starts, row);
    return this.text.slice(start, Math.min(item(this.ends, row), start + 20));
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

  children(row: number): readonly number[] {
    return item(this.#children, row);
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
    const start = this.#startOfNode.get(node);
    if (start === undefined) return node.parentNode === null ? 0 : this.unitOf(node.parentNode, 0);
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

  /** Whether white space is seen as it is at a position. */
  isPreformatted(unit: number): boolean {
    return isWithin(this.#preformatted, unit);
  }

  /** Whether the text at a position is not seen: what a formula is annotated with. */
  isHidden(unit: number): boolean {
    return isWithin(this.#hidden, unit);
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
      this.#addPictures(here, row);
      if (!elements.isInline(this.role(row))) this.#runBreaks = true;
      here = here.parentElement ?? this.root;
    };
    for (let row = 0; row < this.rows; row++) {
      while (open.length && open.at(-1) !== this.parents[row]) close();
      writeTo(item(this.starts, row));
      if (!elements.isInline(this.role(row))) this.#runBreaks = true;
      const made = this.#made(row, here);
      here.append(made);
      here = made;
      open.push(row);
    }
    while (open.length) close();
    writeTo(this.text.length);
    if (this.#nodes.length === 0) this.#addText(this.root, 0, 0);
  }

  #made(row: number, parent: HTMLElement): HTMLElement {
    const [start, end] = [item(this.starts, row), item(this.ends, row)];
    const made = this.#element(row, parent);
    this.elements[row] = made;
    this.#startOfNode.set(made, start);
    this.#rowOfElement.set(made, row);
    if (this.role(row) === "preformatted" && !this.isPreformatted(start) && end > start) {
      this.#preformatted.push([start, end]);
    }
    if (elements.isHidden(made) && end > start) this.#hidden.push([start, end]);
    return made;
  }

  #element(row: number, parent: HTMLElement): HTMLElement {
    const tag = this.tag(row);
    const facts = this.facts(row);
    if (elements.isMathematics(parent)) return elements.mathematics(tag, parent);
    const role = this.role(row);
    if (role === "mathematics" && elements.localName(tag) === "math" && this.#hasElementsAlone(row)) {
      return elements.formula(facts);
    }
    const made = elements.neutral(tag, role, facts);
    if (this.length(row) === 0 && elements.isColumn(tag)) made.hidden = true;
    return made;
  }

  /** The pictures of an element come after its text; most have none. */
  #addPictures(parent: HTMLElement, row: number): void {
    const given = this.#pictures.get(row) ?? [];
    if ((given.length === 0 && this.role(row) !== "picture") || elements.isMathematics(parent)) return;
    const add = (address: string | null, alt: string): void => {
      const made = elements.picture(address, alt);
      this.#startOfNode.set(made, item(this.ends, row));
      this.#endOfChunk.set(made, item(this.ends, row));
      parent.append(made);
    };
    for (const { alt, number } of given) add(number === null ? null : pictureAddress(this.data, number), alt);
    const isEmpty = given.length === 0 && this.role(row) === "picture" && this.length(row) === 0;
    if (isEmpty && this.children(row).length === 0) add(null, "");
  }

  /** Whether an element has children and no text of its own, as formulas in MathML have. */
  #hasElementsAlone(row: number): boolean {
    let done = item(this.starts, row);
    let own = "";
    for (const child of this.children(row)) {
      own += this.text.slice(done, this.starts[child]);
      done = item(this.ends, child);
    }
    return this.children(row).length > 0 && (own + this.text.slice(done, this.ends[row])).trim() === "";
  }

  /**
   * Give blocks the direction of their first letter, as far as their author gave them none: so
   * paragraphs read in the right order, and lists and quotations have their marks at the right side.
   * Items and cells follow their list and table, whatever the order of the letters in them.
   */
  #direct(): void {
    if (this.data.facts.every(([, name]) => name !== "dir")) this.root.classList.add("directed");
    const directions: (string | undefined)[] = [];
    const isGiven: boolean[] = [];
    for (let row = 0; row < this.rows; row++) {
      const parent = item(this.parents, row);
      const above = directions[parent] ?? "ltr";
      isGiven[row] = (isGiven[parent] ?? false) || this.facts(row).dir !== undefined;
      directions[row] = above;
      const role = this.role(row);
      if (isGiven[row] || !DIRECTED.has(role) || this.length(row) === 0) continue;
      const match = FIRST_STRONG.exec(this.text.slice(this.starts[row], this.ends[row]));
      if (match === null) continue;
      const direction = match[1] === undefined ? "ltr" : "rtl";
      if (direction !== above) item(this.elements, row).dir = directions[row] = direction;
    }
  }

  #write(parent: HTMLElement, start: number, end: number): void {
    if (elements.needsToken(parent) && this.text.slice(start, end).trim() !== "") {
      return this.#addPart(parent, elements.token(), start, end);
    }
    const isLong = end - start > LONG_PIECE && !elements.isInline(parent.dataset.role as DisplayRole);
    if (isLong && this.isPreformatted(start)) {
      return forEachPart([start, ...lines(this.text, start, end), end], (from, to) =>
        this.#addChunk(parent, from, to, false),
      );
    }
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
    this.#addPart(parent, chunk, start, end);
  }

  /** Text in an element that is none in the source. */
  #addPart(parent: HTMLElement, part: HTMLElement, start: number, end: number): void {
    this.#startOfNode.set(part, start);
    this.#endOfChunk.set(part, end);
    parent.append(part);
    this.#addText(part, start, end);
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
      const length = this.length(row);
      if (role === "table") until = item(this.ends, row); // laid out as a whole, or by its rows
      if (!LAZY.has(role)) continue;
      if (length > LAZY_PART && this.#hasBlocks(row)) continue;
      const made = item(this.elements, row);
      made.classList.add("lazy");
      made.style.setProperty("--lines", String(Math.ceil(length / 80) + 1));
      until = Math.max(until, item(this.ends, row));
    }
  }

  #hasBlocks(row: number): boolean {
    return this.children(row).some((child) => LAZY.has(this.role(child)) || this.role(child) === "table");
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

/** Positions about every LAZY_PART units between two others, each after the end of a line. */
function lines(text: string, start: number, end: number): number[] {
  const positions: number[] = [];
  for (let at = start + LAZY_PART; at < end; at += LAZY_PART) {
    at = text.indexOf("\n", at) + 1;
    if (at === 0 || at >= end) break;
    positions.push(at);
  }
  return positions;
}

/** Whether one of some spans, which are apart and in order, has a position. */
function isWithin(spans: readonly Span[], unit: number): boolean {
  const after = firstWhere(spans.length, (number) => item(spans, number)[0] > unit);
  return after > 0 && item(spans, after - 1)[1] > unit;
}
