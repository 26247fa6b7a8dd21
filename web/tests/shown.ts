// Documents as pages show them, for tests in a browser: all of some at once, and what is wrong.

import { ShownDocument } from "../src/assess/document/document";
import type { ArticleData } from "../src/shared/api-types";

/** What is wrong with documents as they are shown: number and reason. */
function problems(documents: ArticleData[]): [number, string][] {
  const found: [number, string][] = [];
  documents.forEach((data, number) => {
    const shown = new ShownDocument(data);
    document.body.replaceChildren(shown.root);
    if (shown.root.textContent !== data.text) found.push([number, "the text"]);
    for (let unit = 0; unit <= shown.text.length; unit++) {
      for (const before of [false, true]) {
        const { node, offset } = shown.placeOf(unit, before);
        if (shown.unitOf(node, offset) !== unit) found.push([number, `position ${unit}`]);
      }
    }
    shown.elements.forEach((made, row) => {
      if (shown.rowAt(made) !== row) found.push([number, `element ${row}`]);
      const [start, end] = [shown.unitOf(made, 0), shown.unitOf(made, made.childNodes.length)];
      if (start !== shown.starts[row] || end !== shown.ends[row]) found.push([number, `ends of ${shown.path(row)}`]);
      if (made.textContent !== shown.text.slice(start, end)) found.push([number, `text of ${shown.path(row)}`]);
    });
  });
  return found;
}

Object.assign(globalThis, { problems });
