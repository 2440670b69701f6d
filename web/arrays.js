// Arrays of many elements: a map over time and index with the profile at a chosen time, or, for a matrix, the map
// of its elements at that time.
import uPlot from "uplot";
import { linear_axis, linear_range, round_places, tick_width } from "./axes.js";
import { values } from "./curves.js";
import { element, fill } from "./dom.js";
import { count, number } from "./format.js";

const fewest_elements = 12;
const map_height = 250;
const profile_height = 210;
const margins = { left: 82, right: 92, top: 10, bottom: 40 };
const legend_width = 12; // of the bar of colours

// Nine colours of viridis, dark to light.
const stops = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];
const shades = 256;

const colours = Array.from({ length: shades }, (_, i) => {
  const place = (i / (shades - 1)) * (stops.length - 1);
  const below = Math.min(Math.floor(place), stops.length - 2);
  const part = (shift) => {
    const [a, b] = [stops[below], stops[below + 1]].map((stop) => (stop >> shift) & 255);
    return Math.round(a + (place - below) * (b - a));
  };
  return [part(16), part(8), part(0)];
});

// `pipe[3].T` is an element of `pipe[·].T`; the last index counts. Derivatives stand for themselves.
export function place_in_array({ name }) {
  const match = /^(?!der\()(.*)\[(\d+)(?:,(\d+))?\]([^[]*)$/.exec(name);
  if (!match) return null;
  const [, before, first, second, behind] = match;
  const index = second === undefined ? [Number(first)] : [Number(first), Number(second)];
  return { array: `${before}[${index.map(() => "·").join(",")}]${behind}`, index };
}

// The arrays with many elements, in the order of their first ones: {name, unit, elements: [{index, curve}]}.
export function arrays_of(curves) {
  const arrays = new Map();
  for (const curve of curves) {
    const place = place_in_array(curve);
    if (!place) continue;
    if (!arrays.has(place.array))
      arrays.set(place.array, { name: place.array, unit: curve.unit, is_matrix: place.index.length === 2, elements: [] });
    arrays.get(place.array).elements.push({ index: place.index, curve });
  }
  const many = [...arrays.values()].filter(({ elements }) => elements.length >= fewest_elements);
  for (const { elements } of many)
    elements.sort((a, b) => a.index[0] - b.index[0] || (a.index[1] ?? 0) - (b.index[1] ?? 0));
  return many;
}

// The last row at or before t.
function row_at(time, t) {
  let from = 0;
  let to = time.length;
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (time[middle] <= t) from = middle;
    else to = middle;
  }
  return from;
}

function extremes(columns) {
  let least = Infinity;
  let greatest = -Infinity;
  for (const column of columns) {
    for (const value of column) {
      if (value == null) continue;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
  }
  return least <= greatest ? [least, greatest] : [0, 1];
}

export class Arrays {
  // `zoomed()` gives what the plots above show: {range, log, printing}.
  constructor(run, arrays, zoomed) {
    this.run = run;
    this.arrays = arrays;
    this.zoomed = zoomed;
    this.row = run.time.length - 1;
    this.map = element("canvas", { class: "map", "aria-label": "map of the array" });
    this.profile = element("figure", { class: "plot", "data-plot": "profile" });
    this.caption = element("figcaption", {});
    this.readout = element("output", { class: "range" });
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: run.time.length - 1,
      "aria-label": "time of the profile",
      oninput: () => this.choose_row(Number(this.slider.value)),
    });
    const choice = element("select", {
      "aria-label": "array",
      onchange: () => this.choose_array(Number(choice.value)),
    });
    choice.append(...arrays.map(({ name }, i) => element("option", { value: i }, name)));
    for (const kind of ["pointerdown", "pointermove"])
      this.map.addEventListener(kind, (event) => event.buttons & 1 && this.point_at(event));
    fill(
      "arrays",
      element("h2", {}, "Arrays"),
      element("div", { class: "field-bar" }, choice, this.slider, this.readout),
      element("figure", { class: "plot", "data-plot": "map" }, this.caption, this.map),
      this.profile,
    );
    new ResizeObserver(() => this.draw()).observe(document.getElementById("arrays"));
    this.choose_array(0);
  }

  choose_array(number_of_it) {
    this.array = this.arrays[number_of_it];
    this.columns = this.array.elements.map(({ curve }) => values(this.run, curve));
    this.limits = extremes(this.columns);
    this.draw();
  }

  choose_row(row) {
    this.row = row;
    this.draw();
  }

  // In a map over time, the time under the pointer.
  point_at(event) {
    if (this.array.is_matrix) return;
    const place = (event.offsetX - margins.left) / (this.width() - margins.left - margins.right);
    this.choose_row(row_at(this.run.time, this.time_at(Math.min(Math.max(place, 0), 1))));
  }

  time_at(place) {
    const { range, log } = this.zoomed();
    const [from, to] = range;
    return log ? from * (to / from) ** place : from + place * (to - from);
  }

  draw() {
    const t = this.run.time[this.row];
    this.slider.value = this.row;
    this.readout.textContent = `t = ${number(t, 7)} s`;
    const { name, elements, is_matrix, unit } = this.array;
    const what = is_matrix ? `at t = ${number(t, 7)} s` : "over time and index";
    this.caption.textContent = `${name} ${unit ? `[${unit}] ` : ""}· ${count(elements.length)} elements ${what}`;
    this.draw_map();
    this.draw_profile();
  }

  draw_map() {
    const ratio = devicePixelRatio || 1;
    const width = this.width();
    this.map.width = Math.round(width * ratio);
    this.map.height = Math.round(map_height * ratio);
    this.map.style.width = `${width}px`;
    this.map.style.height = `${map_height}px`;
    const pen = this.map.getContext("2d");
    const inner = { x: margins.left, y: margins.top, w: width - margins.left - margins.right, h: map_height - margins.top - margins.bottom };
    if (inner.w < 20) return;
    const pixels = { w: Math.round(inner.w * ratio), h: Math.round(inner.h * ratio) };
    const image = this.array.is_matrix ? this.matrix_image(pixels) : this.time_image(pixels);
    pen.putImageData(image, Math.round(inner.x * ratio), Math.round(inner.y * ratio));
    pen.scale(ratio, ratio);
    this.draw_axes(pen, inner);
    this.draw_legend(pen, inner);
  }

  paint(pixels, value_at) {
    const image = new ImageData(pixels.w, pixels.h);
    const [least, greatest] = this.limits;
    const scale = greatest > least ? (shades - 1) / (greatest - least) : 0;
    for (let y = 0; y < pixels.h; ++y) {
      for (let x = 0; x < pixels.w; ++x) {
        const value = value_at(x, y);
        if (value == null) continue;
        const [red, green, blue] = colours[Math.round((value - least) * scale)];
        image.data.set([red, green, blue, 255], 4 * (y * pixels.w + x));
      }
    }
    return image;
  }

  // The first element at the bottom.
  time_image(pixels) {
    const rows = Array.from({ length: pixels.w }, (_, x) =>
      row_at(this.run.time, this.time_at((x + 0.5) / pixels.w)),
    );
    const n = this.columns.length;
    return this.paint(pixels, (x, y) => this.columns[n - 1 - Math.floor((y * n) / pixels.h)][rows[x]]);
  }

  // Rows from the top, as a matrix is written.
  matrix_image(pixels) {
    const [rows, columns] = this.matrix_size();
    const cells = new Map();
    this.array.elements.forEach(({ index }, k) => cells.set(index[0] * (columns + 1) + index[1], k));
    return this.paint(pixels, (x, y) => {
      const i = Math.floor((y * rows) / pixels.h) + 1;
      const j = Math.floor((x * columns) / pixels.w) + 1;
      return this.columns[cells.get(i * (columns + 1) + j)]?.[this.row];
    });
  }

  matrix_size() {
    return [0, 1].map((k) => this.array.elements.reduce((most, { index }) => Math.max(most, index[k]), 1));
  }

  ink() {
    const printing = this.zoomed().printing;
    return printing ? "#444" : getComputedStyle(document.documentElement).getPropertyValue("--muted").trim();
  }

  draw_axes(pen, { x, y, w, h }) {
    pen.fillStyle = pen.strokeStyle = this.ink();
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    const { is_matrix, elements } = this.array;
    const [rows, columns] = is_matrix ? this.matrix_size() : [elements.length, 0];
    const { range, log } = this.zoomed();
    const [from, to] = is_matrix ? [0.5, columns + 0.5] : range;
    const is_log = log && !is_matrix;
    for (const tick of is_log ? decades(from, to) : round_places(from, to, Math.floor(w / 70))) {
      const place = is_log ? Math.log(tick / from) / Math.log(to / from) : (tick - from) / (to - from);
      if (place >= 0 && place <= 1) pen.fillText(number(tick, 6), x + place * w, y + h + 17);
    }
    pen.fillText(is_matrix ? "second index" : "time [s]", x + w / 2, y + h + 34);
    pen.textAlign = "right";
    // Of a long array the page may have every so many-th element only.
    const [first, last] = [elements[0].index[0], elements.at(-1).index[0]];
    for (const tick of round_places(first, last, 6).filter(Number.isInteger)) {
      const place = (((tick - first) / Math.max(last - first, 1)) * (rows - 1) + 0.5) / rows;
      pen.fillText(String(tick), x - 8, y + (is_matrix ? place : 1 - place) * h + 4);
    }
    if (is_matrix) return;
    const t = this.run.time[this.row];
    const place = is_log ? Math.log(t / from) / Math.log(to / from) : (t - from) / (to - from);
    if (!(place >= 0 && place <= 1)) return;
    pen.strokeStyle = "#ffffff";
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x + place * w, y);
    pen.lineTo(x + place * w, y + h);
    pen.stroke();
  }

  draw_legend(pen, { x, y, w, h }) {
    const left = x + w + 14;
    for (let i = 0; i < shades; ++i) {
      pen.fillStyle = `rgb(${colours[i].join()})`;
      pen.fillRect(left, y + h - ((i + 1) * h) / shades, legend_width, h / shades + 0.5);
    }
    pen.fillStyle = this.ink();
    pen.textAlign = "left";
    pen.fillText(number(this.limits[1], 4), left + legend_width + 5, y + 9);
    pen.fillText(number(this.limits[0], 4), left + legend_width + 5, y + h);
  }

  draw_profile() {
    this.chart?.destroy();
    this.chart = null;
    this.profile.hidden = this.array.is_matrix;
    if (this.array.is_matrix) return;
    const style = getComputedStyle(document.documentElement);
    const line = this.zoomed().printing ? "#ddd" : style.getPropertyValue("--grid").trim();
    const font = "12px system-ui, sans-serif";
    const axis = {
      stroke: this.ink(),
      font,
      labelFont: font,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 5 },
      ...linear_axis,
    };
    const { elements, unit } = this.array;
    const data = [elements.map(({ index }) => index[0]), this.columns.map((column) => column[this.row])];
    const colour = this.zoomed().printing ? "#0a66c2" : style.getPropertyValue("--accent").trim();
    this.profile.replaceChildren(
      element("figcaption", {}, `Profile at t = ${number(this.run.time[this.row], 7)} s`),
    );
    this.profile.dataset.values = JSON.stringify(data[1]);
    this.chart = new uPlot(
      {
        width: this.width(),
        height: profile_height,
        padding: [8, 18, 0, 0],
        series: [
          { label: "index", value: (_, v) => (v == null ? "–" : String(v)) },
          { label: this.array.name, stroke: colour, width: 1.6, value: (_, v) => number(v, 8) },
        ],
        scales: {
          x: { time: false, range: (_, from, to) => [from, to] },
          y: { range: (chart) => linear_range(chart, ...this.limits) },
        },
        axes: [
          { ...axis, size: 30, label: "index", labelSize: 18 },
          { ...axis, size: tick_width(60), label: unit || null, labelSize: 22 },
        ],
        cursor: { y: false, drag: { x: false, y: false } },
        legend: { live: true, markers: { width: 0, fill: (chart, i) => chart.series[i].stroke(chart, i) } },
      },
      data,
      this.profile,
    );
  }

  width() {
    const inner = this.zoomed().printing ? 700 : document.getElementById("arrays").clientWidth - 58;
    return Math.max(inner, 260);
  }
}

function decades(from, to) {
  const ticks = [];
  for (let k = Math.ceil(Math.log10(from)); k <= Math.floor(Math.log10(to)); ++k) ticks.push(10 ** k);
  return ticks;
}
