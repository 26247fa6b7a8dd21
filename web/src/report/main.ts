// The page of a report comes alive: each part fills the places that the page has for it.

import { chooser } from "./chooser";
import { contents } from "./contents";
import { carried } from "./data";
import { documents } from "./documents";
import { explanations } from "./explanations";
import { figures } from "./figures";
import { headToHead } from "./head-to-head";
import { leaderboard } from "./leaderboard";
import { Page } from "./page";
import { keepFresh } from "./plots";
import { sortableTables } from "./sorting";
import { followingTables } from "./tables";
import { dismissable } from "./tooltip";
import { topicButtons, topicView } from "./topic";

const page = new Page(carried());
document.documentElement.classList.add("alive");
chooser(page);
leaderboard(page);
followingTables(page);
sortableTables();
explanations(page);
figures(page);
headToHead(page);
topicView(page);
topicButtons(page);
if (document.getElementById("document-view") && page.data.documents.length) documents(page);
document.addEventListener("click", (event) => {
  const pressed = (event.target as Element).closest<HTMLElement>("button.document[data-document]");
  if (pressed) page.openDocument(Number(pressed.dataset["document"]));
});
contents();
keepFresh(page);
dismissable();
