import { describe, expect, it } from "vitest";
import type { Span } from "../src/shared/api-types";
import { firstWhere, item } from "../src/shared/lists";
import { Points } from "../src/shared/points";
import { covered, merged, spanAt, united, within, without } from "../src/shared/spans";

/** The same by characters, which is obviously right. */
function characters(spans: Iterable<Span>): Set<number> {
  const all = new Set<number>();
  for (const [start, end] of spans) for (let at = start; at < end; at++) all.add(at);
  return all;
}

/** All spans within the first characters. */
function* everySpan(length: number): Generator<Span> {
  for (let start = 0; start <= length; start++) for (let end = start; end <= length; end++) yield [start, end];
}

const LISTS: Span[][] = [
  [],
  [[0, 3]],
  [
    [1, 2],
    [4, 6],
  ],
  [
    [0, 1],
    [2, 3],
    [5, 8],
  ],
  [[3, 8]],
];

describe("spans", () => {
  it("unite with one that overlaps or touches them", () => {
    expect(
      united(
        [
          [0, 2],
          [6, 8],
        ],
        [2, 6],
      ),
    ).toEqual([[0, 8]]);
    expect(
      united(
        [
          [0, 2],
          [6, 8],
        ],
        [3, 5],
      ),
    ).toEqual([
      [0, 2],
      [3, 5],
      [6, 8],
    ]);
  });

  it("are split by what is taken out of their middle", () => {
    expect(without([[0, 8]], [3, 5])).toEqual([
      [0, 3],
      [5, 8],
    ]);
    expect(without([[0, 8]], [0, 8])).toEqual([]);
  });

  it("are merged from any order, and what was given stays as it was", () => {
    const given: Span[] = [
      [5, 7],
      [0, 2],
      [1, 3],
      [3, 4],
    ];
    expect(merged(given)).toEqual([
      [0, 4],
      [5, 7],
    ]);
    expect(given).toEqual([
      [5, 7],
      [0, 2],
      [1, 3],
      [3, 4],
    ]);
  });

  it("contain their first position, not their end", () => {
    expect(
      spanAt(
        [
          [2, 4],
          [6, 7],
        ],
        2,
      ),
    ).toEqual([2, 4]);
    expect(
      spanAt(
        [
          [2, 4],
          [6, 7],
        ],
        4,
      ),
    ).toBeNull();
    expect(
      spanAt(
        [
          [2, 4],
          [6, 7],
        ],
        6,
      ),
    ).toEqual([6, 7]);
  });

  it("mean the same as the characters in them", () => {
    for (const spans of LISTS) {
      const has = characters(spans);
      for (const span of everySpan(8)) {
        const inside = characters([span]);
        if (span[0] < span[1]) expect(characters(united(spans, span))).toEqual(new Set([...inside, ...has].sort()));
        expect(characters(without(spans, span))).toEqual(new Set([...has].filter((at) => !inside.has(at))));
        const common = [...has].filter((at) => inside.has(at));
        expect(characters(within(spans, span))).toEqual(new Set(common));
        expect(within(spans, span).every(([start, end]) => start < end)).toBe(true);
        expect(covered(spans, span)).toBe(common.length);
      }
      expect(covered(spans)).toBe(has.size);
    }
  });
});

describe("lists", () => {
  it("name an item that does not exist", () => {
    expect(item([1, 2], 1)).toBe(2);
    expect(() => item([1, 2], 2)).toThrow("no item 2 of 2");
  });

  it("are searched by halves", () => {
    for (let count = 0; count < 9; count++) {
      for (let first = 0; first <= count; first++) expect(firstWhere(count, (number) => number >= first)).toBe(first);
    }
  });
});

describe("code points and UTF-16 units", () => {
  const TEXTS = ["", "plain", "a😀b", "😀😀", "x\u{10ffff}", "e\u0301 कि שלום", "a\ud800b", "👩‍👩‍👧 flag 🇩🇪"];

  it("are distinguished in every text", () => {
    for (const text of TEXTS) {
      const points = new Points(text);
      const each = [...text];
      expect(points.length).toBe(each.length);
      let unit = 0;
      each.forEach((character, point) => {
        expect(points.unit(point)).toBe(unit);
        expect(points.point(unit)).toBe(point);
        expect(points.slice(point, point + 1)).toBe(character);
        unit += character.length;
      });
      expect(points.unit(each.length)).toBe(text.length);
    }
  });

  it("never divide a surrogate pair", () => {
    const points = new Points("a😀b");
    expect([points.point(1), points.point(2), points.point(3)]).toEqual([1, 1, 2]);
    expect(points.unit(2)).toBe(3);
    expect(points.slice(1, 2)).toBe("😀");
  });

  it("end with the text", () => {
    expect(new Points("a😀").unit(99)).toBe(3);
    expect(new Points("a😀").slice(1, 99)).toBe("😀");
  });
});
