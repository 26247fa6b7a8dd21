// Spans: half-open, in code points or UTF-16 units. Lists of them are sorted and disjoint.
//
// What counts is computed by the server; this is for what a page shows and never leaves it.

import type { Span } from "./api-types";
import { firstWhere, item, sum } from "./lists";

/** Spans in any order, which may overlap, as sorted and disjoint ones. */
export function merged(spans: Iterable<Span>): Span[] {
  const result: Span[] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** Spans together with another one; those that it touches become one with it. */
export function united(spans: Span[], span: Span): Span[] {
  return merged([...spans, span]);
}

/** Spans without what another one covers. */
export function without(spans: Span[], [start, end]: Span): Span[] {
  return spans.flatMap((span): Span[] => {
    const left: Span = [span[0], Math.min(span[1], start)];
    const right: Span = [Math.max(span[0], end), span[1]];
    return [left, right].filter((part) => part[0] < part[1]);
  });
}

/** The parts of spans that lie in another one. */
export function within(spans: Span[], [start, end]: Span): Span[] {
  const result: Span[] = [];
  for (let number = firstEndingAfter(spans, start); number < spans.length; number++) {
    const span = item(spans, number);
    if (span[0] >= end || start >= end) break;
    result.push([Math.max(span[0], start), Math.min(span[1], end)]);
  }
  return result;
}

/** How many characters spans cover; of another span, if one is given. */
export function covered(spans: Span[], inside?: Span): number {
  return sum(inside ? within(spans, inside) : spans, ([start, end]) => end - start);
}

/** The span that contains a position; null if none does. */
export function spanAt(spans: Span[], position: number): Span | null {
  const span = spans[firstEndingAfter(spans, position)];
  return span && span[0] <= position ? span : null;
}

function firstEndingAfter(spans: Span[], position: number): number {
  return firstWhere(spans.length, (number) => item(spans, number)[1] > position);
}
