// The bar over the text: where one is, whether all is saved, and everything that keys do as buttons.

import type { Snap } from "../../shared/api-types";
import { button, element, named } from "../../shared/dom";
import { item } from "../../shared/lists";
import { counted } from "../../shared/words";
import { type Cursor, STEPS } from "../document/cursor";
import { queuePage, signOut } from "../judgment/api";
import type { Assessment } from "../judgment/assessment";
import type { PageActions } from "../keys";
import { announce, tell } from "./messages";

/** What a button does, and the key that does the same. */
function keyed(words: string, key: string): (Node | string)[] {
  return [words, element("span", { class: "key" }, ` (${key})`)];
}

const SNAPS: Snap[] = ["characters", "words", "sentences"];

export function bar(work: Assessment): HTMLElement {
  const { data } = work;
  const { position, total, done } = data.queue;
  const badges = element("span", { class: "badges" });
  work.watch(() => badges.replaceChildren(...badgesOf(work)));
  return element(
    "header",
    { class: "bar" },
    element(
      "p",
      { class: "whereabouts" },
      element("a", { href: queuePage(work.subject) }, work.subject.reading ? "Judgments" : "Queue"),
      " ",
      element("span", { class: "doc" }, named(data.title || data.doc)),
      " ",
      element(
        "span",
        { class: "note" },
        ...(data.title ? [named(data.doc), ", "] : []),
        `${position} of ${total}, ${done} done`,
      ),
      " ",
      original(data.original),
      badges,
    ),
    savingStatus(work),
    finishing(work),
  );
}

/** A link to where the document was published, in a tab that knows nothing of this one. */
function original(address: string | null): HTMLElement | null {
  if (address === null) return null;
  const attributes = { href: address, target: "_blank", rel: "noopener noreferrer", class: "original" };
  return element("a", attributes, "original");
}

function badgesOf(work: Assessment): HTMLElement[] {
  const { state } = work.judgment;
  const badges: [string, string][] = [];
  if (work.subject.reading) badges.push(["adjudicating", `Judgment of ${work.subject.reading}`]);
  if (work.data.adjudicating) badges.push(["adjudicating", "Adjudication"]);
  if (work.data.queue.offPool) badges.push(["off-pool", "outside the pool"]);
  if (work.data.closed) badges.push(["closed", "topic closed"]);
  if (state.status === "validated") badges.push(["validated", "done"]);
  else if (state.skipped) badges.push(["skipped", "skipped"]);
  if (work.view.problem) badges.push(["problem", "problem"]);
  return badges.map(([kind, words]) => element("span", { class: `badge ${kind}` }, words));
}

function finishing(work: Assessment): HTMLElement {
  const previous = button({ title: "Previous document" }, () => work.previous(), ...keyed("Previous", "p"));
  previous.disabled = work.data.queue.previous === null;
  const place = element("div", { class: "buttons finish" }, previous);
  if (work.isReadOnly) {
    place.append(button({ class: "primary" }, () => work.go(work.data.queue.next), ...keyed("Next", "n")));
    return place;
  }
  const validate = button(
    { class: "primary", title: "The document is done; go to the next one" },
    () => void work.finish("validate"),
    ...keyed("Done, next", "n"),
  );
  const empty = button(
    { title: "Nothing in the document is relevant; go to the next one" },
    () => void work.finish("not-relevant"),
    ...keyed("Not relevant", "x"),
  );
  place.append(
    button({ title: "Skip for now" }, () => void work.finish("skip"), ...keyed("Skip", "s")),
    empty,
    validate,
  );
  return place;
}

