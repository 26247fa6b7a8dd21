// The page on which one document is judged.

import type { ArticleData } from "../shared/api-types";
import { button, type Child, element } from "../shared/dom";
import { Cursor } from "./document/cursor";
import { entryMark } from "./document/scrolling";
import { mismatch, unsupported } from "./document/verify";
import { article, queuePage, ServerError, type Subject } from "./judgment/api";
import { Assessment } from "./judgment/assessment";
import { keepTime } from "./judgment/timing";
import { listenToKeys, type PageActions } from "./keys";
import { adjudication, takeSide } from "./panels/adjudication";
import { comments, writeComment } from "./panels/comments";
import { heldChanges, showHelp } from "./panels/dialogs";
import { finder } from "./panels/find";
import { textFinder } from "./panels/find-in-text";
import { gradesPanel } from "./panels/grades2003";
import { exhaustivityPanel } from "./panels/grades2005";
import { outline } from "./panels/outline";
import { checks, notes, passages } from "./panels/passages";
import { highlightOnRelease, Settings, showSettings } from "./panels/settings";
import { bar, pooled, tools, views } from "./panels/toolbar";
import { keywords, questionLine, topicPanel } from "./panels/topic";

export async function openArticle(main: HTMLElement): Promise<void> {
  const { topic = "", doc = "", judge = "", reading } = main.dataset;
  const subject: Subject = reading ? { topic, doc, judge, reading } : { topic, doc, judge };
  const trouble = unsupported();
  if (trouble) return stop(main, subject, trouble);
  const waiting = element("p", { class: "note waiting", role: "status" }, "Loading the document…");
  main.append(waiting);
  let data: ArticleData;
  try {
    data = await article(subject);
  } catch (error) {
    return failed(main, subject, error as Error);
  } finally {
    waiting.remove();
  }
  const work = new Assessment(subject, data);
  const wrong = mismatch(work.shown.root.textContent ?? "", work.shown.points, data);
  if (wrong) {
    return stop(
      main,
      subject,
      `${wrong} It cannot be assessed, since highlights would stand in the wrong places. Please reload the page, and tell the organiser if this message comes again.`,
    );
  }
  // A page that comes back from the browser's memory would show an old version.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  show(main, work);
}

function show(main: HTMLElement, work: Assessment): void {
  const { data } = work;
  const layer = element("div", { class: "layer" });
  const cursor = new Cursor(work, layer);
  const systems = pooled(work);
  const words = keywords(work, cursor);
  const settings = new Settings(data.user);
  const finding = textFinder(work, cursor);
  const actions: PageActions = {
    toggleKeywords: words.toggle,
    stepKeyword: words.step,
    togglePooled: systems.toggle,
    find: finding.open,
    toggleRelease: () => settings.toggleRelease(),
    resize: (step) => settings.resize(step),
    settings: () => showSettings(work, settings),
    takeSide: (key) => takeSide(work, key),
    help: () => showHelp(data.mode, data.adjudicating),
    comment: () => writeComment(work),
  };
  const { root } = work.shown;
  for (const [name, value] of [
    ["tabindex", "0"],
    ["role", "region"],
    ["aria-label", "Document text"],
    ["lang", ""],
    ["translate", "no"],
  ] as const) {
    root.setAttribute(name, value);
  }
  const left = element(
    "aside",
    { class: "side left", "aria-label": "Topic and outline" },
    topicPanel(data.topic),
    words.panel,
    outline(work),
  );
  const right = element(
    "aside",
    { class: "side right", "aria-label": "Judgment" },
    heldChanges(work),
    checks(work),
    ...judgmentPanels(work),
    comments(work),
    notes(work),
    work.subject.reading ? null : finder(work),
  );
  const text = element("div", { class: "text" }, layer, root);
  const head = element(
    "div",
    { class: "head" },
    bar(work),
    tools(work, cursor, systems.control, actions),
    finding.bar,
    questionLine(data.topic),
    views(),
  );
  main.append(head, element("div", { class: "workspace" }, left, text, right));
  paintJudgment(work);
  if (data.mode === "2006") entryMark(work, layer);
  highlightOnRelease(work, settings);
  settings.watch(() => text.style.setProperty("--text-size", String(settings.textSize / 100)));
  new ResizeObserver(() => main.style.setProperty("--head", `${head.offsetHeight}px`)).observe(head);
  listenToKeys(work, cursor, actions);
  if (!work.isReadOnly) keepTime(work.subject, data.user);
  cursor.restore();
  work.sync.retry();
  document.documentElement.classList.add("alive");
}

function judgmentPanels(work: Assessment): HTMLElement[] {
  const panels: HTMLElement[] = [];
  if (work.hasHighlights) panels.push(passages(work));
  if (work.data.mode === "2005") panels.push(exhaustivityPanel(work));
  if (work.data.mode === "2003") panels.push(gradesPanel(work));
  if (work.data.adjudicating) panels.push(adjudication(work, work.data.others ?? []));
  return panels;
}

/** The browser paints what the server says, and otherwise what it has not yet said. */
function paintJudgment(work: Assessment): void {
  work.watch(() => {
    work.painter.paint("relevant", work.view.highlights);
    work.painter.paint("pending", work.view.pending);
    work.painter.paint("removing", work.view.removing);
  });
}

function failed(main: HTMLElement, subject: Subject, error: Error): void {
  if (error instanceof ServerError && error.status === 401) {
    location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    return;
  }
  stop(
    main,
    subject,
    error.message,
    button({ class: "primary" }, () => location.reload(), "Try again"),
  );
}

function stop(main: HTMLElement, subject: Subject, words: string, ...ways: Child[]): void {
  const back = element("a", { class: "button", href: queuePage(subject) }, "Back to the queue");
  main.append(
    element(
      "div",
      { class: "stopped" },
      element("p", { class: "problem", role: "alert" }, words),
      element("p", { class: "buttons" }, ...ways, back),
    ),
  );
}
