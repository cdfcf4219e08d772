// The map of a campaign's parts: a square for each part, or for each group of parts if there are many. The colour of a square
// shows the progress of the first count, and the dot in the square shows that of the second count.
import {element} from "./format.js";
import {addCopies, colourOf, rowsOf} from "./plot.js";

const kGap = 2;  // pixels between squares

export class PartMap {
  #cells = [];  // {done, counting, to_verify, verified, verifying}: shares of the work
  #canvas = element("canvas", {role: "img"});

  constructor(host, say) {
    this.host = host;
    host.append(this.#canvas);
    addCopies(host, say, () => this.#canvas, () => rowsOf(["square", "counted", "being_counted", "to_verify", "verified", "being_verified"],
      this.#cells.map((_, at) => at + 1), ...["done", "counting", "to_verify", "verified", "verifying"].map(name => this.#cells.map(cell => cell[name]))));
    new ResizeObserver(() => this.redraw()).observe(host);
  }

  /**
   * Draws the map. `shares` come from the server: for each state an array with one share per square. `words` describes the
   * picture.
   */
  show(shares, words) {
    this.#cells = shares.done.map((_, at) => Object.fromEntries(Object.entries(shares).map(([name, all]) => [name, all[at]])));
    this.#canvas.setAttribute("aria-label", words);
    this.redraw();
  }

  redraw() {
    const all = this.host.clientWidth, number = this.#cells.length;
    if (!all || !number) return;
    const size = Math.min(28, Math.max(14, Math.floor(Math.sqrt(all * 130 / number))));
    const row = Math.min(number, Math.floor((all + kGap) / size)), rows = Math.ceil(number / row);
    const scale = devicePixelRatio, pen = this.#canvas.getContext("2d");
    Object.assign(this.#canvas, {width: row * size * scale, height: rows * size * scale});
    Object.assign(this.#canvas.dataset, {count: number, size, row});
    Object.assign(this.#canvas.style, {width: `${row * size}px`, height: `${rows * size}px`});
    pen.scale(scale, scale);
    const [card, edge, done, counting, mark] = ["--card", "--edge", "--accent", "--focus", "--on-accent"].map(colourOf);
    for (const [at, cell] of this.#cells.entries()) {
      const side = size - kGap, x = at % row * size, y = Math.floor(at / row) * size;
      const fill = (colour, from, share) => {
        pen.fillStyle = colour;
        pen.fillRect(x, y + side * (1 - from - share), side, side * share);
      };
      fill(card, 0, 1);
      fill(done, 0, cell.done);
      fill(counting, cell.done, cell.counting);
      pen.strokeStyle = cell.done + cell.counting >= 1 ? done : edge;
      if (cell.done + cell.counting < 1) pen.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
      if (!(cell.to_verify > 0)) continue;
      pen.beginPath();
      pen.arc(x + side / 2, y + side / 2, side / 5, 0, 2 * Math.PI);
      pen.fillStyle = cell.verified >= cell.to_verify ? mark : cell.verifying > 0 ? counting : cell.done > 0.5 ? done : card;
      pen.strokeStyle = cell.done > 0.5 ? mark : edge;
      pen.fill();
      pen.stroke();
    }
  }
}
