// The script of all pages: the article comes alive; the others work without a script.

import { openArticle } from "./article";
import { leftovers } from "./judgment/queue";

const { page } = document.body.dataset;
if (page === "article") {
  const main = document.querySelector<HTMLElement>("main#article");
  if (main) void openArticle(main);
} else if (page === "home" || page === "queue") {
  const user = document.querySelector('header.site a[href="/account"]')?.textContent?.trim();
  const main = document.querySelector("main");
  if (user && main) leftovers(user, main);
}
