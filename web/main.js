// Shows one run, or two results beside each other: reads the data in the page, fills in the tables, draws the plots.
import { Arrays, arrays_of } from "./arrays.js";
import { show_chooser } from "./chooser.js";
import { show_comparison } from "./comparison.js";
import { curves_of, grouped, show, show_defaults } from "./curves.js";
import { element, fill } from "./dom.js";
import { show_effort } from "./effort.js";
import { show_events } from "./events.js";
import { count, number } from "./format.js";
import { Board } from "./plots.js";
import { show_structure } from "./structure.js";
import { show_summary } from "./summary.js";

function thinning_note(run) {
  const { rows, points, columns } = run.totals;
  const notes = [];
  if (points < rows) {
    notes.push(
      `Drawn from ${count(points)} of ${count(rows)} stored points: the first, least, greatest and last of each ` +
        "stretch. The result files have them all.",
    );
  }
  if (run.columns.length < columns) {
    notes.push(`${count(run.columns.length)} of ${count(columns)} trajectories are in this page.`);
  }
  return notes.length ? element("p", { class: "note" }, notes.join(" ")) : null;
}

function show_trajectories(run) {
  const section = document.getElementById("trajectories");
  if (run.time.length === 0 && run.history.t.length === 0) {
    section.replaceChildren(
      element("h2", {}, "Trajectories"),
      element("p", { class: "note" }, "The run stored no values."),
    );
    return;
  }
  const curves = curves_of(run);
  const groups = grouped(curves);
  const arrays = arrays_of(curves);
  show_defaults(run, groups, arrays);
  const board = new Board(run, groups, fill("plots", ""));
  const range = document.getElementById("range");
  let maps = null;
  board.onrange = (shown) => {
    const text = (t) => number(t, board.time_digits(t) - 1);
    range.textContent = shown ? `t = ${text(shown[0])} … ${text(shown[1])} s` : "";
    maps?.draw();
  };

  show_chooser(run, groups, {
    change: (curve, shown) => {
      if (shown) show(curve, groups);
      else curve.shown = false;
      board.draw_group(curve.plot);
    },
    restore: () => {
      show_defaults(run, groups, arrays);
      board.draw();
    },
  });
  document.getElementById("reset").addEventListener("click", () => board.zoom(null));
  const log_time = document.getElementById("log-time");
  log_time.disabled = !board.can_be_log;
  log_time.addEventListener("click", () => {
    board.set_log(!board.log);
    log_time.setAttribute("aria-pressed", String(board.log));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => board.draw());
  addEventListener("beforeprint", () => board.print(true));
  addEventListener("afterprint", () => board.print(false));

  board.draw();
  if (arrays.length > 0 && run.time.length > 1) {
    maps = new Arrays(run, arrays, () => ({
      range: board.range ?? board.whole_range(),
      log: board.log,
      printing: board.printing,
    }));
  }
  const note = thinning_note(run);
  if (note) section.append(note);
}

const run = JSON.parse(document.getElementById("data").textContent);
if (run.comparison) {
  show_comparison(run);
} else {
  show_summary(run);
  show_effort(run);
  show_events(run);
  show_structure(run);
}
show_trajectories(run);
