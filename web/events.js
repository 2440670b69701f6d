// The events of the run: which relations gave how many, and what the first of them changed.
import { card, element, fill, properties } from "./dom.js";
import { count, number, seconds } from "./format.js";

function sources_card(events) {
  const rows = [
    ["instants", count(events.instants)],
    ["by states", count(events.by_state)],
    ["by time", count(events.by_time)],
    ["time spent on them", seconds(events.seconds)],
    ...(events.slidings > 0 ? [["stretches of sliding", count(events.slidings)]] : []),
    ...(events.rests > 0 ? [["stretches at rest behind a limit", count(events.rests)]] : []),
    ...events.sources.map(([text, times]) => [text, count(times)]),
  ];
  return card("Events", properties(rows));
}

function change_text([name, before, after]) {
  if (name.startsWith("when ")) return name;
  return `${name}: ${number(before, 6)} → ${number(after, 6)}`;
}

function cause_text(record) {
  if (record.is_end) return "end of the run";
  const cause = record.causes.length > 0 ? record.causes.join(", ") : "time";
  return record.passage ? `${cause}: ${record.passage}` : cause;
}

function record_row(record) {
  return element(
    "tr",
    {},
    element("td", { class: "value" }, number(record.time, 12)),
    element("td", { class: "text" }, cause_text(record)),
    element("td", { class: "text" }, record.changes.map(change_text).join(", ")),
  );
}

function log_card(events) {
  const shown = events.records.length;
  const head = element(
    "tr",
    {},
    ...["time in s", "cause", "changes"].map((title) => element("th", { scope: "col" }, title)),
  );
  const note =
    shown < events.instants
      ? element("p", { class: "note" }, `The first ${count(shown)} of ${count(events.instants)}; --events FILE.csv has more.`)
      : null;
  return card(
    "Log of events",
    element(
      "table",
      { class: "properties events" },
      element("thead", {}, head),
      element("tbody", {}, ...events.records.map(record_row)),
    ),
    note,
  );
}

export function show_events(run) {
  if (!run.events || run.events.instants === 0) return fill("events");
  fill("events", sources_card(run.events), log_card(run.events));
}
