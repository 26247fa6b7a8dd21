// How an element of the source appears on the page: by its role, and what its author said of it.
//
// Every element is a <dx-e> with its tag as data, but for two: a cell that spans others is a <td>,
// because CSS knows no spans, and mathematics is made of the elements of MathML below, without
// attributes. Both are made one by one, so no rule for parsing HTML moves text.

import type { DisplayRole, Fact, FactName } from "../../shared/api-types";
import { element } from "../../shared/dom";

/** What an author said of an element: values that the server has checked. */
export type Facts = Partial<Record<FactName, string>>;

/** Elements with these roles stand within a line; all others begin a run of text of their own. */
const INLINE: ReadonlySet<DisplayRole> = new Set<DisplayRole>([
  "inline",
  "code",
  "emphasis",
  "strong",
  "small",
  "superscript",
  "subscript",
  "quotation",
  "picture",
  "mathematics",
]);

export function isInline(role: DisplayRole): boolean {
  return INLINE.has(role);
}

/** What roles are to a screen reader; lists and tables are looked at as a whole (structure.ts). */
const SPOKEN: Partial<Record<DisplayRole, string>> = {
  code: "code",
  quote: "blockquote",
  footnote: "note",
  figure: "figure",
  rule: "separator",
  term: "term",
  description: "definition",
};
const MATHML = "http://www.w3.org/1998/Math/MathML";
/** Elements of MathML Core that hold text, and those that hold elements; any other is an mrow. */
const TOKENS = new Set(["mi", "mn", "mo", "ms", "mtext"]);
const LAYOUT = new Set(
  (
    "mrow mfrac msqrt mroot mstyle merror mpadded msub msup msubsup munder mover munderover mmultiscripts " +
    "mprescripts none mtable mtr mtd mspace semantics annotation annotation-xml"
  ).split(" "),
);
const ANNOTATIONS = new Set(["annotation", "annotation-xml"]);

/** A tag without the prefix of its namespace. */
export function localName(tag: string): string {
  return tag.slice(tag.lastIndexOf(":") + 1);
}

/** What stands in a table for its columns, in which there is nothing to see. */
const COLUMNS = new Set(["col", "colgroup", "colspec", "spanspec", "tcol", "tcolgroup"]);

export function isColumn(tag: string): boolean {
  return COLUMNS.has(localName(tag).toLowerCase());
}

export function isMathematics(node: Node): boolean {
  return node instanceof Element && node.namespaceURI === MATHML;
}

/** Whether text within an element of MathML is seen only in an element for text. */
export function needsToken(parent: Element): boolean {
  return isMathematics(parent) && !TOKENS.has(parent.localName);
}

export function token(): HTMLElement {
  return inMathML("mtext");
}

/** The root of a formula. */
export function formula({ display }: Facts): HTMLElement {
  const made = inMathML("math");
  if (display === "block") made.setAttribute("display", "block");
  return made;
}

/** Elements of MathML have all that is used here of elements of HTML. */
function inMathML(name: string): HTMLElement {
  return document.createElementNS(MATHML, name) as Element as HTMLElement;
}

/** An element of MathML by its tag; annotations are shown only where there is nothing else. */
export function mathematics(tag: string, parent: Element): HTMLElement {
  const name = localName(tag);
  const isAnnotation = ANNOTATIONS.has(name);
  const isAlone = isAnnotation && (parent.localName !== "semantics" || parent.childElementCount === 0);
  const isKnown = TOKENS.has(name) || LAYOUT.has(name);
  return inMathML(isAlone ? "mtext" : isKnown ? name : "mrow");
}

/** Whether an element's text is in the document, but not seen: what a formula is annotated with. */
export function isHidden(node: Element): boolean {
  return isMathematics(node) && ANNOTATIONS.has(node.localName);
}

/** A neutral element with a role. There may be a hundred thousand: each attribute takes time. */
export function neutral(tag: string, role: DisplayRole, facts: Facts): HTMLElement {
  const isCell = role === "cell" || role === "header";
  const isSpanning = isCell && (facts.rowspan !== undefined || facts.colspan !== undefined);
  const made = document.createElement(isSpanning ? "td" : "dx-e");
  made.setAttribute("data-tag", tag);
  made.setAttribute("data-role", role);
  const spoken = SPOKEN[role];
  if (spoken) made.setAttribute("role", spoken);
  if (role.startsWith("heading")) {
    made.setAttribute("role", "heading");
    made.setAttribute("aria-level", role.slice(-1));
  }
  if (facts.dir) made.dir = facts.dir;
  if (facts.lang) made.lang = facts.lang;
  if (isSpanning) {
    for (const name of ["rowspan", "colspan"] as const) {
      const value = facts[name];
      if (value === undefined) continue;
      made.setAttribute(name, value);
      made.setAttribute(`aria-${name}`, value);
    }
  }
  return made;
}

/** A picture if the server has it, and else the words that stand for it. */
export function picture(address: string | null, alt: string): HTMLElement {
  const made = document.createElement("dx-picture");
  const inWords = (): void => {
    made.replaceChildren();
    made.dataset.words = alt ? `picture: ${alt}` : "picture";
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", alt || "picture");
  };
  if (address === null) {
    inWords();
  } else {
    const image = element("img", { src: address, alt, loading: "lazy", decoding: "async", draggable: "false" });
    image.addEventListener("error", inWords);
    made.append(image);
  }
  return made;
}

/** The facts of each element that has some. */
export function factsOf(given: readonly Fact[]): Map<number, Facts> {
  const facts = new Map<number, Facts>();
  for (const [row, name, value] of given) {
    const known = facts.get(row) ?? {};
    facts.set(row, known);
    known[name] ??= value;
  }
  return facts;
}
