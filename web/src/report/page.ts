// What the parts of the page share: the data, which runs are chosen, and what is to be opened.

import { all } from "../shared/dom";
import { item } from "../shared/lists";
import type { ReportMeasure, ReportTopic } from "../shared/report-types";
import { Address } from "./address";
import type { ReportData, ReportRun } from "./data";

type Listener<Arguments extends unknown[]> = (...values: Arguments) => void;

/** Whoever wants to know of something, and those who tell them. */
class Signal<Arguments extends unknown[]> {
  readonly #listeners: Listener<Arguments>[] = [];

  listen(listener: Listener<Arguments>): void {
    this.#listeners.push(listener);
  }

  tell(...values: Arguments): void {
    for (const listener of this.#listeners) listener(...values);
  }
}

export class Page {
  readonly #runs: Set<number>;
  readonly #choosing = new Signal<[]>();
  readonly #topics = new Signal<[number]>();
  readonly #documents = new Signal<[number, number[]]>();

  readonly address = new Address();

  constructor(readonly data: ReportData) {
    const first = data.runs.flatMap((run, at) => (run.shown ? [at] : []));
    this.#runs = new Set(first);
    this.address.keep("runs", {
      words: () => {
        const isFirst = first.length === this.#runs.size && first.every((at) => this.#runs.has(at));
        return isFirst ? null : data.runs.flatMap(({ full }, at) => (this.#runs.has(at) ? [full] : []));
      },
      show: (words) => {
        const known = (words ?? []).map((name) => this.runCalled(name)).filter((at) => at >= 0);
        this.choose(words && (known.length || !words.length) ? known : first);
      },
    });
  }

  /** The number of the run with a name; -1 if there is none. */
  runCalled(name: string | undefined): number {
    return this.data.runs.findIndex((run) => run.full === name);
  }

  /** The runs that figures and tables show. */
  get chosen(): ReadonlySet<number> {
    return this.#runs;
  }

  /** The names of the chosen runs, best first. */
  get chosenNames(): string[] {
    return this.data.runs.flatMap((run, at) => (this.#runs.has(at) ? [run.name] : []));
  }

  /** Show these runs everywhere, and no others. */
  choose(runs: Iterable<number>): void {
    const chosen = [...runs];
    if (chosen.length === this.#runs.size && chosen.every((run) => this.#runs.has(run))) return;
    this.#runs.clear();
    for (const run of chosen) this.#runs.add(run);
    this.#choosing.tell();
    this.address.changed();
  }

  /** Show a run everywhere, or hide it. */
  toggle(run: number): void {
    if (!this.#runs.delete(run)) this.#runs.add(run);
    this.#choosing.tell();
    this.address.changed();
  }

  onChosen(listener: () => void): void {
    this.#choosing.listen(listener);
  }

  openTopic(topic: number): void {
    if (!(topic in this.data.topics)) return;
    this.address.leave();
    this.#topics.tell(topic);
  }

  onTopic(listener: (topic: number) => void): void {
    this.#topics.listen(listener);
  }

  /** Show a document with no run, one, or two side by side. */
  openDocument(document: number, runs: number[] = []): void {
    if (!(document in this.data.documents)) return;
    this.address.leave();
    this.#documents.tell(document, runs);
  }

  onDocument(listener: (document: number, runs: number[]) => void): void {
    this.#documents.listen(listener);
  }

  /** What is known about a run, a measure or a topic, by its number. */
  run(number: number): ReportRun {
    return item(this.data.runs, number);
  }

  measure(number: number): ReportMeasure {
    return item(this.data.measures, number);
  }

  topic(number: number): ReportTopic {
    return item(this.data.topics, number);
  }

  /** A topic's id and title. */
  topicName(topic: number): string {
    const { id, title } = item(this.data.topics, topic);
    return title ? `${id} · ${title}` : id;
  }
}

// Buttons of topics and documents anywhere on the page open what they name.

export function openers(page: Page): void {
  document.addEventListener("click", (event) => {
    const pressed = (event.target as Element).closest<HTMLElement>("button");
    if (pressed?.matches(".topic[data-topic]")) page.openTopic(Number(pressed.dataset.topic));
    if (pressed?.matches(".document[data-document]")) {
      const runs = (pressed.dataset.runs ?? "").split(",").filter(Boolean).map(Number);
      page.openDocument(Number(pressed.dataset.document), runs);
    }
  });
}

// The bar of contents: it marks the section that is being read.

export function contents(): void {
  const links = new Map(all<HTMLAnchorElement>("nav#contents a[href^='#']").map((link) => [link.hash.slice(1), link]));
  const visible = new Set<string>();
  const sections = all("main section[id]");
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) visible.add(entry.target.id);
        else visible.delete(entry.target.id);
      const current = sections.find((section) => visible.has(section.id))?.id;
      for (const [id, link] of links) {
        if (id === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      if (current) reveal(links.get(current));
    },
    { rootMargin: "-20% 0px -60% 0px" },
  );
  for (const section of sections) observer.observe(section);
}

/** Scroll the bar, and only the bar, so that a link can be seen. */
function reveal(link: HTMLElement | undefined): void {
  const bar = link?.closest("ul");
  if (!link || !bar) return;
  const [at, from] = [link.getBoundingClientRect(), bar.getBoundingClientRect()];
  if (at.left < from.left) bar.scrollLeft -= from.left - at.left + 16;
  else if (at.right > from.right) bar.scrollLeft += at.right - from.right + 16;
}
