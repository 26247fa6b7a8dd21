// Sorted, disjoint ranges, for what the page shows before the server has answered.
// What counts is computed by the server; this never leaves the page.

import type { Span } from "../assess/data";

/** Ranges together with another one. */
export function united(spans: Span[], [start, end]: Span): Span[] {
  const apart = spans.filter((span) => span[1] < start || span[0] > end);
  const touching = spans.filter((span) => span[1] >= start && span[0] <= end);
  const whole: Span = [
    Math.min(start, ...touching.map((span) => span[0])),
    Math.max(end, ...touching.map((span) => span[1])),
  ];
  return [...apart, whole].sort((one, other) => one[0] - other[0]);
}

/** Ranges without what another one covers. */
export function without(spans: Span[], [start, end]: Span): Span[] {
  return spans.flatMap((span): Span[] => {
    const left: Span = [span[0], Math.min(span[1], start)];
    const right: Span = [Math.max(span[0], end), span[1]];
    return [left, right].filter((part) => part[0] < part[1]);
  });
}

/** The parts of ranges that lie in another one. */
export function within(spans: Span[], [start, end]: Span): Span[] {
  return spans
    .map((span): Span => [Math.max(span[0], start), Math.min(span[1], end)])
    .filter((part) => part[0] < part[1]);
}

/** The characters that ranges cover between two positions; the ranges are sorted and disjoint. */
export function covered(spans: Span[], start: number, end: number): number {
  let sum = 0;
  for (let at = firstEndingAfter(spans, start); at < spans.length; at++) {
    const span = spans[at]!;
    if (span[0] >= end) break;
    sum += Math.min(span[1], end) - Math.max(span[0], start);
  }
  return sum;
}

/** The range that contains a position; null if none does. */
export function spanAt(spans: Span[], position: number): Span | null {
  const span = spans[firstEndingAfter(spans, position)];
  return span && span[0] <= position ? span : null;
}

function firstEndingAfter(spans: Span[], position: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]![1] <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
