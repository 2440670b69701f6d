// The plots: one for each unit and two for the history of the steps, all over one linked time axis.
import uPlot from "uplot";
import { element } from "./dom.js";
import { decade_range, linear_axis, logarithmic_axis, linear_range, tick_width } from "./axes.js";
import { count, number } from "./format.js";
import { values } from "./curves.js";

const palettes = {
  light: [
    "#0a66c2",
    "#d9480f",
    "#18794e",
    "#7c3aed",
    "#b7791f",
    "#c2185b",
    "#00838f",
    "#6d4c41",
    "#52606d",
    "#6b8e00",
  ],
  dark: [
    "#5aa9ff",
    "#ff8f5e",
    "#4fd18b",
    "#c09bff",
    "#f4c152",
    "#ff7eb3",
    "#4fd3e0",
    "#c9a996",
    "#a3b3c2",
    "#c3d94a",
  ],
};
const dashes = [[], [8, 4], [2, 3]];
const plot_height = 250;
const switch_height = 130; // of Booleans
const history_height = 165;
const axis_width = 82;
const smallest_zoom = 1e-12; // relative to the time: beyond it neighbouring times are the same number

const stepped = uPlot.paths.stepped({ align: 1 });
const stepped_back = uPlot.paths.stepped({ align: -1 });

// The rows that a logarithmic time axis can show.
function first_positive(time) {
  const at = time.findIndex((t) => t > 0);
  return at < 0 ? time.length : at;
}

// The rows in sight, and one more on either side.
function rows_in_sight(chart) {
  const [first, last] = chart.series[0].idxs;
  return [Math.max(first - 1, 0), Math.min(last + 1, chart.data[0].length - 1)];
}

// The limits of the curves in sight together with their bands.
function with_bands(chart, bands, limits) {
  let [least, greatest] = limits;
  bands.forEach((band, k) => {
    if (!band || least == null || !chart.series[k + 1].show) return;
    const [first, last] = rows_in_sight(chart);
    for (let row = first; row <= last; ++row) {
      const value = chart.data[k + 1][row];
      if (value == null || band[row] == null) continue;
      least = Math.min(least, value - band[row]);
      greatest = Math.max(greatest, value + band[row]);
    }
  });
  return [least, greatest];
}

// A shade around a curve, as high on both sides as the second run is away from it.
function draw_band(chart, i, band) {
  if (!band) return;
  const [first, last] = rows_in_sight(chart);
  const rows = [];
  for (let row = first; row <= last; ++row) {
    if (chart.data[i][row] != null && band[row] != null) rows.push(row);
  }
  if (rows.length === 0) return;
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  const add = (row, sign) =>
    ctx.lineTo(
      chart.valToPos(chart.data[0][row], "x", true),
      chart.valToPos(chart.data[i][row] + sign * band[row], "y", true),
    );
  for (const row of rows) add(row, 1);
  for (const row of rows.toReversed()) add(row, -1);
  ctx.closePath();
  ctx.globalAlpha = 0.25;
  ctx.fillStyle = chart.series[i].stroke(chart, i);
  ctx.fill();
  ctx.restore();
}

function positive(column) {
  return column.map((value) => (value > 0 ? value : null));
}

// The step sizes of each method, where it changes during the run.
function by_method(switches, t, h) {
  if (switches.length < 2) return [["step size", h]];
  const names = [...new Set(switches.map((change) => change.to))];
  const columns = names.map((name) => [name, h.map(() => null)]);
  let next = 0;
  t.forEach((end, i) => {
    while (next < switches.length && switches[next].t < end) ++next;
    columns[names.indexOf(switches[next - 1].to)][1][i] = h[i];
  });
  return columns;
}

export class Board {
  constructor(run, groups, place) {
    this.run = run;
    this.groups = groups;
    this.place = place;
    this.plots = new Map(); // name -> {card, chart}
    this.log = false;
    this.range = null; // null: all of it
    this.printing = false;
    this.onrange = () => {};
    const times = [...run.time, ...run.history.t];
    this.whole = times.reduce(
      ([least, most], t) => [Math.min(least, t), Math.max(most, t)],
      [Infinity, -Infinity],
    );
    new ResizeObserver(() => this.resize()).observe(place);
  }

  get can_be_log() {
    return this.whole[1] > 0;
  }

