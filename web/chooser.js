// The searchable list beside the plots in which curves are added and removed.
import { element, fill } from "./dom.js";
import { count } from "./format.js";

const most_listed = 300;

function row(curve, change) {
  const box = element("input", { type: "checkbox" });
  box.checked = curve.shown;
  box.addEventListener("change", () => change(curve, box.checked));
  return element("label", { class: "choice", title: [curve.name, curve.description].filter(Boolean).join("\n") }, box, element("span", {}, curve.name));
}

// `change(curve, shown)` shows or removes one; `restore()` goes back to what was shown at first.
export function show_chooser(run, groups, { change, restore }) {
  const all = [...groups.values()].flat();
  if (all.length <= 1) return fill("chooser");
  const list = element("div", { class: "choices" });
  const note = element("p", { class: "note" });
  const tally = element("span", { class: "tally" });
  const search = element("input", { type: "search", placeholder: "Search variables", "aria-label": "Search variables", oninput: () => refresh() });

  function count_shown() {
    tally.textContent = `${count(all.filter((curve) => curve.shown).length)} of ${count(all.length)} shown`;
  }

  function refresh() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ name, unit, description }) => {
      const text = `${name}\n${unit}\n${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const parts = [];
    let listed = 0;
    let found = 0;
    for (const [name, group] of groups) {
      const fitting = group.filter(fits);
      found += fitting.length;
      const taken = fitting.slice(0, most_listed - listed);
      listed += taken.length;
      if (taken.length === 0) continue;
      parts.push(element("h3", {}, name, element("small", {}, count(fitting.length))));
      parts.push(...taken.map((curve) => row(curve, (which, shown) => (change(which, shown), count_shown()))));
    }
    list.replaceChildren(...parts);
    const absent = run.totals.variables - all.length;
    note.textContent = [
      found === 0 ? "No variable fits." : "",
      found > listed ? `${count(found - listed)} more: narrow the search.` : "",
      absent > 0 ? `${count(absent)} variables are not in this page; the result files have them all.` : "",
    ].join(" ").trim();
    note.hidden = note.textContent === "";
    count_shown();
  }

  const reset = element("button", { type: "button", onclick: () => (restore(), refresh()) }, "Defaults");
  const none = element(
    "button",
    {
      type: "button",
      onclick: () => {
        for (const curve of all) if (curve.shown) change(curve, false);
        refresh();
      },
    },
    "None",
  );
  fill("chooser", search, element("div", { class: "choose" }, tally, reset, none), list, note);
  refresh();
}
