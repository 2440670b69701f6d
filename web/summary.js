// Everything on the page that is not a plot: end state, figures, tables, the command.
import { card, element, fill, properties } from "./dom.js";
import { count, number, seconds } from "./format.js";

const most_parameters_shown = 200;

const endings = {
  finished: { light: "green", word: "Finished" },
  terminated: { light: "amber", word: "Terminated" },
  failed: { light: "red", word: "Failed" },
};

function ending_of({ status, time }) {
  const { light, word } = endings[status];
  return { status, light, word: time == null ? word : `${word} at t = ${number(time, 9)} s` };
}

function traffic_light(ending) {
  const lamps = ["red", "amber", "green"].map((colour) =>
    element("i", { class: colour === ending.light ? `lamp ${colour}` : "lamp" }),
  );
  return element(
    "div",
    { class: `state ${ending.light}`, id: "state", "data-status": ending.status },
    element("span", { class: "lamps", "aria-hidden": "true" }, ...lamps),
    element("strong", {}, ending.word),
  );
}

// The title, what it is about, and how it ended.
export function header(run, ending) {
  const facts = [
    ["file", run.file],
    ["method", run.method],
    ["Daedalus", run.version],
    ["made", run.date],
  ].filter(([, value]) => value);
  fill(
    "header",
    element(
      "div",
      { class: "title" },
      element("h1", {}, run.model || "Simulation"),
      run.description ? element("p", { class: "description" }, run.description) : null,
      element(
        "dl",
        { class: "facts" },
        ...facts.map(([name, value]) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, value)),
        ),
      ),
    ),
    traffic_light(ending),
  );
}

function show_notices(run) {
  const { message, hint, reason, variable, status } = run.outcome;
  const outcome =
    message || hint || reason
      ? element(
          "div",
          { class: `notice ${endings[status].light}` },
          element("p", { class: "message" }, message || reason),
          reason || variable
            ? element(
                "p",
                { class: "detail" },
                [reason, variable && `variable ${variable}`].filter(Boolean).join(" · "),
              )
            : null,
          hint ? element("p", { class: "detail" }, `Hint: ${hint}`) : null,
        )
      : null;
  const warnings = run.warnings.length
    ? element(
        "details",
        { class: "notice amber", open: run.warnings.length <= 5 },
        element(
          "summary",
          {},
          run.warnings.length === 1 ? "1 warning" : `${count(run.warnings.length)} warnings`,
        ),
        element("ul", { class: "warnings" }, ...run.warnings.map((text) => element("li", {}, text))),
      )
    : null;
  fill("notices", outcome, warnings);
}

// Pairs of a name and a number in words.
export function tiles(pairs) {
  fill(
    "figures",
    ...pairs.map(([name, value]) =>
      element("div", { class: "figure" }, element("b", {}, value), element("span", {}, name)),
    ),
  );
}

function show_figures(run) {
  const work = run.statistics;
  const total = run.phases.reduce((sum, [, time]) => sum + time, 0);
  tiles([
    ["steps", count(work.steps)],
    ["rejected", count(work.rejected)],
    ["evaluations", count(work.f_evals)],
    ["Jacobians", count(work.jac_evals)],
    ["stored points", count(run.totals.rows)],
    [run.totals.variables === 1 ? "variable" : "variables", count(run.totals.variables)],
    ...(run.phases.length ? [["in all phases", seconds(total)]] : []),
  ]);
}

function statistics_card(work) {
  const table = properties([
    ["accepted steps", count(work.steps)],
    ["attempts", count(work.attempts)],
    ["rejected attempts", count(work.rejected)],
    ["evaluations of the model", count(work.f_evals)],
    ["Jacobians", count(work.jac_evals)],
    ["factorisations", count(work.factorizations)],
    ["linear solves", count(work.linear_solves)],
    ...(work.linear_iterations > 0 ? [["GMRES iterations", count(work.linear_iterations)]] : []),
    ["Newton iterations", count(work.newton_iterations)],
  ]);
  return card("Work", table);
}

function phases_card(phases) {
  if (phases.length === 0) return null;
  const longest = Math.max(...phases.map(([, time]) => time), Number.MIN_VALUE);
  const rows = phases.map(([name, time]) => {
    const bar = element("span", { class: "phase-bar" });
    bar.style.width = `${(100 * time) / longest}%`;
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      element("td", { class: "phase" }, bar),
      element("td", {}, seconds(time)),
    );
  });
  return card(
    "Time per phase",
    element("table", { class: "properties phases" }, element("tbody", {}, ...rows)),
  );
}

function show_parameters(run) {
  if (run.parameters.length === 0) return fill("parameters");
  const body = element("tbody");
  const note = element("p", { class: "note" });
  const show = (words) => {
    const wanted = words.toLowerCase();
    const found = run.parameters.filter((row) => row.join("\n").toLowerCase().includes(wanted));
    body.replaceChildren(
      ...found
        .slice(0, most_parameters_shown)
        .map(([name, value, unit, description]) =>
          element(
            "tr",
            {},
            element("th", { scope: "row" }, name),
            element("td", { class: "value" }, value),
            element("td", { class: "unit" }, unit),
            element("td", { class: "text" }, description),
          ),
        ),
    );
    const left_out = found.length - Math.min(found.length, most_parameters_shown);
    const not_embedded = run.totals.parameters - run.parameters.length;
    note.textContent = [
      left_out > 0 ? `${count(left_out)} more: narrow the search to see them.` : "",
      not_embedded > 0
        ? `${count(not_embedded)} parameters are not in this page; the result files have them all.`
        : "",
    ]
      .join(" ")
      .trim();
    note.hidden = note.textContent === "";
  };
  const search = element("input", {
    type: "search",
    placeholder: "Search parameters",
    "aria-label": "Search parameters",
    oninput: () => show(search.value),
  });
  const heads = ["name", "value", "unit", "description"].map((name) =>
    element("th", { scope: "col", class: name }, name),
  );
  fill(
    "parameters",
    element(
      "div",
      { class: "bar" },
      element("h2", {}, "Parameters"),
      run.parameters.length > 10 ? search : null,
    ),
    element(
      "div",
      { class: "scroll" },
      element("table", { class: "list" }, element("thead", {}, element("tr", {}, ...heads)), body),
    ),
    note,
  );
  show("");
}

async function copy(text, source) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(source);
    document.execCommand("copy");
  }
}

export function show_command(run, title = "Repeat this run") {
  if (!run.command) return fill("command");
  const code = element("code", {}, run.command);
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    await copy(run.command, code);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  fill(
    "command",
    element("h2", {}, title),
    element("div", { class: "command" }, element("pre", {}, code), button),
  );
}

export function show_footer(run) {
  fill(
    "footer",
    `Daedalus ${run.version} · ${run.date} · this file holds everything it shows and asks nothing of the network`,
  );
}

export function show_summary(run) {
  header(run, ending_of(run.outcome));
  show_notices(run);
  show_figures(run);
  fill(
    "cards",
    ...[
      statistics_card(run.statistics),
      phases_card(run.phases),
      run.sizes.length ? card("Model size", properties(run.sizes)) : null,
      run.options.length ? card("Options", properties(run.options)) : null,
    ].filter(Boolean),
  );
  show_parameters(run);
  show_command(run);
  show_footer(run);
}