/** Buttons for what one does with the text. */
export function tools(work: Assessment, cursor: Cursor, pooled: HTMLElement | null, page: PageActions): HTMLElement {
  const selected = element("span", { class: "note selected" });
  const place = element("div", { class: "tools", role: "toolbar", "aria-label": "Text tools" });
  // Pressing a button must not lose the selection.
  place.addEventListener("mousedown", (event) => {
    if (!(event.target as Element).closest("select, input, label")) event.preventDefault();
  });
  if (work.hasHighlights) {
    place.append(
      button(
        { class: "highlight", title: "Highlight the selection" },
        () => work.highlight(),
        ...keyed("Highlight", "h"),
      ),
      button({ title: "Remove the highlight" }, () => work.unhighlight(), ...keyed("Remove", "u")),
    );
  }
  if (work.data.mode === "2006") {
    const clear = button(
      { title: "Leave the document without a best entry point" },
      () => work.clearEntry(),
      ...keyed("Clear best entry point", "Shift+B"),
    );
    place.append(
      button(
        { title: "Where a reader should begin: the beginning of the selection, or the cursor" },
        () => work.setEntry(),
        ...keyed("Set best entry point", "b"),
      ),
      clear,
    );
    work.watch(() => (clear.disabled = work.view.bep === null));
  }
  const comment = button({ title: "Comment on the selection or the passage" }, page.comment, ...keyed("Comment", "m"));
  comment.disabled = work.isReadOnly;
  place.append(comment);
  const undo = button({ title: "Undo the last change" }, () => work.undo(), ...keyed("Undo", "Ctrl+Z"));
  const redo = button({ title: "Redo what was undone" }, () => work.redo(), ...keyed("Redo", "Ctrl+Shift+Z"));
  work.watch(() => {
    undo.disabled = !work.canUndo || work.isReadOnly;
    redo.disabled = !work.canRedo || work.isReadOnly;
  });
  place.append(undo, redo, reopen(work), cursorControls(cursor));
  if (work.hasHighlights) place.append(snapControl(work));
  if (pooled) place.append(pooled);
  place.append(
    button({ title: "Find words in the document" }, page.find, ...keyed("Find", "f")),
    button({ title: "Size of the text, and highlighting by mouse" }, page.settings, "Settings"),
    button({ title: "Keys and rules" }, page.help, ...keyed("Help", "?")),
    selected,
  );
  sayWhatIsSelected(work, selected);
  return place;
}

function reopen(work: Assessment): HTMLElement {
  const made = button(
    { title: "The document is not done yet" },
    () => {
      if (!work.refusesEdits()) void work.submit({ kind: "reopen" });
    },
    "Reopen",
  );
  work.watch(() => (made.hidden = work.judgment.state.status !== "validated" || work.isReadOnly));
  return made;
}

function cursorControls(cursor: Cursor): HTMLElement {
  const toggle = button(
    { title: "A cursor in the text that the arrow keys move", class: "cursor" },
    () => cursor.toggle(),
    ...keyed("Text cursor", "c"),
  );
  const select = element("select", { "aria-label": "The cursor moves by" });
  for (const step of STEPS) select.append(element("option", { value: step }, `by ${step}`));
  select.addEventListener("change", () => cursor.setStep(item(STEPS, select.selectedIndex)));
  cursor.watch(() => {
    toggle.setAttribute("aria-pressed", String(cursor.isOn));
    select.value = cursor.step;
    select.hidden = !cursor.isOn;
  });
  return element("span", { class: "group" }, toggle, select);
}

function snapControl(work: Assessment): HTMLElement {
  const select = element("select", {});
  for (const snap of SNAPS) select.append(element("option", { value: snap }, `whole ${snap}`));
  select.value = work.snap;
  select.addEventListener("change", () => {
    work.snap = item(SNAPS, select.selectedIndex);
    document.dispatchEvent(new Event("selectionchange"));
  });
  return element("label", { class: "snap" }, element("span", { class: "visually-hidden" }, "Highlights cover"), select);
}

