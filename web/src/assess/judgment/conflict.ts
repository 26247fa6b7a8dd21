// Two versions of one judgment: which gestures can be made in the version that was saved elsewhere
// without losing anything of it, and which clash with it.

import { LONGEST_NOTE, type OperationData, type StateData } from "../../shared/api-types";
import { within, without } from "../../shared/spans";

export interface Clash {
  operation: OperationData;
  /** Why both cannot be, in a sentence. */
  why: string;
}

export interface Sorted {
  /** What can be made beside the saved version, in order. */
  fitting: OperationData[];
  clashing: Clash[];
}

/** Sort waiting gestures, made upon `base` (null if that is not known any more), for the saved version. */
export function sorted(waiting: readonly OperationData[], base: StateData | null, saved: StateData): Sorted {
  const { made, unmade } = withoutUndone(waiting);
  const fitting: OperationData[] = [];
  const clashing: Clash[] = unmade.map((operation) => ({
    operation,
    why: "the last step in the saved version is another one",
  }));
  for (const operation of made) {
    const why = clash(operation, base, saved);
    if (why === null) fitting.push(together(operation, base, saved));
    else clashing.push({ operation, why });
  }
  return { fitting, clashing };
}

/** The gestures that stand after undoing and redoing among them, and steps that reach beyond them. */
function withoutUndone(waiting: readonly OperationData[]): { made: OperationData[]; unmade: OperationData[] } {
  const made: OperationData[] = [];
  const unmade: OperationData[] = [];
  let undone: OperationData[] = [];
  for (const operation of waiting) {
    const from = operation.kind === "undo" ? made : operation.kind === "redo" ? undone : null;
    if (from === null) {
      made.push(operation);
      undone = [];
      continue;
    }
    const step = from.pop();
    if (step === undefined) unmade.push(operation);
    else (from === made ? undone : made).push(step);
  }
  return { made, unmade };
}

function clash(operation: OperationData, base: StateData | null, saved: StateData): string | null {
  const { kind, start = null, end = null, path, value } = operation;
  switch (kind) {
    case "unhighlight": {
      const known = base?.highlights ?? [];
      const fresh = known.reduce((left, span) => without(left, span), saved.highlights);
      const isHit = start !== null && end !== null && within(fresh, [start, end]).length > 0;
      return isHit ? "it would remove text that was highlighted elsewhere" : null;
    }
    case "bep":
    case "clear-bep": {
      const isSame = saved.bep === (kind === "bep" ? start : null);
      if (isSame || saved.bep === null || base?.bep === saved.bep) return null;
      return "another best entry point was set elsewhere";
    }
    case "grade": {
      const given = JSON.stringify(path ? (saved.grades[path] ?? null) : null);
      const before = base === null ? null : JSON.stringify(path ? (base.grades[path] ?? null) : null);
      if (given === before || given === "null" || given === JSON.stringify(value ?? null)) return null;
      return "the element got another grade elsewhere";
    }
    case "note":
      return String(together(operation, base, saved).value).length > LONGEST_NOTE
        ? "both notes together are too long"
        : null;
    case "comment": {
      const given = commentAt(saved, start, end);
      const isFree = given === "" || given === value || given === commentAt(base, start, end);
      return isFree ? null : "the passage got another comment elsewhere";
    }
    case "problem":
      return value === true || !saved.problem || base?.problem === true ? null : "a problem was reported elsewhere";
    case "validate":
    case "not-relevant":
      return judgmentOf(base) === judgmentOf(saved) ? null : "look at both versions together before it is done";
    default:
      return null;
  }
}

/** The note of both versions, one below the other, if both wrote one. */
function together(operation: OperationData, base: StateData | null, saved: StateData): OperationData {
  const { kind, value } = operation;
  if (kind !== "note" || typeof value !== "string" || saved.note === base?.note) return operation;
  const isIn = value.includes(saved.note);
  return {
    ...operation,
    value: isIn || saved.note.includes(value) ? (isIn ? value : saved.note) : `${saved.note}\n${value}`,
  };
}

function commentAt(state: StateData | null, start: number | null, end: number | null): string {
  return state?.comments.find(([first, last]) => first === start && last === end)?.[2] ?? "";
}

function judgmentOf(state: StateData | null): string | null {
  return state && JSON.stringify([state.highlights, state.bep, state.grades]);
}
