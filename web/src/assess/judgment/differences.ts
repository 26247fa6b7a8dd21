// Where assessors differ about a document, and what an adjudicator may make of what they said.

import type { OtherJudgment, Span, WireGrade } from "../../shared/api-types";
import { item, sum } from "../../shared/lists";
import { merged, spanAt } from "../../shared/spans";

/** What is relevant in a document: a side that somebody takes. */
export interface Side {
  highlights: Span[];
  bep: number | null;
  grades: Record<string, WireGrade>;
}

export const NOTHING: Side = { highlights: [], bep: null, grades: {} };

/** A part of the text that some assessors highlighted, and others did not. */
export interface Difference {
  span: Span;
  who: string[];
}

/** The judgments that count: those that are done. */
export function finished(others: readonly OtherJudgment[]): OtherJudgment[] {
  return others.filter(({ state }) => state.status === "validated");
}

/** The parts of the text that the same assessors highlighted, in order; without those that nobody did. */
function parts(others: readonly OtherJudgment[]): Difference[] {
  const borders = [...new Set(others.flatMap(({ state }) => state.highlights.flat()))].sort((a, b) => a - b);
  const result: Difference[] = [];
  for (let number = 0; number + 1 < borders.length; number++) {
    const span: Span = [item(borders, number), item(borders, number + 1)];
    const who = others.filter(({ state }) => spanAt(state.highlights, span[0]) !== null).map((other) => other.who);
    if (who.length) result.push({ span, who });
  }
  return result;
}

/** Where some highlighted the text and others did not. */
export function differences(others: readonly OtherJudgment[]): Difference[] {
  return parts(others).filter(({ who }) => who.length < others.length);
}

/** What all of them highlighted. */
export function agreed(others: readonly OtherJudgment[]): Span[] {
  return merged(
    parts(others)
      .filter(({ who }) => who.length === others.length)
      .map(({ span }) => span),
  );
}

/** How many characters exactly half of them highlighted, so that there is no majority. */
export function tied(others: readonly OtherJudgment[]): number {
  const ties = parts(others).filter(({ who }) => 2 * who.length === others.length);
  return sum(ties, ({ span: [start, end] }) => end - start);
}

/** What any of them highlighted, with the entry point that most of them set, of several the first. */
export function union(others: readonly OtherJudgment[]): Side {
  const counts = new Map<number, number>();
  for (const { state } of others) if (state.bep !== null) counts.set(state.bep, (counts.get(state.bep) ?? 0) + 1);
  const [first] = [...counts].sort(([a, often], [b, rare]) => rare - often || a - b);
  return { highlights: merged(others.flatMap(({ state }) => state.highlights)), bep: first?.[0] ?? null, grades: {} };
}

/** Whether all say the same of what is relevant, where to begin, and grades. */
export function isUnanimous(others: readonly OtherJudgment[]): boolean {
  const essence = ({ state }: OtherJudgment): string =>
    JSON.stringify([state.highlights, state.bep, Object.entries(state.grades).sort()]);
  return new Set(others.map(essence)).size < 2;
}
