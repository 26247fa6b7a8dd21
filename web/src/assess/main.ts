// The script of all pages: the article comes alive; the others work without a script.

import { element, named } from "../shared/dom";
import { counted } from "../shared/words";
import { openArticle } from "./article";
import { articlePage } from "./judgment/api";
import { unsavedDocuments } from "./judgment/queue";

const { page } = document.body.dataset;
if (page === "article") {
  const main = document.querySelector<HTMLElement>("main#article");
  if (main) void openArticle(main);
} else if (page === "home" || page === "queue") {
  const user = document.querySelector('header.site a[href="/account"]')?.textContent?.trim();
  if (user) listUnsaved(user);
}

/** List the documents with changes that this browser keeps for the user; opening one sends them. */
function listUnsaved(user: string): void {
  const unsaved = unsavedDocuments(user);
  if (unsaved.length === 0) return;
  const items = unsaved.map(({ subject, count }) => {
    const link = element("a", { href: articlePage(subject, subject.doc) }, named(subject.doc));
    return element("li", {}, link, ` of topic ${subject.topic}: ${counted(count, "change")}`);
  });
  const words = "This browser keeps changes that are not saved yet. Open the documents to save them:";
  const notice = element("div", { class: "notice" }, element("p", {}, words), element("ul", {}, ...items));
  document.querySelector("main h1")?.after(notice);
}
