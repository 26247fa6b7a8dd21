// Where things stand in a document's text, as the browser counts: in UTF-16 units.

import type { DocumentView, OutlineItem, Range } from "../data";

export interface Placed {
  start: number;
  end: number;
}

export interface Result extends Placed {
  rank: number;
  /** The result as it was returned, if readers stop before its end. */
  whole?: Result;
}

export interface Grade extends Placed {
  path: string;
  label: string;
}

export interface Block extends Placed {
  isTitle: boolean;
}

/** A document with all positions as the browser counts them. */
export interface Places {
  text: string;
  blocks: Block[];
  highlights: Placed[];
  grades: Grade[];
  bep: number | null;
  outline: (OutlineItem & Placed)[];
  /** What a run returns, best first, and how much of that lies in the part that is cut off. */
  results: (run: number) => { shown: Result[]; hidden: number };
  /** Results as far as they are read until a budget, by its number. */
  read: (run: number, budget: number) => Result[];
  /** The chunks that a run could have returned, in their order. */
  chunks: (run: number) => Placed[];
  range: (range: Range) => Placed;
}

/** Where each code point stands in a text, in UTF-16 units; beyond the end, the end. */
export function utf16(text: string): (position: number) => number {
  if (!/[\ud800-\udbff]/.test(text)) return (position) => Math.min(position, text.length);
  const places: number[] = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) places.push(at);
  return (position) => places[position] ?? text.length;
}

export function placesIn(view: DocumentView): Places {
  const at = utf16(view.text);
  const place = <Thing extends Placed>(thing: Thing): Thing => ({
    ...thing,
    start: at(thing.start),
    end: at(thing.end),
  });
  const isInText = ({ start, end }: Placed) => start < end;
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
        const end = at(ends[number]!);
        if (end >= result.end) return [result];
        return end > result.start ? [{ ...result, end, whole: result }] : [];
      });
    },
    chunks: (run) => {
      const flat = view.cuts?.find(({ runs }) => runs.includes(run))?.ranges ?? [];
      const found: Placed[] = [];
      let start = 0;
      for (let number = 0; number + 1 < flat.length; number += 2) {
        start += flat[number]!;
        found.push(place({ start, end: start + flat[number + 1]! }));
      }
      return found.filter(isInText);
    },
    range: ([start, end]) => place({ start, end }),
  };
}
