import { describe, expect, it } from "vitest";
import { Boundaries, type Edges } from "../src/assess/document/boundaries";
import { keywordSpans } from "../src/assess/panels/topic";

/** A text of which each part is a block, such as a paragraph. */
function inBlocks(...blocks: string[]) {
  const text = blocks.join("");
  const starts = blocks.map((_, at) => blocks.slice(0, at).join("").length);
  const runAround = (unit: number): Edges => {
    const at = starts.filter((start) => start <= unit).length - 1;
    return [starts[at] ?? 0, starts[at + 1] ?? text.length];
  };
  return { text, runAround, isPreformatted: () => false, isHidden: () => false };
}

const FAMILY = "👩‍👩‍👧";

describe("boundaries", () => {
  it("of characters keep clusters whole", () => {
    const { text, ...rest } = inBlocks(`a${FAMILY}e\u0301🇩🇪b`);
    const boundaries = new Boundaries({ text, ...rest });
    const family: Edges = [1, 1 + FAMILY.length];
    for (let unit = family[0]; unit < family[1]; unit++) expect(boundaries.character(unit)).toEqual(family);
    expect(boundaries.snapped([family[0] + 2, family[0] + 3], "characters")).toEqual(family);
    const accent = text.indexOf("e\u0301");
    expect(boundaries.snapped([accent + 1, accent + 2], "characters")).toEqual([accent, accent + 2]);
    expect(boundaries.character(text.length)).toEqual([text.length, text.length]);
  });

  it("of words and sentences end where a block does", () => {
    const boundaries = new Boundaries(inBlocks("Head", "ing is one. Two follows", " here. "));
    expect(boundaries.word(2)).toEqual([0, 4]);
    expect(boundaries.word(4)).toEqual([4, 7]);
    expect(boundaries.sentence(5)).toEqual([4, 15]);
    expect(boundaries.sentence(17)).toEqual([16, 27]);
    expect(boundaries.paragraph(29)).toEqual([28, 33]);
  });

  it("snap outwards to words and sentences, never inwards", () => {
    const { text, ...rest } = inBlocks("One fine day. It rained a lot.");
    const boundaries = new Boundaries({ text, ...rest });
    expect(boundaries.snapped([5, 6], "words")).toEqual([4, 8]);
    expect(boundaries.snapped([5, 18], "words")).toEqual([4, 23]);
    expect(boundaries.snapped([5, 6], "sentences")).toEqual([0, 13]);
    expect(boundaries.snapped([5, 15], "sentences")).toEqual([0, text.length]);
    for (const snap of ["characters", "words", "sentences"] as const) {
      for (let start = 0; start < text.length; start++) {
        for (let end = start + 1; end <= text.length; end++) {
          const [first, last] = boundaries.snapped([start, end], snap);
          expect(first).toBeLessThanOrEqual(start);
          expect(last).toBeGreaterThanOrEqual(end);
        }
      }
    }
    expect(boundaries.snapped([5, 5], "words")).toEqual([5, 5]);
  });

  it("leave out white space at the edges of blocks, and only there", () => {
    const boundaries = new Boundaries(inBlocks("\n One \n", "\n Two \n"));
    expect(boundaries.withoutBlockEdges([0, 9])).toEqual([2, 5]); // a triple click reaches into the next block
    expect(boundaries.withoutBlockEdges([3, 11])).toEqual([3, 11]);
    expect(boundaries.withoutBlockEdges([5, 9])).toEqual([5, 9]); // nothing but white space
  });
});

describe("keywords", () => {
  const words = (text: ReturnType<typeof inBlocks>, keyword: string): string[] =>
    keywordSpans(text, keyword).map(([start, end]) => text.text.slice(start, end));

  it("are whole words, in any case, over any white space", () => {
    const text = inBlocks("Fog and foggy FOG; fog-horn,\nthe   fog and");
    expect(words(text, "fog")).toEqual(["Fog", "FOG", "fog", "fog"]);
    expect(words(text, "the fog")).toEqual(["the   fog"]);
    expect(words(text, "fog*")).toEqual(["Fog", "foggy", "FOG", "fog", "fog"]);
    expect(words(text, "*")).toEqual([]);
  });

  it("may hold what means something in a pattern", () => {
    expect(words(inBlocks("C++ and (a|b) [x] c++"), "c++")).toEqual(["C++", "c++"]);
    expect(words(inBlocks("C++ and (a|b) [x]"), "(a|b)")).toEqual(["(a|b)"]);
  });

  it("end where a block does, and are found in scripts without spaces", () => {
    expect(words(inBlocks("fog", "horn"), "fog")).toEqual(["fog"]);
    expect(words(inBlocks("大雾弥漫"), "雾")).toEqual(["雾"]);
    expect(words(inBlocks("x𝒜y 𝒜"), "𝒜")).toEqual(["𝒜"]);
  });
});
