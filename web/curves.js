// The run's variables as curves: which plot each belongs to, what is shown at first, in which colour.

const most_shown_per_plot = 6;
const most_plots_at_first = 8;

const kinds_of_plot = { boolean: "Boolean", integer: "Integer" };

// One plot for each unit; Integers and Booleans without a unit are drawn by themselves.
function plot_name({ unit, kind }) {
  return unit || kinds_of_plot[kind] || "no unit";
}

function is_flat(column) {
  const first = column.find((value) => value != null);
  return column.every((value) => value === first);
}

// Smaller is shown sooner: what moves before what stands still, outer names before inner ones, variables before
// the elements of long arrays.
function rank(curve, flat, is_element) {
  return curve.name.split(".").length + (is_element ? 0.5 : 0) + (flat[curve.column] ? 100 : 0);
}

// The elements of long arrays, and whether each is among the few that stand for all.
function representatives(arrays) {
  const all = new Map();
  for (const { elements } of arrays) {
    const step = (elements.length - 1) / (most_shown_per_plot - 1);
    const kept = new Set(Array.from({ length: most_shown_per_plot }, (_, i) => Math.round(i * step)));
    elements.forEach(({ curve }, i) => all.set(curve, kept.has(i)));
  }
  return all;
}

export function curves_of(run) {
  return run.variables.map(([name, unit, description, kind, column, sign], index) => ({
    index,
    name,
    unit,
    description,
    kind,
    column,
    sign,
    plot: plot_name({ unit, kind }),
    shown: false,
    hidden: false, // clicked away in the legend
    colour: -1,
  }));
}

export function grouped(curves) {
  const groups = new Map();
  for (const curve of curves) {
    if (!groups.has(curve.plot)) groups.set(curve.plot, []);
    groups.get(curve.plot).push(curve);
  }
  return groups;
}

export function show(curve, groups) {
  const taken = new Set(
    groups
      .get(curve.plot)
      .filter((other) => other.shown)
      .map((other) => other.colour),
  );
  curve.colour = 0;
  while (taken.has(curve.colour)) ++curve.colour;
  curve.shown = true;
  curve.hidden = false;
}

export function show_defaults(run, groups, arrays) {
  const flat = run.columns.map(is_flat);
  const elements = representatives(arrays);
  let plots = 0;
  for (const group of groups.values()) {
    for (const curve of group) curve.shown = false;
    // Derivatives are there for those who look for them.
    const candidates = group.filter((curve) => !curve.name.startsWith("der(") && elements.get(curve) !== false);
    if (candidates.length === 0 || plots++ >= most_plots_at_first) continue;
    const ranked = candidates
      // Of two results, those that differ most come first.
      .map((curve) => ({ curve, rank: run.comparison ? 0 : rank(curve, flat, elements.has(curve)) }))
      .sort((a, b) => a.rank - b.rank || a.curve.index - b.curve.index);
    const chosen = new Map(); // by column, so that a curve and its aliases count once
    for (const { curve } of ranked) {
      if (chosen.size === most_shown_per_plot) break;
      if (!chosen.has(curve.column)) chosen.set(curve.column, curve);
    }
    const in_order = [...chosen.values()].sort((a, b) => a.index - b.index);
    for (const curve of in_order) show(curve, groups);
  }
}

export function values(run, curve) {
  const column = run.columns[curve.column];
  return curve.sign === 1 ? column : column.map((value) => (value == null ? null : -value));
}