  get palette() {
    const dark = !this.printing && matchMedia("(prefers-color-scheme: dark)").matches;
    return palettes[dark ? "dark" : "light"];
  }

  draw() {
    for (const name of this.groups.keys()) this.draw_group(name);
    this.draw_history();
    this.zoom(this.range);
  }

  draw_group(name) {
    const curves = this.groups.get(name).filter((curve) => curve.shown);
    if (curves.length === 0) return this.remove(name);
    const data = [this.run.time, ...curves.map((curve) => values(this.run, curve))];
    const series = curves.map((curve) => this.series(curve));
    const total = this.groups.get(name).length;
    const title = `${name} · ${count(curves.length)} of ${count(total)} ${total === 1 ? "variable" : "variables"}`;
    const is_switch = curves.every((curve) => curve.kind === "boolean");
    const height = is_switch ? switch_height : plot_height;
    const bands = curves.map((curve) => (curve.kind === "real" && this.run.bands?.[curve.column]) || null);
    const shade = bands.some(Boolean) ? ` · shaded: difference from ${this.run.second}` : "";
    this.put(name, title + shade, { data, series, bands, height, curves, is_switch, label: curves[0].unit });
  }

  draw_history() {
    const { t, h, error, least, at_events } = this.run.history;
    if (t.length === 0) return;
    const steps = (columns, first_colour) => ({
      data: [t, ...columns.map(([, column]) => positive(column))],
      series: columns.map(([label], i) => ({
        label,
        stroke: this.palette[first_colour + i],
        width: 1.25,
        paths: stepped_back,
        points: { show: false },
        value: (_, v) => number(v, 4),
      })),
      height: history_height,
      logarithmic: true,
    });
    const below = at_events > 0 ? `, ${count(at_events)} of them cut short at events and below this axis` : "";
    const title = `Step size · ${count(this.run.totals.steps)} accepted steps${below}`;
    this.put("step size", title, { ...steps(by_method(this.run.switches, t, h), 0), label: "s", least });
    if (error.some((value) => value > 0)) {
      this.put("error", "Error estimate of each step, scaled: 1 is the tolerance", {
        ...steps([["error", error]], 1),
        label: "",
      });
    }
  }

  // Both curves of a variable have one colour where two results are compared.
  look_of(curve) {
    const { palette } = this;
    if (this.run.comparison) {
      const pair = Math.floor(curve.index / 2);
      return { stroke: palette[pair % palette.length], dash: dashes[curve.index % 2] };
    }
    return {
      stroke: palette[curve.colour % palette.length],
      dash: dashes[Math.floor(curve.colour / palette.length) % dashes.length],
    };
  }

  series(curve) {
    return {
      label: curve.name,
      ...this.look_of(curve),
      width: 1.6,
      show: !curve.hidden,
      paths: curve.kind === "real" ? undefined : stepped,
      points: { show: this.run.time.length === 1 },
      value: (_, v) => (curve.kind === "boolean" && v != null ? String(v !== 0) : number(v, 8)),
    };
  }

  // Draws one plot anew in its place, or after all the others if it has none.
  put(name, title, { data, curves = [], bands = [], ...look }) {
    let plot = this.plots.get(name);
    if (!plot) {
      plot = { card: element("figure", { class: "plot", "data-plot": name }), chart: null };
      this.plots.set(name, plot);
      const names = [...this.groups.keys(), "step size", "error"];
      const next = names
        .slice(names.indexOf(name) + 1)
        .map((other) => this.plots.get(other))
        .find(Boolean);
      this.place.insertBefore(plot.card, next ? next.card : null);
    }
    plot.chart?.destroy();
    plot.card.replaceChildren(element("figcaption", {}, title));
    plot.curves = curves;
    const from = this.log ? first_positive(data[0]) : 0;
    const tail = (column) => (from > 0 ? (column?.slice(from) ?? null) : column);
    const options = this.options({ curves, bands: bands.map(tail), ...look });
    plot.chart = new uPlot(options, data.map(tail), plot.card);
    this.apply_range(plot);
  }

