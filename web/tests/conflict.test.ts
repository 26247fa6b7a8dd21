import { beforeEach, describe, expect, it, vi } from "vitest";
import { sorted } from "../src/assess/judgment/conflict";
import {
  comment,
  entryPoint,
  type Gesture,
  grade,
  highlight,
  operation,
  plain,
  unhighlight,
} from "../src/assess/judgment/operations";
import { HELD, Queue, unsavedDocuments } from "../src/assess/judgment/queue";
import type { StateData } from "../src/shared/api-types";
import { Points } from "../src/shared/points";
import { Storage, SUBJECT, state } from "./samples";

const points = new Points("0123456789");

function kinds(gestures: Gesture[], base: StateData | null, saved: StateData): [string[], string[]] {
  const { fitting, clashing } = sorted(
    gestures.map((gesture, at) => operation(gesture, at)),
    base,
    saved,
  );
  return [fitting.map(({ kind }) => kind), clashing.map(({ operation: { kind } }) => kind)];
}

describe("two versions of a judgment", () => {
  it("keep the highlights of both", () => {
    const saved = state({ highlights: [[6, 8]] });
    expect(kinds([highlight(points, [0, 3]), highlight(points, [5, 9])], state(), saved)).toEqual([
      ["highlight", "highlight"],
      [],
    ]);
  });

  it("lose no highlight that was made elsewhere", () => {
    const [base, saved] = [state({ highlights: [[0, 4]] }), state({ highlights: [[0, 6]] })];
    expect(kinds([unhighlight(points, [0, 4])], base, saved)).toEqual([["unhighlight"], []]);
    expect(kinds([unhighlight(points, [0, 5])], base, saved)).toEqual([[], ["unhighlight"]]);
    // After a reload nobody knows what was there before.
    expect(kinds([unhighlight(points, [0, 4])], null, saved)).toEqual([[], ["unhighlight"]]);
  });

  it("have one best entry point", () => {
    const set = [entryPoint(points, 2)];
    expect(kinds(set, state(), state({ bep: 7 }))).toEqual([[], ["bep"]]);
    expect(kinds(set, state(), state({ bep: 2 }))).toEqual([["bep"], []]);
    expect(kinds(set, state({ bep: 7 }), state({ bep: 7, note: "x" }))).toEqual([["bep"], []]);
    expect(kinds([plain("clear-bep")], state({ bep: 1 }), state({ bep: 7 }))).toEqual([[], ["clear-bep"]]);
  });

  it("have one grade for an element", () => {
    const saved = state({ grades: { "/a[1]": 1 } });
    expect(kinds([grade("/a[1]", 2), grade("/b[1]", 2)], state(), saved)).toEqual([["grade"], ["grade"]]);
    expect(kinds([grade("/a[1]", 1)], state(), saved)).toEqual([["grade"], []]);
    expect(kinds([grade("/a[1]", 2)], saved, state({ ...saved, note: "x" }))).toEqual([["grade"], []]);
  });

  it("keep both notes", () => {
    const note = [operation(plain("note", "ours"), 0)];
    const value = (base: StateData | null, theirs: string) =>
      sorted(note, base, state({ note: theirs })).fitting[0]?.value;
    expect(value(state(), "theirs")).toBe("theirs\nours");
    expect(value(null, "theirs")).toBe("theirs\nours");
    expect(value(state({ note: "before" }), "before")).toBe("ours");
    expect(value(state(), "all of ours")).toBe("all of ours");
    expect(sorted(note, state(), state({ note: "x".repeat(9_998) })).clashing).toHaveLength(1);
  });

  it("are looked at again before the document is done", () => {
    expect(kinds([plain("validate")], state(), state({ highlights: [[0, 2]] }))).toEqual([[], ["validate"]]);
    expect(kinds([plain("validate")], state(), state({ note: "x" }))).toEqual([["validate"], []]);
    expect(kinds([plain("not-relevant")], null, state())).toEqual([[], ["not-relevant"]]);
  });

  it("undo only what was done here", () => {
    const saved = state({ note: "x" });
    const mark = highlight(points, [0, 3]);
    expect(kinds([mark, plain("undo")], state(), saved)).toEqual([[], []]);
    expect(kinds([mark, plain("undo"), plain("redo")], state(), saved)).toEqual([["highlight"], []]);
    expect(kinds([mark, plain("undo"), plain("undo")], state(), saved)).toEqual([[], ["undo"]]);
    expect(kinds([plain("redo")], state(), saved)).toEqual([[], ["redo"]]);
  });

  it("keep comments on different passages, and ask about two on the same", () => {
    const mine = [operation(comment(points, [0, 3], "ours"), 0)];
    const clashes = (base: StateData, saved: StateData) => sorted(mine, base, saved).clashing.length;
    expect(clashes(state(), state({ comments: [[4, 6, "theirs"]] }))).toBe(0);
    expect(clashes(state(), state({ comments: [[0, 3, "theirs"]] }))).toBe(1);
    expect(clashes(state({ comments: [[0, 3, "x"]] }), state({ comments: [[0, 3, "x"]] }))).toBe(0);
  });

  it("keep a problem that either reported", () => {
    expect(kinds([plain("problem", true)], state(), state())).toEqual([["problem"], []]);
    expect(kinds([plain("problem", false)], state(), state({ problem: true }))).toEqual([[], ["problem"]]);
  });
});

describe("changes that clash", () => {
  beforeEach(() => {
    vi.stubGlobal("localStorage", new Storage());
  });

  it("stay in the browser until somebody decides, and the first page names them", () => {
    const held = new Queue(SUBJECT, "ann", HELD);
    const made = operation(plain("validate"), 3);
    held.add(made);
    expect(new Queue(SUBJECT, "ann").operations).toEqual([]);
    expect(new Queue(SUBJECT, "ann", HELD).operations).toEqual([made]);
    new Queue(SUBJECT, "ann").add(operation(plain("undo"), 4));
    expect(unsavedDocuments("ann")).toEqual([{ subject: SUBJECT, count: 2 }]);
    held.replace([]);
    expect(unsavedDocuments("ann")).toEqual([{ subject: SUBJECT, count: 1 }]);
  });
});
