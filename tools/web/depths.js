// Shows how a count grows with depth: a table, a plot, and files to save.
import {isFinal} from "./counter.js";
import {save} from "./clipboard.js";
import {count, duration, element} from "./format.js";
import {DepthPlot} from "./plot.js";
import {describe} from "./named_positions.js";

const $ = id => document.getElementById(id);

const ratio = (above, below) => (Number(below) / Number(above)).toPrecision(4);

/** Functions that write rows {depth, nodes, seconds} in a file format. */
export const written = {
  csv: (rows, fen) => `fen,depth,nodes,seconds\n${rows.map(({depth, nodes, seconds}) => `"${fen}",${depth},${nodes},${seconds}`).join("\n")}\n`,
  json: (rows, fen) => `${JSON.stringify({fen, depths: rows}, null, 2)}\n`,
  epd: (rows, fen) => `${fen} ${rows.map(({depth, nodes}) => `;D${depth} ${nodes}`).join(" ")}\n`,
};

export class DepthTable {
  #counted = new Map();  // by depth: {depth, nodes, seconds}
  #plot;
  #question = null;
  #signal = null;
  #busy = false;

  constructor(counter, say) {
    Object.assign(this, {counter, say});
    this.#plot = new DepthPlot($("depths-plot"), say);
    $("depths-count").addEventListener("click", () => this.#fill());
    $("depths-card").addEventListener("toggle", () => this.#plot.redraw());
    for (const format of Object.keys(written)) $(`depths-${format}`).addEventListener("click", () => this.#save(format));
  }
  redraw() {
    this.#plot.redraw();
  }

  /**
   * Shows the table for `job`, which answers `question` about the position `fen`. Counts of other depths are requested until
   * `signal` is aborted.
   */
  show(question, job, fen, signal) {
    const exact = job.state === "done" && job.nodes != null && ["count", "hashed", "unhashed", "configurations", "stats"].includes(question.mode);
    $("depths-card").hidden = !exact || question.depth < 2;
    if ($("depths-card").hidden) return;
    if (this.#signal !== signal) {
      this.#counted.clear();
      this.#plot.clear();
    }
    Object.assign(this, {fen});
    [this.#question, this.#signal] = [question, signal];
    this.#counted.set(question.depth, {depth: question.depth, nodes: job.nodes, seconds: job.report.seconds});
    this.#draw();
  }

  get #rows() {
    return [...this.#counted.values()].sort((a, b) => a.depth - b.depth);
  }
  #draw() {
    const {depth: last} = this.#question;
    const rows = Array.from({length: last}, (_, above) => this.#counted.get(above + 1) ?? {depth: above + 1});
    const all = rows.every(({nodes}) => nodes);
    $("depths-count").hidden = all;
    $("depths-count").disabled = this.#busy;
    $("depths-count").textContent = this.#busy ? "Counting …" : last === 2 ? "Also count depth 1" : `Also count depths 1 to ${last - 1}`;
    $("depths-save").hidden = !all;
    $("depths").replaceChildren(element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Depth by depth"}, element("table", {},
      element("thead", {}, element("tr", {}, ...["Depth", "Paths", "Factor", "Time"].map(label => element("th", {scope: "col"}, label)))),
      element("tbody", {}, ...rows.map(({depth, nodes, seconds}) => {
        const above = this.#counted.get(depth - 1);
        return element("tr", {}, element("td", {}, depth), element("td", {}, nodes ? count(nodes) : "–"),
          element("td", {}, nodes && above && above.nodes !== "0" ? ratio(above.nodes, nodes) : "–"), element("td", {}, nodes ? duration(seconds, {short: true}) : "–"));
      })))));
    $("depths-figure").hidden = last < 3;
    if (all) this.#plot.show(rows.map(({depth}) => depth), rows.map(({nodes}) => nodes));
  }

  async #fill() {
    const question = this.#question, signal = this.#signal;
    this.#busy = true;
    $("depths-error").textContent = "";
    try {
      for (let depth = 1; depth < question.depth; ++depth) {
        if (this.#counted.has(depth)) continue;
        this.#draw();
        const job = await this.counter.finish({...question, depth}, {signal});
        if (signal.aborted) return;
        if (isFinal(job.state)) this.#counted.set(depth, {depth, nodes: job.nodes, seconds: job.report.seconds});
      }
      this.say(`Depths 1 to ${question.depth} are counted`);
    } catch (error) {
      if (signal.aborted) return;
      $("depths-error").textContent = `Not all depths are counted. ${error.message}`;
    } finally {
      this.#busy = false;
    }
    this.#draw();
    $("depths-card").querySelector("summary").focus({preventScroll: true});
  }

  #save(format) {
    save(new Blob([written[format](this.#rows, this.fen)], {type: "text/plain"}),
         `${describe(this.#question).replaceAll(/[^\w-]+/g, "_").slice(0, 60)}-depths.${format}`);
  }
}
