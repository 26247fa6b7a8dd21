// Painting ranges of the document without touching it: the CSS Custom Highlight API.

import type { Span } from "../../shared/api-types";
import type { ShownDocument } from "./document";

export type Layer =
  | "pooled"
  | `others${number}`
  | `k${number}`
  | "relevant"
  | "pending"
  | "removing"
  | "selected"
  | "element"
  | "comment"
  | "entry"
  | "match"
  | "here";

/** Which of two layers is seen where they overlap: the higher one. */
const PRIORITY: Record<string, number> = {
  pooled: 1,
  element: 2,
  others: 3,
  comment: 3,
  relevant: 4,
  pending: 5,
  removing: 6,
  selected: 6,
  k: 7,
  entry: 8,
  match: 9,
  here: 10,
};

export class Painter {
  readonly #painted = new Map<Layer, Map<string, StaticRange>>();
  readonly #highlights = new Map<Layer, Highlight>();

  constructor(private readonly shown: ShownDocument) {}

  /** Paint these ranges, in code points, and no others in the layer. */
  paint(layer: Layer, spans: readonly Span[]): void {
    const unit = (point: number) => this.shown.points.unit(point);
    this.paintUnits(
      layer,
      spans.map(([start, end]): Span => [unit(start), unit(end)]),
    );
  }

  /** The same with ranges in UTF-16 units. Only what changes is painted again. */
  paintUnits(layer: Layer, spans: readonly Span[]): void {
    const highlight = this.#highlight(layer);
    const before = this.#painted.get(layer) ?? new Map<string, StaticRange>();
    const after = new Map<string, StaticRange>();
    for (const [start, end] of spans) {
      if (start >= end) continue;
      const key = `${start}-${end}`;
      const kept = before.get(key);
      const range = kept ?? this.#range(start, end);
      after.set(key, range);
      if (kept) before.delete(key);
      else highlight.add(range);
    }
    for (const gone of before.values()) highlight.delete(gone);
    this.#painted.set(layer, after);
  }

  clear(layer: Layer): void {
    this.paintUnits(layer, []);
  }

  #range(start: number, end: number): StaticRange {
    const from = this.shown.placeOf(start);
    const to = this.shown.placeOf(end, true);
    return new StaticRange({
      startContainer: from.node,
      startOffset: from.offset,
      endContainer: to.node,
      endOffset: to.offset,
    });
  }

  #highlight(layer: Layer): Highlight {
    let highlight = this.#highlights.get(layer);
    if (!highlight) {
      highlight = new Highlight();
      highlight.priority = PRIORITY[layer.replace(/\d+$/, "")] ?? 0;
      this.#highlights.set(layer, highlight);
      CSS.highlights.set(layer, highlight);
    }
    return highlight;
  }
}