  options({ series, height, curves, bands, label, logarithmic = false, least = 0, is_switch = false }) {
    const style = getComputedStyle(document.documentElement);
    const ink = this.printing ? "#444" : style.getPropertyValue("--muted").trim();
    const line = this.printing ? "#ddd" : style.getPropertyValue("--grid").trim();
    const font = "12px system-ui, sans-serif";
    const axis = {
      stroke: ink,
      font,
      labelFont: font,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 5 },
    };
    const x_axis = this.log ? logarithmic_axis(axis.grid) : linear_axis;
    const [y_scale, y_axis] = logarithmic
      ? [{ distr: 3, range: decade_range(least) }, { space: 22, ...logarithmic_axis(axis.grid) }]
      : is_switch
        ? [{ range: [-0.15, 1.15] }, { splits: [0, 1], values: ["false", "true"] }]
        : [{ range: (chart, ...limits) => linear_range(chart, ...with_bands(chart, bands, limits)) }, linear_axis];
    return {
      width: this.width(),
      height,
      padding: [8, 18, 0, 0],
      series: [{ label: "time", value: (_, v) => (v == null ? "–" : `${number(v, this.time_digits(v))} s`) }, ...series],
      scales: { x: { time: false, distr: this.log ? 3 : 1, range: (_, from, to) => [from, to] }, y: y_scale },
      axes: [
        { ...axis, ...x_axis, size: 30, label: "time [s]", labelSize: 18 },
        {
          ...axis,
          ...y_axis,
          size: tick_width(axis_width - (label ? 22 : 0)),
          label: label || null,
          labelSize: 22,
        },
      ],
      cursor: {
        y: false,
        sync: { key: "time", setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { size: 7 },
        bind: { dblclick: () => () => this.zoom(null) },
      },
      legend: { live: true, markers: { width: 0, fill: (chart, i) => chart.series[i].stroke(chart, i) } },
      hooks: {
        setSelect: [(chart) => this.select(chart)],
        drawSeries: [(chart, i) => draw_band(chart, i, bands[i - 1])],
        setScale: [(chart, key) => key === "y" && (chart.root.dataset.least = chart.scales.y.min)],
        setSeries: [
          (_, i, change) => {
            if (i > 0 && change.show != null && curves[i - 1]) curves[i - 1].hidden = !change.show;
          },
        ],
      },
    };
  }

  select(chart) {
    const { left, width } = chart.select;
    if (width < 3) return;
    const from = chart.posToVal(left, "x");
    const to = chart.posToVal(left + width, "x");
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (to - from > smallest_zoom * Math.max(Math.abs(from), Math.abs(to))) this.zoom([from, to]);
  }

  // Shows a range of time in every plot; null shows all of it.
  zoom(range) {
    this.range = range;
    for (const plot of this.plots.values()) this.apply_range(plot);
    this.onrange(range);
  }

  apply_range({ card, chart }) {
    const [from, to] = this.range ?? this.whole_range();
    if (!(to >= from)) return;
    chart.setScale("x", { min: from, max: to > from ? to : from + 1 });
    card.dataset.from = from;
    card.dataset.to = to;
  }

  // As many as tell times apart in what is shown.
  time_digits(t) {
    const [from, to] = this.range ?? this.whole;
    const digits = Math.ceil(Math.log10(Math.abs(t) / (to - from))) + 4;
    return Math.min(Math.max(Number.isFinite(digits) ? digits : 7, 7), 15);
  }

  whole_range() {
    if (!this.log) return this.whole;
    // The first step may be far smaller than the first stored time: the trajectories decide.
    const starts = [this.run.time, this.run.history.t].map((time) => time[first_positive(time)]);
    return [starts.find((t) => t > 0), this.whole[1]];
  }

  set_log(log) {
    this.log = log && this.can_be_log;
    if (this.log && this.range && !(this.range[0] > 0)) this.range = null;
    this.draw();
  }

  remove(name) {
    const plot = this.plots.get(name);
    if (!plot) return;
    plot.chart.destroy();
    plot.card.remove();
    this.plots.delete(name);
  }

  width() {
    const inner = this.printing ? 700 : this.place.clientWidth - 34;
    return Math.max(inner, 260);
  }

  resize() {
    for (const { chart } of this.plots.values()) {
      if (chart.width !== this.width()) chart.setSize({ width: this.width(), height: chart.height });
    }
  }

  print(printing) {
    this.printing = printing;
    this.draw();
  }
}
