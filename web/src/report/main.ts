// The page of a report comes alive: each part fills the places that the page has for it.

import { chooser } from "./chooser";
import { carried } from "./data";
import { documents } from "./documents/viewer";
import { figures } from "./figures/figures";
import { dismissable, keepFresh } from "./figures/plots";
import { overview } from "./overview";
import { contents, openers, Page } from "./page";
import { explanations } from "./tables/explanations";
import { headToHead } from "./tables/head-to-head";
import { leaderboard } from "./tables/leaderboard";
import { followingTables, sortableTables } from "./tables/tables";
import { topicView } from "./tables/topic";

const PARTS = [
  chooser,
  overview,
  leaderboard,
  followingTables,
  sortableTables,
  explanations,
  keepFresh,
  figures,
  headToHead,
  topicView,
  documents,
  openers,
  contents,
  dismissable,
];

const page = new Page(carried());
document.documentElement.classList.add("alive");
for (const part of PARTS) {
  try {
    part(page);
  } catch (error) {
    console.error(error); // the other parts work without this one
  }
}
page.address.follow();