/** How much is selected; what snapping adds to it is painted. */
function sayWhatIsSelected(work: Assessment, line: HTMLElement): void {
  let _planned = 0;
  const update = (): void => {
    _planned = 0;
    const spans = work.hasHighlights ? work.selected() : [];
    const characters = spans.reduce((sum, [start, end]) => sum + end - start, 0);
    line.textContent = characters ? `${counted(characters, "character")} selected` : "";
    work.painter.paint("selected", work.snap === "characters" ? [] : spans);
  };
  document.addEventListener("selectionchange", () => {
    _planned ||= requestAnimationFrame(update);
  });
}

// "saved", "saving", "n unsaved", and what to do if something is in the way.

/** The page is left on purpose, with changes that the browser keeps. */
let isLeaving = false;

export function savingStatus(work: Assessment): HTMLElement {
  const words = element("span", { class: "words" });
  const place = element("span", { class: "saving" }, words);
  const here = encodeURIComponent(location.pathname + location.search);
  const signIn = element("a", { class: "button", href: `/login?next=${here}` }, "Sign in again");
  signIn.addEventListener("click", () => (isLeaving = true));
  const changeUser = button(
    {},
    () => {
      isLeaving = true;
      void signOut().then(() => location.assign(signIn.href));
    },
    `Sign in as ${work.data.user}`,
  );
  const reload = button(
    {},
    () => {
      isLeaving = true;
      location.reload();
    },
    "Reload",
  );
  const drop = button({}, () => work.sync.discard(work.judgment.version), "Discard them");
  const retry = button({}, () => work.sync.retry(), "Try now");
  const ways = {
    "signed-out": [signIn],
    user: [changeUser],
    offline: [retry],
    text: [reload],
    closed: [drop],
    forbidden: [drop],
    conflict: [reload],
  };
  work.watch(() => {
    const { obstacle, isSending, queue } = work.sync;
    const state = queue.length === 0 ? "saved" : obstacle ? "unsaved" : "saving";
    const status =
      state === "saved" ? "saved" : state === "saving" && isSending ? "saving…" : `${queue.length} unsaved`;
    if (words.textContent !== status) words.textContent = status;
    place.dataset.state = state;
    place.title = queue.isKept ? "" : "This browser keeps nothing: do not close the page before everything is saved.";
    const way = state === "unsaved" && obstacle ? ways[obstacle] : [];
    if (place.children.length !== 1 + way.length || place.children[1] !== way[0]) place.replaceChildren(words, ...way);
  });
  addEventListener("beforeunload", (event) => {
    if (work.sync.queue.length > 0 && !isLeaving) event.preventDefault();
  });
  return place;
}

// The layer of what the systems returned, if the organiser allows assessors to see it.

export interface Pooled {
  control: HTMLElement | null;
  toggle(): void;
}

export function pooled(work: Assessment): Pooled {
  const spans = work.data.pooled;
  if (spans === null) {
    return { control: null, toggle: () => tell("The organiser does not show what the systems returned.") };
  }
  const box = element("input", { type: "checkbox" });
  const set = (on: boolean): void => {
    box.checked = on;
    work.painter.paint("pooled", on ? spans : []);
    announce(`Pooled elements ${on ? "shown" : "hidden"}.`);
  };
  box.addEventListener("change", () => set(box.checked));
  return {
    control: element("label", { class: "check pooled" }, box, " pooled elements (o)"),
    toggle: () => set(!box.checked),
  };
}

// On a narrow window the text, the topic and the judgment take turns.

const VIEWS = [
  ["text", "Text"],
  ["topic", "Topic"],
  ["judgment", "Judgment"],
] as const;

export function views(): HTMLElement {
  const { body } = document;
  const place = element("div", { class: "views", role: "group", "aria-label": "What to see" });
  const buttons = VIEWS.map(([view, name]) => button({}, () => set(view), name));
  const set = (view: string): void => {
    body.dataset.view = view;
    VIEWS.forEach(([name], at) => item(buttons, at).setAttribute("aria-pressed", String(name === view)));
  };
  addEventListener("viewchange", () => set(body.dataset.view ?? "text"));
  place.append(...buttons);
  set("text");
  return place;
}
