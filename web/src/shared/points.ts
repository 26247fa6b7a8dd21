// Code points and UTF-16 units of one text.
//
// The server counts code points, the browser counts UTF-16 units. They differ by the number of
// astral characters before a position, which is found by bisection.

import { firstWhere, item } from "./lists";

export class Points {
  /** Where the astral characters begin, in units. */
  readonly #astral: Uint32Array;
  /** The number of code points in the text. */
  readonly length: number;

  constructor(readonly text: string) {
    this.#astral = Uint32Array.from(text.matchAll(/[\u{10000}-\u{10ffff}]/gu), (match) => match.index);
    this.length = text.length - this.#astral.length;
  }

  /** The code point at a unit; within a surrogate pair, that of the pair. */
  point(unit: number): number {
    return unit - firstWhere(this.#astral.length, (number) => item(this.#astral, number) >= unit);
  }

  /** Where a code point begins, in units; beyond the end, the end. */
  unit(point: number): number {
    // The astral character number i begins at code point astral[i] - i.
    const before = firstWhere(this.#astral.length, (number) => item(this.#astral, number) - number >= point);
    return Math.min(point + before, this.text.length);
  }

  /** The text from one code point to another. */
  slice(start: number, end: number): string {
    return this.text.slice(this.unit(start), this.unit(end));
  }
}
