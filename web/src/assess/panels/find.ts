// Finding documents outside the pool, to judge them as well.

import { LONGEST_QUERY, type MatchingDocument } from "../../shared/api-types";
import { button, element, named } from "../../shared/dom";
import { counted } from "../../shared/words";
import { articlePage, find, judgeOutside } from "../judgment/api";
import type { Assessment } from "../judgment/assessment";
import { tell } from "./messages";

export function finder(work: Assessment): HTMLElement {
  const field = element("input", { type: "search", name: "q", autocomplete: "off", maxlength: String(LONGEST_QUERY) });
  const status = element("p", { class: "note", role: "status" });
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
    status.textContent = "Searching…";
    list.replaceChildren();
    try {
      const { documents, how } = await find(work.subject, field.value);
      status.textContent = `${counted(documents.length, "document")} found${how ? ` (${how})` : ""}.`;
      list.replaceChildren(...documents.map((match) => result(work, match)));
    } catch (error) {
      status.textContent = (error as Error).message;
    }
  }

  return element(
    "details",
    { class: "panel", id: "find" },
    element("summary", {}, element("h2", {}, "Find other documents")),
    form,
    status,
    list,
  );
}

function result(work: Assessment, { doc, title, snippet, inPool, inQueue, judged }: MatchingDocument): HTMLElement {
  const state = [judged ? "judged" : "", inPool ? "in the pool" : "outside the pool"].filter(Boolean).join(", ");
  return element(
    "li",
    {},
    inPool || inQueue || judged
      ? element("a", { href: articlePage(work.subject, doc) }, named(title || doc))
      : button({ class: "link" }, () => void judge(work, doc), "Judge ", named(title || doc)),
    " ",
    element("span", { class: "note" }, named(doc), ", ", state),
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
