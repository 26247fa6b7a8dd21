// The help that `?` opens.

import { button, element } from "../shared/dom";
import type { Mode } from "./data";
import { dialog } from "./dialog";
import { HELP } from "./keys";

const RULES: Record<Mode, string> = {
  "2006":
    "Highlight all and only relevant text, then set the best entry point: where a reader should begin. " +
    "A document with highlights needs one; a document without highlights must not have one.",
  "2005":
    "Highlight all and only relevant text, then grade the elements that it touches: 2 highly exhaustive, " +
    "1 partly exhaustive, ? too small to say.",
  "2003":
    "Grade elements: exhaustivity (how much of the topic it covers) and specificity (how much of it is about the topic), 0 to 3 each.",
};

export function showHelp(mode: Mode): void {
  const list = element("dl", { class: "keys" });
  for (const { keys, does, modes } of HELP) {
    if (modes && !modes.includes(mode)) continue;
    const names = keys.flatMap((key, at) => [at ? " " : "", element("kbd", {}, key)]);
    list.append(element("div", {}, element("dt", {}, ...names), element("dd", {}, does)));
  }
  const shown = dialog(
    "Keys and rules",
    element("p", {}, RULES[mode], " Every change is saved at once, and any change makes a validated document open again."),
    list,
    element("p", {}, element("a", { href: "/help" }, "More about assessing")),
    element("div", { class: "buttons" }, button({ class: "primary" }, () => shown.close(), "Close")),
  );
}
