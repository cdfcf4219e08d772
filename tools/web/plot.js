// Leaves per second while a job runs.
import uPlot from "./vendor/uplot/uPlot.esm.js";
import {duration, si} from "./format.js";

const kPoints = 600;

export class RatePlot {
  constructor(host) {
    this.host = host;
    this.data = [[], []];
    new ResizeObserver(() => this.plot?.setSize({width: host.clientWidth, height: 150})).observe(host);
  }
  clear() {
    this.data = [[], []];
    this.redraw();
  }
  /** New colours. */
  redraw() {
    this.plot?.destroy();
    this.plot = null;
    if (this.data[0].length) this.draw();
  }
  add(seconds, rate) {
    const [x, y] = this.data;
    if (x.length && seconds <= x.at(-1)) return;
    x.push(seconds);
    y.push(rate);
    // Halved when long: the whole run stays visible, in bounded memory.
    if (x.length > kPoints) this.data = this.data.map(series => series.filter((_, i) => i % 2 === 0));
    this.plot ? this.plot.setData(this.data) : this.draw();
  }
  draw() {
    const style = getComputedStyle(document.documentElement);
    const [text, line, accent] = ["--muted", "--line", "--accent"].map(name => style.getPropertyValue(name));
    const axis = {stroke: text, grid: {stroke: line, width: 1}, ticks: {show: false}, font: "12px system-ui"};
    this.plot = new uPlot({
      width: this.host.clientWidth || 300, height: 150, legend: {show: false}, cursor: {show: false},
      scales: {x: {time: false}, y: {range: (_, low, high) => [0, high * 1.15 || 1]}},
      axes: [{...axis, values: (_, ticks) => ticks.map(tick => duration(tick)), space: 70},
             {...axis, values: (_, ticks) => ticks.map(si), size: 62}],
      series: [{}, {stroke: accent, width: 2, fill: accent.trim() + "22", points: {show: false}}],
    }, this.data, this.host);
  }
}
