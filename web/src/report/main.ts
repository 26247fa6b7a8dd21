// The page of a report comes alive: each part fills the places that the page has for it.

import { chooser } from "./chooser";
import { contents } from "./contents";
import { carried } from "./data";
import { documents } from "./documents";
import { explanations } from "./explanations";
import { figures } from "./figures";
import { headToHead } from "./head-to-head";
import { leaderboard } from "./leaderboard";
import { openers } from "./openers";
import { Page } from "./page";
import { keepFresh } from "./plots";
import { sortableTables } from "./sorting";
import { followingTables } from "./tables";
import { dismissable } from "./tooltip";
import { topicView } from "./topic";

const PARTS = [
  chooser,
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
