// "saved", "saving", "n unsaved", and what to do if something is in the way.

import { button, element } from "../shared/dom";
import { signOut } from "./api";
import type { Assessment } from "./assessment";

/** The page is left on purpose, with changes that the browser keeps. */
let isLeaving = false;

export function savingStatus(work: Assessment): HTMLElement {
  const words = element("span", { class: "words" });
  const place = element("span", { class: "saving" }, words);
  const here = encodeURIComponent(location.pathname + location.search);
  const signIn = element("a", { class: "button", href: `/login?next=${here}` }, "Sign in again");
  signIn.addEventListener("click", () => (isLeaving = true));
  const changeUser = button({}, () => {
    isLeaving = true;
    void signOut().then(() => location.assign(signIn.href));
  }, `Sign in as ${work.data.user}`);
  const reload = button({}, () => {
    isLeaving = true;
    location.reload();
  }, "Reload");
  const drop = button({}, () => work.sync.discard(work.judgment.version), "Discard them");
  const retry = button({}, () => work.sync.retry(), "Try now");
  const ways = { "signed-out": [signIn], user: [changeUser], offline: [retry], text: [reload], closed: [drop], forbidden: [drop], conflict: [reload] };
  work.watch(() => {
    const { obstacle, isSending, queue } = work.sync;
    const state = queue.length === 0 ? "saved" : obstacle ? "unsaved" : "saving";
    const said = state === "saved" ? "saved" : state === "saving" && isSending ? "saving…" : `${queue.length} unsaved`;
    if (words.textContent !== said) words.textContent = said;
    place.dataset["state"] = state;
    place.title = queue.isKept ? "" : "This browser keeps nothing: do not close the page before everything is saved.";
    const way = state === "unsaved" && obstacle ? ways[obstacle] : [];
    if (place.children.length !== 1 + way.length || place.children[1] !== way[0]) place.replaceChildren(words, ...way);
  });
  addEventListener("beforeunload", (event) => {
    if (work.sync.queue.length > 0 && !isLeaving) event.preventDefault();
  });
  return place;
}
