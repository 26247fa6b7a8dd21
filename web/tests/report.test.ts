import { describe, expect, it } from "vitest";
import type { DocumentView } from "../src/report/data";
import { positionsIn } from "../src/report/documents/positions";
import { fitted, forVega, fromVega, takesChosenRows, titleOf, withoutTitle } from "../src/report/figures/specs";
import { readFragment, written } from "../src/report/fragment";
import { csv, inWordsOf } from "../src/report/tables/csv";
import { brief, counted, percent, probability, score, signed } from "../src/shared/words";

describe("words", () => {
  it("say 0% and 100% only of nothing and everything", () => {
    expect([0, 0.004, 0.01, 0.5, 0.99, 0.996, 1].map(percent)).toEqual([
      "0%",
      "<1%",
      "1%",
      "50%",
      "99%",
      ">99%",
      "100%",
    ]);
  });

  it("never say that a p-value is zero", () => {
    expect([0.00001, 0.0005, 0.0123, 0.5].map(probability)).toEqual([
      "p < 0.0001",
      "p = 0.0005",
      "p = 0.012",
      "p = 0.50",
    ]);
  });

  it("count, sign and leave blank", () => {
    expect([counted(1, "run"), counted(1200, "run")]).toEqual(["1 run", "1,200 runs"]);
    expect([signed(0.5), signed(-0.5), signed(0), score(null)]).toEqual(["+0.5000", "−0.5000", "0.0000", "–"]);
  });

  it("shorten a text by whole characters", () => {
    expect(brief("  one\n two  ")).toBe("one two");
    expect(brief("😀".repeat(5), 3)).toBe("😀😀😀…");
  });
});

describe("CSV", () => {
  it("quotes what needs quotes, and fills short columns", () => {
    const columns: [string, (string | number | null)[]][] = [
      ["a,b", ['say "x"', "line\nbreak"]],
      ["n", [1.5]],
      ["", [null, 0]],
    ]; // names may be any
    expect(csv(columns)).toBe('"a,b",n,\n"say ""x""",1.5,\n"line\nbreak",,0\n');
    expect(csv([])).toBe("\n");
  });
});

describe("the end of an address", () => {
  const read = (hash: string): [string, [string, string[]][]] => {
    const { section, fields } = readFragment(hash);
    return [section, [...fields]];
  };

  it("comes back as it was written, whatever the names", () => {
    const names = ["a,b", "a=b&c", "?#%", "*", "ü 😀", "../x", "__proto__", "", " "];
    for (const section of ["", "topics"]) {
      const fields = new Map([
        ["runs", names],
        ["none", []],
        ["document", ["7", "a/b#c"]],
      ]);
      expect(read(written({ section, fields }))).toEqual([section, [...fields]]);
    }
    expect(written({ section: "", fields: new Map() })).toBe("");
    expect(written({ section: "topics", fields: new Map([["topic", ["7"]]]) })).toBe("#topics?topic=7");
  });

  it("passes over what cannot be read", () => {
    expect(read("#curves")).toEqual(["curves", []]);
    expect(read("#%E0%A4%A?runs=%&topic=7&x&=y")).toEqual(["", [["topic", ["7"]]]]);
    expect(read("")).toEqual(["", []]);
  });
});

describe("CSV of a page", () => {
  it("has the words of the page and the full names of runs", () => {
    const run = { colour: "", textColour: "", shown: true };
    const page = {
      subject: { run: "chunking", topic: "question", text: "evidence" },
      runs: [{ ...run, name: "a…z", full: "a to z" }],
    };
    expect(
      inWordsOf(page, [
        ["run", ["a…z", "other"]],
        ["topic", ["7"]],
        ["P", [1]],
      ]),
    ).toEqual([
      ["chunking", ["a to z", "other"]],
      ["question", ["7"]],
      ["P", [1]],
    ]);
  });
});

