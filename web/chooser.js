// The searchable list beside the plots in which curves are added and removed.
import { element, fill } from "./dom.js";
import { count } from "./format.js";

const most_listed = 300;

function row(curve, change) {
  const box = element("input", { type: "checkbox" });
  box.checked = curve.shown;
  box.addEventListener("change", () => change(curve, box.checked));
  return element(
    "label",
    { class: "choice", title: [curve.name, curve.description].filter(Boolean).join("\n") },
    box,
    element("span", {}, curve.name),
  );
}

// `change(curve, shown)` shows or removes one; `restore()` goes back to what was shown at first.
export function show_chooser(run, groups, { change, restore }) {
  const all = [...groups.values()].flat();
  if (all.length <= 1) return fill("chooser");
  const list = element("div", { class: "choices" });
  const note = element("p", { class: "note" });
  const tally = element("span", { class: "tally" });
  const search = element("input", {
    type: "search",
    placeholder: "Search variables",
    "aria-label": "Search variables",
    oninput: () => refresh(),
  });

  function count_shown() {
    tally.textContent = `${count(all.filter((curve) => curve.shown).length)} of ${count(all.length)}`;
  }

  function refresh() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ name, unit, description }) => {
      const text = `${name}\n${unit}\n${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const fitting = [...groups]
      .map(([name, group]) => [name, group.filter(fits)])
      .filter(([, found]) => found.length > 0);
    const most_of_a_group = Math.ceil(most_listed / Math.max(fitting.length, 1));
    const parts = [];
    for (const [name, found] of fitting) {
      const listed = found.slice(0, most_of_a_group);
      parts.push(element("h3", {}, name, element("small", {}, count(found.length))));
      parts.push(
        ...listed.map((curve) => row(curve, (which, shown) => (change(which, shown), count_shown()))),
      );
      const left = found.length - listed.length;
      if (left > 0) parts.push(element("p", { class: "more" }, `${count(left)} more: narrow the search`));
    }
    list.replaceChildren(...parts);
    const absent = run.totals.variables - all.length;
    note.textContent = [
      fitting.length === 0 ? "No variable fits." : "",
      absent > 0 ? `${count(absent)} variables are not in this page; the result files have them all.` : "",
    ]
      .join(" ")
      .trim();
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
