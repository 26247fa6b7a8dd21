// Bars beside numbers, with whiskers for their intervals.

import { drawn } from "../shared/dom";

export interface Scale {
  low: number;
  high: number;
}

/** A scale that has room for all values, and for zero. */
export function scaleOf(values: (number | null)[]): Scale {
  const known = values.filter((value) => value !== null);
  const low = Math.min(0, ...known);
  const high = Math.max(0, ...known);
  return { low, high: high > low ? high : low + 1 };
}

/** A bar from zero to a value, with a whisker from low to high if they are known. */
export function bar(
  value: number,
  scale: Scale,
  colour: string,
  interval: [number, number] | null = null,
): SVGElement {
  const at = (each: number): number => ((each - scale.low) / (scale.high - scale.low)) * 100;
  const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
  const parts = [drawn("rect", { x: from, y: 0, width: to - from, height: 6, fill: colour })];
  if (interval) {
    const line = { class: "whisker", "vector-effect": "non-scaling-stroke" };
    const [low, high] = [at(interval[0]), at(interval[1])];
    parts.push(drawn("line", { ...line, x1: low, x2: high, y1: 3, y2: 3 }));
    for (const end of [low, high])
      parts.push(drawn("line", { ...line, x1: end, x2: end, y1: 1, y2: 5 }));
  }
  const attributes = { class: "bar", viewBox: "-1 0 102 6", preserveAspectRatio: "none", "aria-hidden": "true" };
  return drawn("svg", attributes, ...parts);
}
