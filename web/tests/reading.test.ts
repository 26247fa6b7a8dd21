import { describe, expect, it } from "vitest";
import { matches } from "../src/assess/panels/find-in-text";

describe("finding words in the text", () => {
  const found = (text: string, words: string, most?: number) =>
    matches(text, words, most).map(([start, end]) => text.slice(start, end));

  it("takes any case, any white space, and the words as they are", () => {
    expect(found("Low tide, low\n tide. Flow", "low  tide")).toEqual(["Low tide", "low\n tide"]);
    expect(found("a.b a+b (a)", "a+b")).toEqual(["a+b"]);
    expect(found("ÉTÉ été", "été")).toEqual(["ÉTÉ", "été"]);
    expect(found("anything", "  ")).toEqual([]);
  });

  it("gives places in UTF-16 units, also behind astral characters", () => {
    expect(matches("😀 tide", "tide")).toEqual([[3, 7]]);
    expect(matches("x😀x", "😀")).toEqual([[1, 3]]);
  });

  it("stops at the most that is shown", () => {
    expect(found("aaaa", "a", 3)).toHaveLength(3);
  });
});
