// The statement of the topic, always at hand.

import { element, named } from "../shared/dom";
import type { TopicData } from "./data";

export function topicPanel(topic: TopicData): HTMLElement {
  const facts = element("dl", { class: "facts" });
  const rows: [string, string | null | undefined][] = [
    ["Query", topic.castitle],
    ["Description", topic.description],
    ["Narrative", topic.narrative],
  ];
  for (const [name, words] of rows) {
    if (words) facts.append(element("dt", {}, name), element("dd", {}, named(words)));
  }
  return element(
    "section",
    { class: "panel", id: "topic" },
    element("h2", {}, "Topic ", named(topic.id)),
    topic.title ? element("p", { class: "topic-title" }, named(topic.title)) : null,
    facts.childElementCount ? facts : null,
  );
}
