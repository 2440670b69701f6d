// Axes that hold for any numbers: a drift in the twelfth digit, 1e25 particles, a curve that is flat.
import { number } from "./format.js";

const pixels_per_tick = [70, 34]; // along time, upwards

// 1, 2 or 5 times a power of ten, so that at most so many of them fit in the span.
function round_increment(span, most) {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((increment) => increment >= rough) ?? rough;
}

// At most about so many round numbers between two others.
export function round_places(from, to, most) {
  const increment = round_increment(to - from, Math.max(2, most));
  const first = Math.ceil(from / increment);
  const count = Math.max(Math.floor(to / increment) - first + 1, 0);
  return Array.from({ length: Math.min(count, 100) }, (_, i) => (first + i) * increment);
}

function places(chart, axis, from, to) {
  const pixels = (axis === 0 ? chart.bbox.width : chart.bbox.height) / devicePixelRatio;
  return round_places(from, to, Math.floor(pixels / pixels_per_tick[axis]));
}

// As many digits as tell neighbouring ticks apart.
function texts(_chart, ticks) {
  const increment = Math.abs(ticks[1] - ticks[0]);
  const largest = Math.max(...ticks.map((tick) => Math.abs(tick ?? 0)));
  const digits = increment > 0 && largest > 0 ? Math.ceil(Math.log10(largest / increment)) + 1 : 3;
  return ticks.map((tick) => (tick == null ? "" : number(tick, Math.min(Math.max(digits, 3), 15))));
}

// uPlot's own increments end at 1e-32 and lose themselves where the ticks differ in the last digits. Given one
// increment that always fits, it leaves the places to us.
export const linear_axis = {
  incrs: (_chart, _axis, from, to) => [Math.max(to - from, 5)],
  splits: places,
  values: texts,
};

// The lines at whole powers of ten; all of them where the axis spans less than two.
function decades(_chart, splits) {
  const whole = splits.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
  return whole.filter((v) => v != null).length < 2 ? splits : whole;
}

export function logarithmic_axis(grid) {
  return {
    values: (_chart, ticks) => ticks.map((tick) => (tick == null ? "" : number(tick, 3))),
    grid: { ...grid, filter: decades },
  };
}

// Whole decades around the data, but none for what is below `least`, unless there is nothing else.
export function decade_range(least) {
  return (_chart, from, to) => {
    if (!(from > 0)) return [0.1, 1];
    const lowest = to >= least ? Math.max(from, least) : from;
    const [below, above] = [Math.floor(Math.log10(lowest)), Math.ceil(Math.log10(to))];
    return [10 ** below, 10 ** Math.max(above, below + 1)];
  };
}

// The data with a margin; a flat curve, or one without values, gets room around it.
export function linear_range(_chart, least, greatest) {
  if (least == null || greatest == null) return [0, 1];
  const span = greatest - least;
  const size = Math.max(Math.abs(least), Math.abs(greatest));
  const margin = span > 1e-14 * size ? 0.06 * span : size > 0 ? 0.1 * size : 1;
  return [least - margin, greatest + margin];
}

// The same width for all plots, so that they stand under each other, unless the ticks need more.
export function tick_width(least) {
  return (_chart, ticks) =>
    Math.max(least, 14 + 7.6 * Math.max(0, ...(ticks ?? []).map((tick) => tick.length)));
}
