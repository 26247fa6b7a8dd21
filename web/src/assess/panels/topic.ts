// The statement of the topic, always at hand, and its keywords: coloured in the text, and editable.

import type { Span, TopicData } from "../../shared/api-types";
import { button, element, named } from "../../shared/dom";
import { item } from "../../shared/lists";
import { literally } from "../../shared/words";
import type { TextInRuns } from "../document/boundaries";
import type { Cursor } from "../document/cursor";
import { jumpTo } from "../document/scrolling";
import { saveKeywords } from "../judgment/api";
import type { Assessment } from "../judgment/assessment";
import { announce, tell } from "./messages";

/** The question in a line over the text, where there is no room for the panel beside it. */
export function questionLine(topic: TopicData): HTMLElement {
  const { id, title, description, narrative } = topic;
  const question = [description, title ? null : narrative].find(Boolean);
  return element(
    "details",
    { class: "question", "aria-label": "Topic" },
    element(
      "summary",
      {},
      element("strong", {}, named(title || `Topic ${id}`)),
      question ? " " : null,
      question ? element("span", {}, named(question)) : null,
    ),
    factsOf(topic),
  );
}

export function topicPanel(topic: TopicData): HTMLElement {
  const facts = factsOf(topic);
  return element(
    "section",
    { class: "panel", id: "topic" },
    topic.title
      ? element(
          "h2",
          { class: "topic-title" },
          named(topic.title),
          " ",
          element("span", { class: "note" }, named(topic.id)),
        )
      : element("h2", {}, "Topic ", named(topic.id)),
    facts.childElementCount ? facts : null,
  );
}

function factsOf(topic: TopicData): HTMLElement {
  const facts = element("dl", { class: "facts" });
  const rows: [string, string | null | undefined][] = [
    ["Description", topic.description],
    ["Narrative", topic.narrative],
    ["Structured query", topic.castitle],
  ];
  for (const [name, words] of rows) {
    if (words) facts.append(element("dt", {}, name), element("dd", {}, named(words)));
  }
  return facts;
}

const COLOURS = 8;
/** More occurrences than this of a keyword are not coloured. */
const MAX_COLOURED = 4_000;
/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const IN_WORD = /[\p{L}\p{N}\p{M}]/u;

export interface Keywords {
  panel: HTMLElement;
  toggle(): void;
  /** Go to the next keyword in the text, or to the one before. */
  step(isForward: boolean): void;
}

export function keywords(work: Assessment, cursor: Cursor): Keywords {
  let words = work.data.keywords;
  let isOn = true;
  const list = element("ul", { class: "keywords" });
  const field = element("input", {
    type: "text",
    name: "keywords",
    autocomplete: "off",
    maxlength: "2000",
    "aria-describedby": "keyword-hint",
  });
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
      if (work.subject.reading) return; // coloured on this page alone
      await saveKeywords(work.subject.topic, words);
      announce("Keywords saved.");
    } catch (error) {
      tell(`The keywords are not saved: ${(error as Error).message}`, "alert");
    }
  }

  function draw(): void {
    field.value = words.join(", ");
    const spansOf = words.map((word) => (isOn ? keywordSpans(work.shown, word) : []));
    for (let colour = 0; colour < COLOURS; colour++) {
      const colouredSpans = spansOf.filter((_, at) => at % COLOURS === colour).flat();
      work.painter.paintUnits(`k${colour}`, colouredSpans);
    }
    list.replaceChildren(
      ...words.map((word, at) => {
        const count = item(spansOf, at).length;
        const label = isOn ? ` ${count >= MAX_COLOURED ? `${MAX_COLOURED}+` : count}` : "";
        return element(
          "li",
          {},
          element("span", { class: `keyword k${at % COLOURS}` }, element("bdi", {}, word)),
          label,
        );
      }),
    );
  }

  function set(on: boolean): void {
    isOn = on;
    shown.checked = on;
    draw();
    announce(`Keyword colours ${on ? "on" : "off"}.`);
  }

  const place = element("span", { class: "note" });
  function step(isForward: boolean): void {
    const spans = words.flatMap((word) => keywordSpans(work.shown, word)).sort((a, b) => a[0] - b[0]);
    const total = spans.length;
    if (total === 0) return tell("None of the keywords is in this document.");
    const here = cursor.position();
    const before = spans.filter(([start]) => start < here).length;
    const found = isForward ? spans.findIndex(([start]) => start > here) : before - 1;
    const at = found >= 0 ? found : isForward ? 0 : total - 1;
    const [start, end] = item(spans, at);
    const { points } = work.shown;
    cursor.moveTo(start);
    jumpTo(work, [points.point(start), points.point(end)]);
    place.textContent = `${at + 1} of ${total}`;
    const around = found >= 0 ? "" : isForward ? "From the beginning: " : "From the end: ";
    announce(`${around}keyword ${at + 1} of ${total}: ${work.briefFrom(points.point(start), 60)}`);
  }

  draw();
  const panel = element(
    "section",
    { class: "panel", id: "keywords" },
    element("h2", {}, "Keywords"),
    element("label", { class: "check" }, shown, " colour them (k)"),
    list,
    element(
      "p",
      { class: "buttons steps" },
      button({ "aria-label": "Previous keyword" }, () => step(false), "‹ (,)"),
      button({ "aria-label": "Next keyword" }, () => step(true), "› (.)"),
      place,
    ),
    element(
      "details",
      {},
      element("summary", {}, "Edit"),
      form,
      element(
        "p",
        { class: "note", id: "keyword-hint" },
        "A word or phrase; comput* also finds computers. Only you see your keywords.",
      ),
      button({ class: "link" }, () => void save([]), "Remove all"),
    ),
  );
  return { panel, toggle: () => set(!isOn), step };
}

function parsed(given: string): string[] {
  const words = given.split(/[,;\n]/).map((word) => word.trim().replace(/\s+/g, " "));
  return [...new Set(words.filter(Boolean))].slice(0, 100);
}

/** Where a keyword stands in a document, in UTF-16 units. Words also end where a paragraph does. */
export function keywordSpans(shown: TextInRuns, keyword: string): Span[] {
  const { text } = shown;
  const core = keyword.replace(/\*+$/, "");
  if (!core) return [];
  const isUnspaced = UNSPACED.test(core);
  const rest = keyword.endsWith("*") && !isUnspaced ? "[\\p{L}\\p{N}\\p{M}]*" : "";
  const pattern = new RegExp(core.split(/\s+/).map(literally).join("\\s+") + rest, "giu");
  const begins = (at: number): boolean => !IN_WORD.test(before(text, at)) || shown.runAround(at)[0] === at;
  const ends = (at: number): boolean => !IN_WORD.test(after(text, at)) || shown.runAround(at)[0] === at;
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (!isUnspaced && !(begins(match.index) && ends(end))) continue;
    spans.push([match.index, end]);
    if (spans.length >= MAX_COLOURED) break;
  }
  return spans;
}

/** The character before a position, and the one after it; an astral one is two units long. */
function before(text: string, at: number): string {
  const last = text.slice(Math.max(at - 2, 0), at);
  return /^[\ud800-\udbff]/.test(last) ? last : last.slice(-1);
}

function after(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}
