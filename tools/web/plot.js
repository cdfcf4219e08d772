// Draws plots: leaves per second of a running job or a campaign, and counts by depth.
import uPlot from "./vendor/uplot/uPlot.esm.js";
import {copy, copyPicture} from "./clipboard.js";
import {clock, element, si} from "./format.js";

const kPoints = 600;
/** Distances of ticks on a time axis, in seconds. */
const kSteps = [1, 2, 5, 10, 15, 30, ...[1, 2, 5, 10, 15, 30].map(minutes => 60 * minutes), ...[1, 2, 3, 6, 12].map(hours => 3600 * hours),
                ...[1, 2, 5, 10, 20, 50, 100].map(days => 86400 * days)];

/** Returns the colour that the style sheet calls `name`. */
export const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(name);
const colours = () => {
  const [text, line, accent] = ["--muted", "--line", "--accent"].map(colourOf);
  return {accent, axis: {stroke: text, grid: {stroke: line, width: 1}, ticks: {show: false}, size: 30, font: "12px system-ui"}};
};

/** Resolves to a PNG of `canvas` with `caption` above it. */
function picture(canvas, caption) {
  const {width, height} = canvas, size = 12 * devicePixelRatio, font = `${size}px system-ui`;
  const whole = element("canvas", {height: height + 2 * size}), pen = whole.getContext("2d");
  pen.font = font;
  whole.width = Math.max(width, pen.measureText(caption).width + size);
  pen.fillStyle = colourOf("--card");
  pen.fillRect(0, 0, whole.width, whole.height);
  pen.fillStyle = colourOf("--ink");
  pen.font = font;  // setting the width resets the font
  pen.fillText(caption, size / 2, 1.4 * size);
  pen.drawImage(canvas, 0, 2 * size);
  return new Promise(resolve => whole.toBlob(resolve, "image/png"));
}
/** Adds buttons below a plot's host. `canvas()` returns the drawn plot, and `table()` its numbers as text, separated by tabs. */
export function addCopies(host, say, canvas, table) {
  const caption = () => host.closest("figure").querySelector("figcaption").textContent;
  const button = (words, action) => element("button", {type: "button", className: "quiet small", onclick: ({currentTarget}) => action(currentTarget)}, words);
  host.after(element("p", {className: "row copies"},
    button("Copy picture", control => copyPicture(picture(canvas(), caption()), `${caption().split(/[,:]/)[0]}.png`, control, say)),
    button("Copy data", control => copy(table(), control, say))));
}
/** Returns the columns as text: a line of names, then a line for each row, with tabs between the values. */
export const rowsOf = (names, ...columns) => [names, ...columns[0].map((_, at) => columns.map(column => column[at]))].map(row => row.join("\t")).join("\n");

/** Plots the count of each depth on a logarithmic scale. */
export class DepthPlot {
  #data = null;
  #counts = [];
  #plot = null;

  constructor(host, say) {
    this.host = host;
    addCopies(host, say, () => this.#plot.ctx.canvas, () => rowsOf(["depth", "paths"], this.#data[0], this.#counts));
    new ResizeObserver(() => host.clientWidth && (this.#plot ? this.#plot.setSize({width: host.clientWidth, height: 220}) : this.redraw()))
      .observe(host);
  }
  /** `counts` are strings of digits. */
  show(depths, counts) {
    this.#counts = counts;
    this.#data = [depths, counts.map(digits => Math.max(Number(digits), 1))];  // zero has no logarithm
    this.redraw();
  }
  clear() {
    this.#data = null;
    this.redraw();
  }
  redraw() {
    this.#plot?.destroy();
    this.#plot = null;
    if (!this.#data || !this.host.clientWidth) return;
    const {accent, axis} = colours();
    const powers = Math.max(1, Math.ceil(Math.log10(Math.max(...this.#data[1])) + 0.01));
    const lines = Array.from({length: powers + 1}, (_, power) => 10 ** power), every = Math.ceil(powers / 6);
    this.#plot = new uPlot({
      width: this.host.clientWidth, height: 220, legend: {show: false}, cursor: {show: false},
      scales: {x: {time: false}, y: {distr: 3, range: [1, 10 ** powers]}},
      axes: [{...axis, splits: () => this.#data[0], values: (_, ticks) => ticks.map(String)},
             {...axis, splits: () => lines, filter: (_, ticks) => ticks, values: (_, ticks) => ticks.map((tick, power) => power % every ? "" : si(tick)), size: 62}],
      series: [{}, {stroke: accent, width: 2, points: {show: true, size: 7, fill: accent}}],
    }, this.#data, this.host);
  }
}

export class RatePlot {
  constructor(host, say) {
    this.host = host;
    this.clear();
    addCopies(host, say, () => this.plot.ctx.canvas, () => rowsOf(["seconds", "leaves_per_second"], ...this.data));
    new ResizeObserver(() => this.resized()).observe(host);
  }
  clear() {
    this.data = [[], []];
    this.last = this.before = 0;
    this.attempt = null;
    this.redraw();
  }
  /** Returns whether the plot has at least three points, over at least one second. */
  get telling() {
    return this.data[0].length > 2 && this.data[0].at(-1) - this.data[0][0] >= 1;
  }
  resized() {
    if (!this.host.clientWidth) return;
    if (this.plot) this.plot.setSize({width: this.host.clientWidth, height: 150});
    else this.redraw();
  }
  /** Redraws with new colours. */
  redraw() {
    this.plot?.destroy();
    this.plot = null;
    if (this.data[0].length && this.host.clientWidth) this.draw();
  }
  /** Shows a complete series. */
  show(seconds, rates) {
    this.data = [seconds, rates];
    if (this.plot) this.plot.setData(this.data);
    else if (this.host.clientWidth) this.draw();
  }
  /** Adds a point. `seconds` starts at 0 in each attempt. If the server was restarted, the line continues where it ended. */
  add(seconds, rate, attempt) {
    const [x, y] = this.data;
    if (attempt !== this.attempt) [this.attempt, this.before, this.last] = [attempt, this.before + this.last, 0];
    if (x.length && seconds <= this.last) return;
    this.last = seconds;
    x.push(this.before + seconds);
    y.push(rate);
    // If there are too many points, drop every other one, so that the plot shows the whole run in bounded memory.
    if (x.length > kPoints) this.data = this.data.map(series => series.filter((_, i) => i % 2 === 0));
    if (this.plot) this.plot.setData(this.data);
    else if (this.host.clientWidth) this.draw();
  }
  draw() {
    const {accent, axis} = colours();
    this.plot = new uPlot({
      width: this.host.clientWidth, height: 150, legend: {show: false}, cursor: {show: false},
      scales: {x: {time: false}, y: {range: (_, low, high) => [0, 1.15 * high || 1]}},
      axes: [{...axis, values: (_, ticks) => ticks.map(clock), incrs: kSteps, space: 70},
             {...axis, values: (_, ticks) => ticks.map(si), size: 62}],
      series: [{}, {stroke: accent, width: 2, fill: accent.trim() + "22", points: {show: false}}],
    }, this.data, this.host);
  }
}
