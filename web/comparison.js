// Everything but the plots of a page about two results: do they agree, how far is each variable off.
import { element, fill } from "./dom.js";
import { count, number } from "./format.js";
import { header, show_command, show_footer, tiles } from "./summary.js";

const most_listed = 200;

function verdict({ agrees }) {
  const [light, word] = agrees ? ["green", "They agree"] : ["amber", "They differ"];
  return { light, word, status: agrees ? "agrees" : "differs" };
}

function percent(share) {
  return `${number(100 * share, 3)} %`;
}

function show_differences({ variables, compared }) {
  const heads = ["variable", "leaves the tube at", "largest distance", "at"].map((name, i) =>
    element("th", { scope: "col", class: i > 0 ? "value" : null }, name),
  );
  const rows = variables
    .slice(0, most_listed)
    .map(([name, largest, at, leaves]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        element("td", { class: "value" }, leaves == null ? "–" : `${number(leaves, 6)} s`),
        element("td", { class: "value" }, percent(largest)),
        element("td", { class: "value" }, largest > 0 ? `${number(at, 6)} s` : "–"),
      ),
    );
  const more = compared - rows.length;
  fill(
    "effort",
    element("h2", {}, "Differences, the largest first"),
    element(
      "div",
      { class: "scroll" },
      element(
        "table",
        { class: "list" },
        element("thead", {}, element("tr", {}, ...heads)),
        element("tbody", {}, ...rows),
      ),
    ),
    element(
      "p",
      { class: "note" },
      "Distances are relative to the range of the variable's values in the first file." +
        (more > 0 ? ` ${count(more)} more variables are not listed.` : ""),
    ),
  );
}

function show_notices({ reference_stop, other_stop, only_in_reference, only_in_other }) {
  const some = (names) => names.slice(0, 20).join(", ") + (names.length > 20 ? ", …" : "");
  const texts = [
    reference_stop !== other_stop
      ? `They end at different times: t = ${number(reference_stop, 9)} s and ${number(other_stop, 9)} s.`
      : "",
    only_in_reference.length ? `Only in the first file: ${some(only_in_reference)}.` : "",
    only_in_other.length ? `Only in the second file: ${some(only_in_other)}.` : "",
  ].filter(Boolean);
  fill("notices", ...texts.map((text) => element("div", { class: "notice amber" }, element("p", {}, text))));
}

export function show_comparison(run) {
  const result = run.comparison;
  header(run, verdict(result));
  show_notices(result);
  tiles([
    ["compared", count(result.compared)],
    ["inside the tube", count(result.compared - result.outside)],
    ["outside", count(result.outside)],
    ["tube", percent(result.tube)],
    ["from", `${number(result.start, 6)} s`],
    ["to", `${number(result.stop, 6)} s`],
  ]);
  show_differences(result);
  for (const id of ["events", "structure", "cards", "parameters"]) fill(id);
  show_command(run, "Repeat this comparison");
  show_footer(run);
}
