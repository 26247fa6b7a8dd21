"use strict";
// A box hides or shows the layer of one run, or the highlights, in all documents.
for (const box of document.querySelectorAll("input[data-layer]")) {
  const apply = () =>
    document.getElementById("documents").classList.toggle("hide-" + box.dataset.layer, !box.checked);
  box.addEventListener("change", apply);
  apply();
}
