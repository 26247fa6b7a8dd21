// Comments on passages: written in a dialog, listed beside the text, marked in it.

import { type Comment, LONGEST_COMMENT, type Span } from "../../shared/api-types";
import { button, element } from "../../shared/dom";
import { brief } from "../../shared/words";
import { jumpTo } from "../document/scrolling";
import type { Assessment } from "../judgment/assessment";
import { dialog } from "./dialogs";
import { tell } from "./messages";

/** Comment on a passage: by default what is selected, or the passage at the cursor. */
export function writeComment(work: Assessment, span: Span | null = work.passageHere()): void {
  if (work.refusesEdits()) return;
  if (span === null) {
    tell("Select what to comment on, or put the cursor into a highlighted passage; then press m.");
    return;
  }
  const before = commentOn(work, span)?.[2] ?? "";
  const field = element("textarea", { rows: "4", maxlength: String(LONGEST_COMMENT) });
  field.value = before;
  const save = (words: string): void => {
    shown.close();
    work.comment(span, words);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(field.value);
  });
  const remove = before ? button({}, () => save(""), "Remove the comment") : null;
  const shown = dialog(
    "Comment on a passage",
    element("blockquote", {}, work.brief(span, 300)),
    element("label", {}, "Comment, for the organiser and for yourself", field),
    element(
      "div",
      { class: "buttons" },
      button({ class: "primary" }, () => save(field.value), "Save"),
      remove,
      button({}, () => shown.close(), "Cancel"),
    ),
  );
  field.focus();
}

export function comments(work: Assessment): HTMLElement {
  const list = element("ol", { class: "comments" });
  const place = element("section", { class: "panel", id: "comments" }, element("h2", {}, "Comments"), list);
  let before: Comment[] | null = null;
  work.watch(() => {
    const given = work.view.comments;
    if (given === before) return;
    before = given;
    place.hidden = given.length === 0;
    list.replaceChildren(...given.map((comment) => row(work, comment)));
    work.painter.paint(
      "comment",
      given.map(([start, end]): Span => [start, end]),
    );
  });
  return place;
}

function row(work: Assessment, [start, end, words]: Comment): HTMLElement {
  const span: Span = [start, end];
  const quote = work.brief(span, 80);
  const change = button(
    { class: "take", "aria-label": `Change the comment on ${brief(quote, 40)}` },
    () => writeComment(work, span),
    "Change",
  );
  return element(
    "li",
    {},
    button({ class: "jump" }, () => jumpTo(work, span), quote),
    element("p", {}, words, " ", work.isReadOnly ? null : change),
  );
}

function commentOn(work: Assessment, [start, end]: Span): Comment | undefined {
  return work.view.comments.find((comment) => comment[0] === start && comment[1] === end);
}
