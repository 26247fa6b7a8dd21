import { describe, expect, it } from "vitest";
import { agreed, differences, finished, isUnanimous, tied, union } from "../src/assess/judgment/differences";
import type { OtherJudgment, Span } from "../src/shared/api-types";
import { state } from "./samples";

function judgment(who: string, highlights: Span[], bep: number | null = null): OtherJudgment {
  return { who, state: state({ highlights, bep, status: "validated" }) };
}

/** Who highlighted each character, one by one. */
function byCharacter(others: OtherJudgment[], length: number): string[] {
  return Array.from({ length }, (_, at) =>
    others
      .filter((other) => other.state.highlights.some(([start, end]) => start <= at && at < end))
      .map(({ who }) => who)
      .join(),
  );
}

describe("differences", () => {
  const ann = judgment(
    "ann",
    [
      [0, 10],
      [20, 30],
    ],
    0,
  );
  const bob = judgment("bob", [[5, 25]], 5);

  it("are where some but not all highlighted", () => {
    expect(differences([ann, bob])).toEqual([
      { span: [0, 5], who: ["ann"] },
      { span: [10, 20], who: ["bob"] },
      { span: [25, 30], who: ["ann"] },
    ]);
    expect(agreed([ann, bob])).toEqual([
      [5, 10],
      [20, 25],
    ]);
    expect(union([ann, bob]).highlights).toEqual([[0, 30]]);
    expect(tied([ann, bob])).toBe(20);
  });

  it("are none where all say the same", () => {
    expect(differences([ann, ann])).toEqual([]);
    expect(isUnanimous([ann, { ...ann, who: "eve" }])).toBe(true);
    expect(
      isUnanimous([
        ann,
        judgment(
          "eve",
          [
            [0, 10],
            [20, 30],
          ],
          3,
        ),
      ]),
    ).toBe(false);
    expect(isUnanimous([])).toBe(true);
    expect([differences([]), agreed([]), union([]).bep, tied([])]).toEqual([[], [], null, 0]);
  });

  it("have ties only where exactly half highlighted", () => {
    const eve = judgment("eve", [[0, 30]]);
    expect(tied([ann, bob, eve])).toBe(0);
    expect(tied([ann, bob, eve, judgment("dan", [])])).toBe(20);
  });

  it("leave out judgments that are not finished", () => {
    expect(finished([ann, { who: "eve", state: state() }])).toEqual([ann]);
  });

  it("take the entry point that most set, of several the first", () => {
    expect(union([ann, bob]).bep).toBe(0);
    expect(union([ann, bob, judgment("eve", [], 5)]).bep).toBe(5);
  });

  it("are as counted character by character", () => {
    let seed = 7;
    const random = (most: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % most;
    };
    for (let round = 0; round < 200; round++) {
      const others = Array.from({ length: 1 + random(4) }, (_, number) => {
        const cuts = [...new Set(Array.from({ length: 2 * random(5) }, () => random(40)))].sort((a, b) => a - b);
        const spans: Span[] = [];
        for (let at = 0; at + 1 < cuts.length; at += 2) spans.push([cuts[at] ?? 0, cuts[at + 1] ?? 0]);
        return judgment(`p${number}`, spans);
      });
      const who = byCharacter(others, 40);
      const everybody = others.map((other) => other.who).join();
      const shown = Array.from({ length: 40 }, () => "");
      for (const { span, who: names } of differences(others))
        for (let at = span[0]; at < span[1]; at++) shown[at] = names.join();
      for (const [start, end] of agreed(others)) for (let at = start; at < end; at++) shown[at] = everybody;
      expect(shown).toEqual(who);
      const half = who.filter((names) => names && 2 * names.split(",").length === others.length).length;
      expect(tied(others)).toBe(half);
    }
  });
});
