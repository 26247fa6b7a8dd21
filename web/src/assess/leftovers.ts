// Changes that this browser keeps for the user, in documents that are not open.

import { element, named } from "../shared/dom";
import { articlePage } from "./api";
import { counted } from "./wording";

const KEY = /^doxeval-queue (.*)$/;

/** List the documents with unsaved changes; opening one sends them. */
export function leftovers(user: string, main: HTMLElement): void {
  const list = element("ul", {});
  for (const [owner, topic, doc, judge, count] of kept()) {
    if (owner !== user) continue;
    const link = element("a", { href: articlePage({ topic, doc, judge }, doc) }, named(doc));
    list.append(element("li", {}, link, ` of topic ${topic}: ${counted(count, "change")}`));
  }
  if (list.childElementCount === 0) return;
  const words = "This browser keeps changes that are not saved yet. Open the documents to save them:";
  const notice = element("div", { class: "notice" }, element("p", {}, words), list);
  main.querySelector("h1")?.after(notice);
}

function kept(): [string, string, string, string, number][] {
  const found: [string, string, string, string, number][] = [];
  try {
    for (let at = 0; at < localStorage.length; at++) {
      const key = localStorage.key(at)!;
      const subject = KEY.exec(key)?.[1];
      if (!subject) continue;
      const [user, topic, doc, judge] = JSON.parse(subject) as [string, string, string, string];
      const count = (JSON.parse(localStorage.getItem(key) ?? "[]") as unknown[]).length;
      if (count) found.push([user, topic, doc, judge, count]);
    }
  } catch {
    // storage is forbidden, or not ours
  }
  return found;
}
