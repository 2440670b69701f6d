// Which equation contains which unknown: the drawing that came with the run.
import { element, fill } from "./dom.js";

export function show_structure(run) {
  if (!run.structure) return fill("structure");
  const parsed = new DOMParser().parseFromString(run.structure, "image/svg+xml");
  const drawing = document.importNode(parsed.documentElement, true);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", "Equations and unknowns, as written and sorted into blocks");
  return fill(
    "structure",
    element("h2", {}, "Structure"),
    element("div", { class: "drawing" }, drawing),
  );
}
