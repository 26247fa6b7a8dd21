// The bar of contents: it marks the section that is being read.

import { all } from "../shared/dom";

export function contents(): void {
  const links = new Map(
    all<HTMLAnchorElement>("nav#contents a[href^='#']").map((link) => [link.hash.slice(1), link]),
  );
  const visible = new Set<string>();
  const sections = all("main section[id]");
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) visible.add(entry.target.id);
        else visible.delete(entry.target.id);
      const current = sections.find((section) => visible.has(section.id))?.id;
      for (const [id, link] of links) {
        if (id === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      if (current) reveal(links.get(current));
    },
    { rootMargin: "-20% 0px -60% 0px" },
  );
  for (const section of sections) observer.observe(section);
}

/** Scroll the bar, and only the bar, so that a link can be seen. */
function reveal(link: HTMLElement | undefined): void {
  const bar = link?.closest("ul");
  if (!link || !bar) return;
  const [at, from] = [link.getBoundingClientRect(), bar.getBoundingClientRect()];
  if (at.left < from.left) bar.scrollLeft -= from.left - at.left + 16;
  else if (at.right > from.right) bar.scrollLeft += at.right - from.right + 16;
}
