// Finding documents outside the pool, to judge them as well.

import { button, element, named } from "../../shared/dom";
import { counted } from "../../shared/words";
import type { FoundDocument } from "../data";
import { articlePage, find, judgeOutside } from "../judgment/api";
import type { Assessment } from "../judgment/assessment";
import { tell } from "./messages";

export function finder(work: Assessment): HTMLElement {
  const field = element("input", { type: "search", name: "q", autocomplete: "off", maxlength: "200" });
  const said = element("p", { class: "note", role: "status" });
  const list = element("ul", { class: "found" });
  const form = element(
    "form",
    { class: "row", role: "search" },
    element("label", {}, "An id, or words of the text", field),
    element("button", {}, "Find"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void search();
  });

  async function search(): Promise<void> {
    if (!field.value.trim()) return;
    said.textContent = "Searching…";
    list.replaceChildren();
    try {
      const found = await find(work.subject, field.value);
      const how = found.how ? ` (${found.how})` : "";
      said.textContent = `${counted(found.documents.length, "document")} found${how}.`;
      list.replaceChildren(...found.documents.map((one) => result(work, one)));
    } catch (error) {
      said.textContent = (error as Error).message;
    }
  }

  return element(
    "details",
    { class: "panel", id: "find" },
    element("summary", {}, element("h2", {}, "Find other documents")),
    form,
    said,
    list,
  );
}

function result(work: Assessment, { doc, title, snippet, inPool, inQueue, judged }: FoundDocument): HTMLElement {
  const state = [judged ? "judged" : "", inPool ? "in the pool" : "outside the pool"].filter(Boolean).join(", ");
  return element(
    "li",
    {},
    inPool || inQueue || judged
      ? element("a", { href: articlePage(work.subject, doc) }, named(doc))
      : button({ class: "link" }, () => void judge(work, doc), "Judge ", named(doc)),
    " ",
    element("span", { class: "title" }, named(title)),
    " ",
    element("span", { class: "note" }, state),
    snippet ? element("p", { class: "snippet" }, named(snippet)) : null,
  );
}

async function judge(work: Assessment, doc: string): Promise<void> {
  try {
    await judgeOutside(work.subject, doc);
    work.go(doc);
  } catch (error) {
    tell((error as Error).message, "alert");
  }
}
