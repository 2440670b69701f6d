// Why the run took so many steps: who limited them, what was renewed and why, where in time they are.
import { element, fill } from "./dom.js";
import { count, number } from "./format.js";

const rejection_words = {
  rejected_error: "the error was too large",
  rejected_newton: "Newton's iteration failed",
  rejected_domain: "the model is not defined there",
  rejected_singular: "the matrix was singular",
  event: "an event was behind",
};
const jacobian_words = {
  first: "first of the run",
  every_step: "the method takes one each step",
  slow_convergence: "Newton's iteration was slow",
  rejected_error: "a step's error was too large",
  rejected_newton: "Newton's iteration failed",
  rejected_domain: "a step left the model's domain",
  rejected_singular: "the matrix was singular",
  event: "new start after an event",
  age: "the last one was old",
  switch: "the method had changed",
  stiffness: "to know how stiff the model is",
};
const factorization_words = {
  new_jacobian: "new Jacobian",
  step_changed: "the step size changed",
  order_changed: "the order changed",
  rejected: "retry after a rejection",
};

function percent(part, whole) {
  const share = (100 * part) / whole;
  if (part > 0 && share < 1) return "< 1 %";
  return `${part < whole ? Math.min(Math.round(share), 99) : 100} %`;
}

// A time with as many digits as tell it from the others; rejected attempts can have the same.
function time_among(t, others) {
  const needed = [3, 4, 5, 6, 7, 8, 9].find((digits) =>
    others.every((other) => other === t || number(other, digits) !== number(t, digits)),
  );
  return number(t, needed ?? 10);
}

function stretch(begin, end) {
  if (begin === end) return `t = ${number(begin, 10)} s`;
  return `t = ${time_among(begin, [end])} … ${time_among(end, [begin])} s`;
}

// A bar from one fraction of its cell to another.
function bar(from, to) {
  const filled = element("span", { class: "share-bar" });
  filled.style.marginLeft = `${100 * from}%`;
  filled.style.width = `${100 * (to - from)}%`;
  return element("td", { class: "share" }, element("span", { class: "track" }, filled));
}

function table(heads, rows) {
  const head = heads.map((name) => element("th", { scope: "col", class: name ? null : "share" }, name));
  return element(
    "table",
    { class: "shares" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

function limiting_states({ judged, states, more_states }) {
  if (states.length === 0) return null;
  const rows = states.map(([name, attempts, rejected]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      bar(0, attempts / judged),
      element("td", { title: `${count(attempts)} of ${count(judged)}` }, percent(attempts, judged)),
      element("td", {}, count(rejected)),
    ),
  );
  return element(
    "div",
    { class: "reason", id: "limiting" },
    element("h3", {}, "State with the largest error"),
    table(["state", "", "attempts", "rejected"], rows),
    more_states > 0
      ? element("p", { class: "note" }, `and ${count(more_states)} more ${more_states === 1 ? "state" : "states"}`)
      : null,
  );
}

// The causes that occurred, the most frequent first; rows of [key, times].
function ranked(rows, words) {
  return rows
    .filter(([, times]) => times > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([key, times]) => [words[key] ?? key.replaceAll("_", " "), times]);
}

function causes(title, rows) {
  if (rows.length === 0) return null;
  const total = rows.reduce((sum, [, times]) => sum + times, 0);
  const body = rows.map(([words, times]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, words),
      bar(0, times / total),
      element("td", {}, count(times)),
    ),
  );
  return table([title, "", count(total)], body);
}

function all_causes(tables) {
  const shown = tables.filter(Boolean);
  if (shown.length === 0) return null;
  return element("div", { class: "reason", id: "causes" }, element("h3", {}, "Rejected and renewed, by cause"), ...shown);
}

function over_time(slices) {
  const begin = slices[0][0];
  const length = slices.at(-1)[1] - begin || 1;
  const ends = slices.map(([, to]) => to);
  const rows = slices.map(([from, to, attempts, rejected], i) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, `${time_among(to, [from, ends[i + 1] ?? to])} s`),
      bar((from - begin) / length, (to - begin) / length),
      element("td", {}, count(attempts - rejected)),
      element("td", {}, count(rejected)),
    ),
  );
  return element(
    "div",
    { class: "reason", id: "over-time" },
    element("h3", {}, "Where in time"),
    table([`from ${number(begin)} s until`, "", "steps", "rejected"], rows),
    slices.length > 1
      ? element("p", { class: "note" }, "Each stretch but the last has equally many attempts.")
      : null,
  );
}

// What stands out, in words.
function findings(run, rejections, jacobians) {
  const { judged, states, all_states, slices, busiest_half, unstable } = run.effort;
  const { attempts, rejected, jac_evals } = run.statistics;
  const sentences = [];
  if (all_states > 1 && states.length > 0 && 2 * states[0][1] >= judged) {
    sentences.push(`${states[0][0]} has the largest error in ${percent(states[0][1], judged)} of the attempts.`);
  }
  const length = slices.at(-1)[1] - slices[0][0];
  const [from, to] = busiest_half;
  if (attempts >= 20 && to - from <= 0.1 * length) {
    sentences.push(
      `Half of the attempts are in ${stretch(from, to)}, ${percent(to - from, length)} of the simulated time.`,
    );
  }
  if (rejected > 0.1 * attempts) {
    sentences.push(`${percent(rejected, attempts)} of the attempts were rejected, most because ${rejections[0][0]}.`);
  }
  if (jac_evals >= 20 && 2 * jac_evals >= attempts) {
    sentences.push(`There is a Jacobian for every ${number(attempts / jac_evals, 2)} attempts: ${jacobians[0][0]}.`);
  }
  for (const text of unstable) sentences.push_back(`The motion is ${text}.`);
  return sentences;
}

export function show_effort(run) {
  const { effort, statistics } = run;
  if (statistics.attempts === 0) return fill("effort");
  const rejections = ranked(
    Object.keys(rejection_words).map((key) => [key, statistics[key]]),
    rejection_words,
  );
  const jacobians = ranked(effort.jacobians_by, jacobian_words);
  const sentences = findings(run, rejections, jacobians);
  return fill(
    "effort",
    element("h2", {}, "Why this many steps"),
    sentences.length ? element("p", { class: "finding" }, sentences.join(" ")) : null,
    element(
      "div",
      { class: "reasons" },
      limiting_states(effort),
      all_causes([
        causes("rejected attempts", rejections),
        causes("Jacobians", jacobians),
        causes("factorisations", ranked(effort.factorizations_by, factorization_words)),
      ]),
      over_time(effort.slices),
    ),
  );
}
