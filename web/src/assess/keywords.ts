// Keywords of the topic: coloured in the text, and editable.

import { button, element } from "../shared/dom";
import { announce, tell } from "./announce";
import { saveKeywords } from "./api";
import type { Assessment } from "./assessment";
import type { Span } from "./data";
import type { Layer } from "./paint";

const COLOURS = 8;
/** More places than this of one keyword are not coloured. */
const MOST = 4_000;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export interface Keywords {
  panel: HTMLElement;
  toggle(): void;
}

export function keywords(work: Assessment): Keywords {
  let words = work.data.keywords;
  let isOn = true;
  const list = element("ul", { class: "keywords" });
  const field = element("input", { type: "text", name: "keywords", autocomplete: "off", maxlength: "2000", "aria-describedby": "keyword-hint" });
  const shown = element("input", { type: "checkbox", checked: "" });
  const form = element(
    "form",
    { class: "row" },
    element("label", {}, "Keywords, separated by commas", field),
    element("button", {}, "Save"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void save(parsed(field.value));
  });
  shown.addEventListener("change", () => set(shown.checked));

  async function save(given: string[]): Promise<void> {
    words = given;
    draw();
    try {
      await saveKeywords(work.subject.topic, words);
      announce("Keywords saved.");
    } catch (error) {
      tell(`The keywords are not saved: ${(error as Error).message}`, "alert");
    }
  }

  function draw(): void {
    field.value = words.join(", ");
    const found = words.map((word) => (isOn ? places(work.shown.text, word) : []));
    for (let colour = 0; colour < COLOURS; colour++) {
      const spans = found.filter((_, at) => at % COLOURS === colour).flat();
      work.painter.paintUnits(`k${colour}` as Layer, spans);
    }
    list.replaceChildren(
      ...words.map((word, at) => {
        const count = found[at]!.length;
        const label = isOn ? ` ${count >= MOST ? `${MOST}+` : count}` : "";
        return element("li", {}, element("span", { class: `keyword k${at % COLOURS}` }, element("bdi", {}, word)), label);
      }),
    );
  }

  function set(on: boolean): void {
    isOn = on;
    shown.checked = on;
    draw();
    announce(`Keyword colours ${on ? "on" : "off"}.`);
  }

  draw();
  const panel = element(
    "section",
    { class: "panel", id: "keywords" },
    element("h2", {}, "Keywords"),
    element("label", { class: "check" }, shown, " colour them (k)"),
    list,
    element(
      "details",
      {},
      element("summary", {}, "Edit"),
      form,
      element("p", { class: "note", id: "keyword-hint" }, "A word or phrase; comput* also finds computers. Only you see your keywords."),
      button({ class: "link" }, () => void save([]), "Remove all"),
    ),
  );
  return { panel, toggle: () => set(!isOn) };
}

function parsed(given: string): string[] {
  const words = given.split(/[,;\n]/).map((word) => word.trim().replace(/\s+/g, " "));
  return [...new Set(words.filter(Boolean))].slice(0, 100);
}

/** Where a keyword stands in a text, in UTF-16 units. */
export function places(text: string, keyword: string): Span[] {
  const isPrefix = keyword.endsWith("*");
  const core = keyword.replace(/\*+$/, "");
  if (!core) return [];
  const pattern = core.split(/\s+/).map(escaped).join("\\s+");
  const isUnspaced = UNSPACED.test(core);
  const before = isUnspaced ? "" : "(?<![\\p{L}\\p{N}])";
  const after = isUnspaced ? "" : isPrefix ? "[\\p{L}\\p{N}\\p{M}]*" : "(?![\\p{L}\\p{N}\\p{M}])";
  const found: Span[] = [];
  for (const match of text.matchAll(new RegExp(before + pattern + after, "giu"))) {
    found.push([match.index, match.index + match[0].length]);
    if (found.length >= MOST) break;
  }
  return found;
}

function escaped(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