describe("specifications of figures", () => {
  const CHOSEN = { filter: "indexof(chosen, datum.run) >= 0" };

  it("keep names that every object has out of Vega's tables", () => {
    const row = { run: "constructor", title: "plain", values: ["toString", 3] };
    const made = forVega(row);
    expect(made.run).not.toBe("constructor");
    expect([made.title, fromVega(made.run)]).toEqual(["plain", "constructor"]);
    expect(row.run).toBe("constructor");
  });

  it("take only the chosen rows if they ask no more about them", () => {
    const spec = { params: [{ name: "chosen" }], transform: [CHOSEN, { calculate: "1" }], mark: "line" };
    expect(takesChosenRows(spec)).toBe(true);
    expect(takesChosenRows({ ...spec, title: { expr: "length(chosen)" } })).toBe(false);
    expect(takesChosenRows({ ...spec, transform: [{ calculate: "1" }, CHOSEN] })).toBe(false);
    expect(takesChosenRows({ mark: "line" })).toBe(false);
  });

  it("lose their titles on the page, and nothing else", () => {
    const spec = { title: { text: ["Two", "lines"] }, mark: "bar" };
    expect(titleOf(spec)).toBe("Two lines");
    expect(withoutTitle(spec)).toEqual({ mark: "bar" });
    expect(titleOf({})).toBe("");
  });

  it("fit panels into the width of the page", () => {
    expect(fitted({ columns: 3, spec: { width: 200 } }, 700)).toMatchObject({ columns: 2, spec: { width: 308 } });
    expect(fitted({ columns: 3, spec: { width: 200 } }, 100)).toMatchObject({ columns: 1 });
    expect(fitted({ columns: 2, usermeta: { axis: 150 }, spec: { width: 290 } }, 1000)).toMatchObject({
      columns: 2,
      spec: { width: 415 },
    });
    expect(fitted({ width: 500 }, 640)).toMatchObject({ width: 640 });
    expect(fitted({ width: 400, height: 250 }, 480)).toMatchObject({ width: 480, height: 300 });
    expect(fitted({ width: 400, height: 250 }, 1200)).toMatchObject({ height: 400 });
    expect(fitted({ width: 400, height: 250 }, 100)).toMatchObject({ height: 220 });
    expect(fitted({ width: 500, encoding: { row: {} } }, 640)).toEqual({ width: 500, encoding: { row: {} } });
  });
});

describe("positions in a document", () => {
  const VIEW: DocumentView = {
    topic: 0,
    doc: "a",
    text: "😀 one two",
    blocks: [
      [0, 2, "title"],
      [2, 9, "text"],
    ],
    highlights: [
      [2, 5],
      [9, 12],
    ],
    grades: [],
    bep: 6,
    outline: [],
    outlineCut: 0,
    results: [
      {
        run: 1,
        units: [
          [2, 9, 1],
          [20, 30, 2],
        ],
        read: [[4, 20]],
      },
    ],
    cuts: [{ runs: [1], ranges: [0, 5, 2, 4] }],
    why: "",
    cut: 3,
  };
  const positions = positionsIn(VIEW);

  it("count UTF-16 units, and leave out what lies beyond the text", () => {
    expect(positions.highlights).toEqual([{ start: 3, end: 6 }]);
    expect(positions.bep).toBe(7);
    expect(positions.blocks.map(({ start, end }) => VIEW.text.slice(start, end))).toEqual(["😀 ", "one two"]);
    expect(positions.results(1)).toEqual({ shown: [{ start: 3, end: 10, rank: 1 }], hidden: 1 });
    expect(positions.results(0)).toEqual({ shown: [], hidden: 0 });
  });

  it("end results where their readers stop", () => {
    expect(positions.read(1, 0)).toMatchObject([{ start: 3, end: 5, rank: 1, whole: { end: 10 } }]);
    expect(positions.read(1, 7)).toEqual(positions.results(1).shown);
  });

  it("add up chunks, which may overlap", () => {
    expect(positions.chunks(1)).toEqual([
      { start: 0, end: 6 },
      { start: 3, end: 7 },
    ]);
    expect(positions.chunks(0)).toEqual([]);
  });
});
