// Where characters, words and sentences begin and end. Positions are UTF-16 units.

import type { Snap } from "../../shared/api-types";

/** White space that a browser folds into one space. */
const FOLDED = /[ \t\r\n\f]/;

export type Edges = [number, number];

/** A text, and the runs of it that no block interrupts: paragraphs, headings, cells. */
export interface TextInRuns {
  readonly text: string;
  runAround(unit: number): Edges;
  /** Whether white space is seen as it is there. */
  isPreformatted(unit: number): boolean;
  /** Whether the text there is not seen. */
  isHidden(unit: number): boolean;
}

export class Boundaries {
  // Characters are found in the whole text: a flag or a family is one character wherever it begins.
  readonly #characters: Intl.Segments;
  readonly #words = new Intl.Segmenter("en", { granularity: "word" });
  readonly #sentences = new Intl.Segmenter("en", { granularity: "sentence" });

  constructor(private readonly shown: TextInRuns) {
    this.#characters = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(shown.text);
  }

  /** The character (grapheme cluster) around a unit. */
  character(unit: number): Edges {
    if (unit >= this.shown.text.length) return [this.shown.text.length, this.shown.text.length];
    return segmentAt(this.#characters, unit);
  }

  /** The word around a unit, or the space or mark there. */
  word(unit: number): Edges {
    return this.#inRun(unit, this.#words);
  }

  /** The sentence around a unit, without the white space at its ends. */
  sentence(unit: number): Edges {
    return this.#trimmed(this.#inRun(unit, this.#sentences));
  }

  /** The paragraph, heading or cell around a unit, without the white space at its ends. */
  paragraph(unit: number): Edges {
    return this.#trimmed(this.shown.runAround(unit));
  }

  /** Positions moved outwards to whole characters, and to words or sentences if wished. */
  snapped([start, end]: Edges, snap: Snap): Edges {
    if (start >= end) return [start, start];
    let first = this.character(start)[0];
    let last = this.character(end - 1)[1];
    if (snap !== "characters") {
      const around = (unit: number) => (snap === "words" ? this.word(unit) : this.sentence(unit));
      first = Math.min(first, around(first)[0]);
      last = Math.max(last, around(this.character(last - 1)[0])[1]);
      first = this.character(first)[0];
      last = this.character(last - 1)[1];
    }
    return [first, last];
  }

  /**
   * Without the white space at the edges of blocks, which nobody sees: a triple click, for one,
   * reaches to the beginning of the next paragraph.
   */
  withoutBlockEdges([start, end]: Edges): Edges {
    const [first, last] = this.#trimmed([start, end]);
    if (first >= last) return [start, end];
    return [
      this.shown.runAround(first)[0] >= start ? first : start,
      this.shown.runAround(last - 1)[1] <= end ? last : end,
    ];
  }

  /** Whether a cursor passes over a character: white space that is folded, and text that is not seen. */
  isFolded(unit: number): boolean {
    return this.#isSpace(unit) || this.shown.isHidden(unit);
  }

  #isSpace(unit: number): boolean {
    return FOLDED.test(this.shown.text.charAt(unit)) && !this.shown.isPreformatted(unit);
  }

  #trimmed([start, end]: Edges): Edges {
    let first = start;
    let last = end;
    while (first < last && this.#isSpace(first)) first++;
    while (last > first && this.#isSpace(last - 1)) last--;
    return first < last ? [first, last] : [start, end];
  }

  #inRun(unit: number, segmenter: Intl.Segmenter): Edges {
    const [start, end] = this.shown.runAround(unit);
    if (unit >= end) return [end, end];
    const [first, last] = segmentAt(segmenter.segment(this.shown.text.slice(start, end)), unit - start);
    return [start + first, start + last];
  }
}

function segmentAt(segments: Intl.Segments, unit: number): Edges {
  const { index, segment } = segments.containing(unit) ?? { index: unit, segment: "" };
  return [index, index + segment.length];
}
