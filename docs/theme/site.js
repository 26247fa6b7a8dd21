// What the theme leaves to be desired for people who use the keyboard or listen to the page.
const mend = () => {
  // Landmarks are for large parts: not for the button that copies a block of code, nor for each level
  // of the table of contents.
  for (const place of document.querySelectorAll("nav.md-code__nav:not([role]), .md-nav--secondary nav:not([role])")) {
    place.setAttribute("role", "none");
    place.removeAttribute("aria-label");
  }
  // A table that is wider than the page is scrolled, by the arrow keys too.
  for (const place of document.querySelectorAll(".md-typeset__scrollwrap")) {
    place.removeAttribute("tabindex");
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
  }
  // A corner without words is no heading of a column.
  for (const corner of document.querySelectorAll("th:empty")) corner.replaceWith(document.createElement("td"));
};
new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
addEventListener("resize", mend);
mend();
