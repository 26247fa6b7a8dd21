// The end of an address, after the "#": a section, and what was chosen, as words by name.

export interface Fragment {
  section: string;
  fields: Map<string, string[]>;
}

/** Write a section and what was chosen as the end of an address: #topics?topic=7&runs=a,b. */
export function written({ section, fields }: Fragment): string {
  const parts = [...fields].map(([name, words]) => `${name}=${words.map(encodeURIComponent).join(",")}`);
  return section || parts.length ? `#${encodeURIComponent(section)}${parts.length ? `?${parts.join("&")}` : ""}` : "";
}

/** Read the end of an address; what cannot be read is passed over. */
export function readFragment(hash: string): Fragment {
  const [section = "", ...rest] = hash.replace(/^#/, "").split("?");
  const fields = new Map<string, string[]>();
  for (const part of rest.join("?").split("&")) {
    const [name, ...value] = part.split("=");
    const words = value.join("=").split(",").map(decoded);
    if (name && value.length && words.every((word) => word !== null)) {
      fields.set(name, value.join("=") === "" ? [] : words);
    }
  }
  return { section: decoded(section) ?? "", fields };
}

/** A part of an address as text; null if it is none. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
