// Code points and UTF-16 units of one text.
//
// The server counts code points, the browser counts UTF-16 units. They differ by the number of
// astral characters before a position, which is found by bisection.

export class Points {
  /** Where the astral characters begin, in units. */
  private readonly astral: Uint32Array;
  /** The number of code points in the text. */
  readonly length: number;

  constructor(readonly text: string) {
    this.astral = astralUnits(text);
    this.length = text.length - this.astral.length;
  }

  /** The code point at a unit; within a surrogate pair, that of the pair. */
  point(unit: number): number {
    return unit - this.astralBefore(unit);
  }

  /** Where a code point begins, in units. */
  unit(point: number): number {
    // The astral character number i begins at code point astral[i] - i.
    let low = 0;
    let high = this.astral.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.astral[middle]! - middle < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }

  /** The text from one code point to another. */
  slice(start: number, end: number): string {
    return this.text.slice(this.unit(start), this.unit(end));
  }

  private astralBefore(unit: number): number {
    let low = 0;
    let high = this.astral.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.astral[middle]! < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function astralUnits(text: string): Uint32Array {
  const found: number[] = [];
  for (const match of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) found.push(match.index);
  return Uint32Array.from(found);
}
