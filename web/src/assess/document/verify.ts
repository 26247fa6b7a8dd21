// Whether this page may be used to assess: the browser can do it, and the text is the server's.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Points } from "../../shared/points";

/** SHA-256 of a text in UTF-8, also where the browser's own is missing (plain HTTP). */
export function hashed(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)));
}

/** Why this browser cannot be used; null if it can. */
export function unsupported(): string | null {
  const missing: string[] = [];
  if (typeof CSS === "undefined" || !("highlights" in CSS)) missing.push("CSS.highlights");
  if (!("Segmenter" in Intl)) missing.push("Intl.Segmenter");
  if (missing.length === 0) return null;
  return (
    `This browser cannot mark text exactly: it lacks ${missing.join(" and ")}. ` +
    "Please use a current Chrome, Edge, Firefox (140 or later) or Safari (17.2 or later)."
  );
}

/** How the text on the page differs from the server's; null if they are the same. */
export function mismatch(
  shown: string,
  points: Points,
  expected: { text: string; length: number; sha256: string },
): string | null {
  if (points.length !== expected.length) {
    return `The document has ${expected.length} characters, but ${points.length} arrived.`;
  }
  if (shown !== expected.text) return "The page shows another text than the one that arrived.";
  if (hashed(shown) !== expected.sha256) return "The text that arrived is not the document's text.";
  return null;
}
