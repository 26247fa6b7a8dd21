// Where things are in a document's text, as the browser counts: in UTF-16 units.

import { item } from "../../shared/lists";
import { Points } from "../../shared/points";
import type { OutlineData, SpanData } from "../../shared/report-types";
import type { DocumentView } from "../data";

/** Something with a span, in UTF-16 units. */
export interface Spanned {
  start: number;
  end: number;
}

export interface Result extends Spanned {
  rank: number;
  /** The result as it was returned, if readers stop before its end. */
  whole?: Result;
}

export interface Grade extends Spanned {
  path: string;
  label: string;
}

export interface Block extends Spanned {
  isTitle: boolean;
}

/** A document with all positions as the browser counts them. */
export interface DocumentPositions {
  text: string;
  blocks: Block[];
  highlights: Spanned[];
  grades: Grade[];
  bep: number | null;
  outline: (OutlineData & Spanned)[];
  /** What a run returns, best first, and how much of that lies in the part that is cut off. */
  results: (run: number) => { shown: Result[]; hidden: number };
  /** Results as far as they are read until a budget, by its number. */
  read: (run: number, budget: number) => Result[];
  /** The chunks that a run could have returned, in their order. */
  chunks: (run: number) => Spanned[];
  range: (range: SpanData) => Spanned;
}

export function positionsIn(view: DocumentView): DocumentPositions {
  const points = new Points(view.text);
  const at = (point: number) => points.unit(point);
  const place = <Thing extends Spanned>(thing: Thing): Thing => ({
    ...thing,
    start: at(thing.start),
    end: at(thing.end),
  });
  const isInText = ({ start, end }: Spanned) => start < end;
  const returned = new Map<number, { shown: Result[]; all: (Result | null)[] }>();
  const resultsOf = (run: number) => {
    const known = returned.get(run);
    if (known) return known;
    const every = view.results.find((result) => result.run === run)?.units ?? [];
    const all = every.map(([start, end, rank]) => {
      const result = place({ start, end, rank });
      return isInText(result) ? result : null;
    });
    const made = { all, shown: all.filter((result) => result !== null) };
    returned.set(run, made);
    return made;
  };
  return {
    text: view.text,
    blocks: view.blocks
      .map(([start, end, kind]) => place({ start, end, isTitle: kind === "title" }))
      .filter(({ start, end }) => view.text.slice(start, end).trim() !== ""),
    highlights: view.highlights.map(([start, end]) => place({ start, end })).filter(isInText),
    grades: view.grades.map(place).filter(isInText),
    bep: view.bep === null || at(view.bep) >= view.text.length ? null : at(view.bep),
    outline: view.outline.map(place).filter(isInText),
    results: (run) => {
      const { all, shown } = resultsOf(run);
      return { shown, hidden: all.length - shown.length };
    },
    read: (run, budget) => {
      const ends = view.results.find((result) => result.run === run)?.read?.[budget];
      const { all, shown } = resultsOf(run);
      if (!ends) return shown;
      return all.flatMap((result, number) => {
        if (!result) return [];
        const end = at(item(ends, number));
        if (end >= result.end) return [result];
        return end > result.start ? [{ ...result, end, whole: result }] : [];
      });
    },
    chunks: (run) => {
      const flat = view.cuts?.find(({ runs }) => runs.includes(run))?.ranges ?? [];
      const chunks: Spanned[] = [];
      let start = 0;
      for (let number = 0; number + 1 < flat.length; number += 2) {
        start += item(flat, number);
        chunks.push(place({ start, end: start + item(flat, number + 1) }));
      }
      return chunks.filter(isInText);
    },
    range: ([start, end]) => place({ start, end }),
  };
}
