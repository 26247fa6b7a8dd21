// What the page shows before the server has answered: its last word, and the gestures since.

import type { Grade, OperationData, Span, StateData } from "./data";
import { united, within, without } from "./spans";

export interface View {
  /** What will be highlighted if the server takes the waiting gestures. */
  highlights: Span[];
  /** Parts of it that the server has not yet confirmed. */
  pending: Span[];
  /** What the server has and the waiting gestures remove. */
  removing: Span[];
  bep: number | null;
  grades: Record<string, Grade>;
  problem: boolean;
  note: string;
}

export function viewOf(state: StateData, waiting: readonly OperationData[]): View {
  const view: View = {
    highlights: state.highlights,
    pending: [],
    removing: [],
    bep: state.bep,
    grades: state.grades,
    problem: state.problem,
    note: state.note,
  };
  for (const operation of waiting) apply(operation, view);
  return view;
}

function apply({ kind, start, end, path, value }: OperationData, view: View): void {
  if (kind === "highlight" && start !== null && end !== null) {
    view.highlights = united(view.highlights, [start, end]);
    view.pending = united(view.pending, [start, end]);
    view.removing = without(view.removing, [start, end]);
  } else if (kind === "unhighlight" && start !== null && end !== null) {
    view.removing = [...view.removing, ...within(view.highlights, [start, end])];
    view.highlights = without(view.highlights, [start, end]);
    view.pending = without(view.pending, [start, end]);
  } else if (kind === "bep") {
    view.bep = start;
  } else if (kind === "clear-bep") {
    view.bep = null;
  } else if (kind === "grade" && path !== null) {
    const { [path]: _, ...others } = view.grades;
    view.grades = value === null ? others : { ...others, [path]: value as Grade };
  } else if (kind === "problem") {
    view.problem = value === true;
  } else if (kind === "note") {
    view.note = String(value);
  }
}
